// The order that is under way in this tab, kept over a load of the page: until it is known whether the exchange took it, no other is sent.
import { keep, kept } from "../kept.js";
import { data } from "../page.js";
import { symbol } from "./market.js";

const PLACE = "order-under-way";

export const keepPending = (row) => keep(PLACE, JSON.stringify({ row, account: data.user?.number }));
export const dropPending = () => keep(PLACE, "");

// The order that was under way when the page was left; none if it was of another market or account.
export function findPending() {
  const { row, account } = JSON.parse(kept(PLACE) || "{}");
  return row?.symbol === symbol && account === data.user?.number ? row : null;
}
