// The order that is under way in this tab, kept over a load of the page: until it is known whether the exchange took it, no other is sent.
import { data } from "../page.js";
import { symbol } from "./market.js";

const PLACE = "order-under-way";

export const keepPending = (row) => sessionStorage.setItem(PLACE, JSON.stringify({ row, account: data.user?.number }));
export const dropPending = () => sessionStorage.removeItem(PLACE);

// The order that was under way when the page was left; none if it was of another market or account.
export function findPending() {
  const { row, account } = JSON.parse(sessionStorage.getItem(PLACE) ?? "{}");
  return row?.symbol === symbol && account === data.user?.number ? row : null;
}
