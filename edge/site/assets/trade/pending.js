// The orders that are under way in this tab, one for each market and account, kept over a load of the page: until it is known whether the
// exchange took one, no other is sent there. One of another market waits for the page of that market.
import { keep, kept } from "../kept.js";
import { data } from "../page.js";
import { symbol } from "./market.js";

const PLACE = "orders-under-way";

const all = () => JSON.parse(kept(PLACE) || "[]");
const isOfThisPage = ({ row, account }) => row.symbol === symbol && account === data.user?.number;
const others = () => all().filter((one) => !isOfThisPage(one));

export const keepPending = (row) => keep(PLACE, JSON.stringify([...others(), { row, account: data.user?.number }]));
export const dropPending = () => keep(PLACE, JSON.stringify(others()));

// The order of this market and account that was under way when its page was left, or none.
export const findPending = () => all().find(isOfThisPage)?.row ?? null;
