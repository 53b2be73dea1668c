// The entries of a statement: loaded by time, narrowed by currency and cause, and summed so that opening + rows = closing can be seen.
import { compare, difference, read, sum, text } from "../decimal.js";
import { trimmed } from "../figures.js";
import { ask } from "./calls.js";

const PAGE = 500;
// The rows and the calls after which a browser reads no more; the file has all of a filter.
const [MOST, CALLS] = [10_000, 40];
// How much wider the next range of ids is after one with few rows.
const WIDER = 4;

export const CAUSES = [
  "adjustment", "break", "clearing", "conversion", "custody_fee", "deposit", "fee", "funding", "interest", "liquidation", "loan", "netting",
  "payout", "realised", "redemption", "refund", "repayment", "reward", "stake", "staking_interest", "trade", "transfer",
  "withdrawal",
];

const byEntry = (one, other) => one.entry_id - other.entry_id;

// `page(cursor)` reads a page of the entries of a currency (or all), the oldest first.
const reader = (currency) => async (cursor = {}) =>
  (await ask("/v1/statement", { ...(currency && { currency }), limit_entries: PAGE, ...cursor })).sort(byEntry);

// The ids that a page of these entries is likely to take.
const spanOf = (entries) =>
  (entries.length > 1 ? Math.ceil(((entries.at(-1).entry_id - entries[0].entry_id + 1) * PAGE) / entries.length) : PAGE);

// The newest page up to a time: its entries, the id before which the others stand, and the width of the range to read next.
async function start(page, to) {
  const later = to === null ? [] : await page({ timestamp: String(to + 1) });
  if (later.length > 0) return { entries: [], before: later[0].entry_id, width: spanOf(later) };
  const entries = await page();
  return { entries, before: entries.length < PAGE ? 0 : entries[0].entry_id, width: spanOf(entries) };
}

// The entries of a currency (or all) from one time up to another, the oldest first: `{ entries, isCut }`. Without a first time they begin
// with the first entry. Where there are too many the oldest are missing. The interface reads onwards from an id alone, so ranges of ids
// before those that were read are read, each so wide that a page holds all of its entries.
export async function load({ currency, from, to }) {
  const page = reader(currency);
  let { entries, before, width } = await start(page, to);
  const isWhole = () => before <= 1 || (from !== null && entries[0]?.timestampms < from);
  for (let calls = 0; !isWhole() && entries.length < MOST && calls < CALLS; calls += 1) {
    const after = Math.max(0, before - 1 - width);
    const older = (await page({ since_entry_id: after })).filter(({ entry_id: id }) => id < before);
    if (older.length === PAGE && older.at(-1).entry_id < before - 1) {
      width = Math.max(PAGE, Math.floor(width / 2));
      continue;
    }
    entries = [...older, ...entries];
    before = after + 1;
    if (older.length < PAGE / WIDER) width *= WIDER;
  }
  return { entries: entries.filter(({ timestampms: at }) => from === null || at >= from), isCut: !isWhole() };
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
