// The entries of a statement: loaded by time, narrowed by currency and cause, and summed so that opening + rows = closing can be seen.
import { compare, difference, read, sum, text } from "../decimal.js";
import { trimmed } from "../figures.js";
import { ask } from "./calls.js";

const PAGE = 500;
// The most pages that a browser loads; the file has all of a filter.
const PAGES = 20;

export const CAUSES = [
  "adjustment", "break", "clearing", "conversion", "custody_fee", "deposit", "fee", "funding", "interest", "liquidation", "loan", "netting",
  "payout", "realised", "redemption", "refund", "repayment", "reward", "stake", "staking_interest", "trade", "transfer",
  "withdrawal",
];

const narrowed = (currency) => (currency ? { currency, limit_entries: PAGE } : { limit_entries: PAGE });
const byEntry = (one, other) => one.entry_id - other.entry_id;

// The entries of a currency (or all) from one time up to another, the oldest first: `{ entries, isCut }`. Without a first time it begins
// with the first entry.
export async function load({ currency, from, to }) {
  const entries = [];
  let cursor = from === null ? { since_entry_id: 0 } : { timestamp: String(from) };
  for (let page = 0; page < PAGES; page += 1) {
    const found = (await ask("/v1/statement", { ...narrowed(currency), ...cursor })).sort(byEntry);
    entries.push(...found.filter(({ timestampms }) => to === null || timestampms <= to));
    const last = found.at(-1);
    if (!last || found.length < PAGE || (to !== null && last.timestampms > to)) return { entries, isCut: false };
    cursor = { since_entry_id: last.entry_id };
  }
  return { entries, isCut: true };
}

const total = (entries) => trimmed(text(entries.map(({ amount }) => read(amount)).reduce(sum, read("0"))));

// For each currency: the balance before the first entry, the sum of the entries that are shown, that of those which the cause leaves out,
// and the balance after the last as the exchange says it. `isExact` is whether these add up.
export function sums(entries, cause) {
  const groups = new Map();
  for (const entry of entries) groups.set(entry.currency, [...(groups.get(entry.currency) ?? []), entry]);
  const rows = [...groups].map(([currency, all]) => {
    const shown = all.filter((entry) => !cause || entry.cause === cause);
    const opening = trimmed(text(difference(read(all[0].balance), read(all[0].amount))));
    const [rowsTotal, others] = [total(shown), total(all.filter((entry) => !shown.includes(entry)))];
    const closing = all.at(-1).balance;
    const reached = [rowsTotal, others].map(read).reduce(sum, read(opening));
    return { currency, opening, rows: rowsTotal, others, closing, count: shown.length, isExact: compare(reached, read(closing)) === 0 };
  });
  return rows.filter(({ count }) => count > 0).sort((one, other) => one.currency.localeCompare(other.currency));
}
