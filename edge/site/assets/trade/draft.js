// What the ticket's form holds. Book, ladder, keys and chart change it too.
import { isContract, isPositive, opposite, priceText, toPrice } from "./market.js";
import { store } from "./store.js";

const asked = new URLSearchParams(location.search);
const oneOf = (list, value) => (list.includes(value) ? value : list[0]);

// `amount` is what is sent; `total` is what was typed if the user gave a total.
export const draft = store({
  side: oneOf(["buy", "sell"], asked.get("side")), type: "limit", price: "", stop: "", amount: "", total: "", option: "",
  outcome: isContract ? oneOf(["yes", "no"], asked.get("outcome")) : undefined, isReducing: false,
});
// The preview of what the form holds: `{ result, … }`, null before there is one; and whether a newer one is on its way.
export const preview = store(null);
export const isSheetOpen = store(false);

export const edit = (part) => draft.set({ ...draft.get(), ...part });
export const setPrice = (price) => edit({ price, ...(draft.get().type === "market" && { type: "limit" }) });
// A price of the book, which is that of "yes".
export const setBookPrice = (price) => setPrice(draft.get().outcome === "no" ? priceText(opposite(toPrice(price))) : price);

// Whether an order has all that it needs to be sent.
export const isComplete = ({ price, amount, type, stop }) =>
  isPositive(price) && isPositive(amount) && (type !== "stop-limit" || isPositive(stop));
