// What the ticket's form holds. Book, ladder, keys and chart change it too.
import { isContract, isPositive, opposite, priceText, toPrice } from "./market.js";
import { store } from "./store.js";

export { plain, wrongWith } from "../number.js";

const asked = new URLSearchParams(location.search);
const oneOf = (list, value) => (list.includes(value) ? value : list[0]);

// `amount` is what is sent; `total` is what was typed if the user gave a total.
export const draft = store({
  side: oneOf(["buy", "sell"], asked.get("side")), type: "limit", price: "", stop: "", amount: "", total: "", option: "",
  outcome: isContract ? oneOf(["yes", "no"], asked.get("outcome")) : undefined, isReducing: false,
});
// The preview of what the form holds: `{ result, …, of }` with the order that it is of, null before there is one.
export const preview = store(null);
// The largest amount that the account's money allows: `{ side, outcome, amount }`.
export const most = store(null);
// The order that is under way: null, "sending" or "unknown".
export const underWay = store(null);
// What the last act came to: `{ isGood, words, of }`, with the order that the words are about while it stands.
export const outcome = store(null);
export const isSheetOpen = store(false);

// An edit ends what was said of the order before it, but for words about an order that is still under way.
export function edit(part) {
  draft.set({ ...draft.get(), ...part });
  if (outcome.get()?.isGood === false && !underWay.get()) outcome.set(null);
}

export const setPrice = (price) => edit({ price, ...(draft.get().type === "market" && { type: "limit" }) });
// A price of the book, which is that of "yes".
export const setBookPrice = (price) => setPrice(draft.get().outcome === "no" ? priceText(opposite(toPrice(price))) : price);

// Whether an order has all that it needs to be sent.
export const isComplete = ({ price, amount, type, stop }) =>
  isPositive(price) && isPositive(amount) && (type !== "stop-limit" || isPositive(stop));
