// The statement: what changed each balance, with sums that add up, and the file of the whole filter.
import { CAUSES, load, sums } from "./account/entries.js";
import { Time, currencies, start, timeTitle } from "./account/parts.js";
import { Table, amounts } from "./account/table.js";
import { count } from "./figures.js";
import { usePart } from "./lists.js";
import { data, showQuery, url } from "./page.js";
import { moment } from "./time.js";
import { Region, html, useLoaded, useMemo, useState } from "./ui.js";

const STEP = 200;
const DAY = 86_400_000;
// All digits: what adds up has to be seen to the last one.
const EXACT = { places: 19 };

const words = (cause) => cause.replaceAll("_", " ");
const isDay = (text) => /^\d{4}-\d{2}-\d{2}$/.test(text ?? "") && !Number.isNaN(Date.parse(text));

// The filter that the page's address names. Days are those of UTC, as in the file.
function asked() {
  const query = new URLSearchParams(location.search);
  const one = (name, isKnown) => (isKnown(query.get(name)) ? query.get(name) : "");
  const code = query.get("currency")?.toUpperCase();
  return {
    currency: currencies.some((currency) => currency.code === code) ? code : "", cause: one("cause", (name) => CAUSES.includes(name)),
    from: one("from", isDay), to: one("to", isDay),
  };
}

const chosen = (filter) => new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ""));

// Days as texts compare like days.
const isTurned = ({ from, to }) => from !== "" && to !== "" && from > to;

const times = ({ from, to }) => ({ from: from ? Date.parse(from) : null, to: to ? Date.parse(to) + DAY - 1 : null });

// The parameters of the file: the same filter with times in milliseconds.
function fileUrl(filter) {
  const { from, to } = times(filter);
  const { currency, cause } = filter;
  const account = data.user?.number ?? "";
  return url(`/site/statement.csv?${chosen({ account, currency, cause, from: String(from ?? ""), to: String(to ?? "") })}`);
}

function Filter({ filter, setFilter }) {
  const change = ({ target: { name, value } }) => {
    const next = { ...filter, [name]: value };
    showQuery(Object.fromEntries(chosen(next)));
    setFilter(next);
  };
  const options = (name, all, shown) => html`<select id=${name} name=${name}><option value="">All</option>${all.map((one) =>
    html`<option key=${one} value=${one} selected=${one === filter[name]}>${shown(one)}</option>`)}</select>`;
  return html`<form name="filter" class="form line" onChange=${change} onSubmit=${(event) => event.preventDefault()}>
    <div class="field"><label for="currency">Currency</label>${options("currency", currencies.map(({ code }) => code), (code) => code)}
      </div>
    <div class="field"><label for="cause">Cause</label>${options("cause", CAUSES, words)}</div>
    <div class="field"><label for="from">From day (UTC)</label><input type="date" id="from" name="from" value=${filter.from} /></div>
    <div class="field"><label for="to">To day (UTC)</label><input type="date" id="to" name="to" value=${filter.to} /></div>
    ${!isTurned(filter) && html`<a class="button" href=${fileUrl(filter)} download>Download as CSV</a>`}
  </form>`;
}

// `first` is the oldest entry that was read, of a statement whose older ones were not: no opening of the time that was chosen is known then.
const SUMS = (hasOthers, first) => [
  { title: "Currency", cell: ({ currency }) => currency },
  amounts(first ? `Balance before the first row read, ${moment(first.timestampms)}` : "Opening", "opening", EXACT),
  amounts("+ rows", "rows", EXACT),
  ...(hasOthers ? [amounts("+ other causes", "others", EXACT)] : []),
  amounts("= closing", "closing", EXACT),
  { title: "Rows", isNumber: true, cell: (row) => count(row.count) },
  { title: "Adds up", cell: ({ isExact }) => html`<span class=${`tag ${isExact ? "good" : "bad"}`}
    data-exact=${isExact}>${isExact ? (first ? "the rows read" : "exactly") : "it does not"}</span>` },
];

const sign = (amount) => (amount.startsWith("-") ? "–" : "+");

const ROWS = [
  { title: timeTitle("Time"), cell: ({ timestampms }) => html`<${Time} at=${timestampms} />` },
  { title: "Cause", cell: ({ cause }) => words(cause) },
  { title: "Currency", cell: ({ currency }) => currency },
  amounts("Amount", "amount", EXACT),
  amounts("Balance after", "balance", EXACT),
  { title: "Of", cell: ({ order_id: order, tid, eid, clearing_id: clearing, transaction_id: stake, symbol }) =>
    [order && `order ${order}`, tid && `trade ${tid}`, eid && `transfer ${eid}`, clearing && `clearing ${clearing}`,
      stake && `staking ${stake}`, symbol].filter(Boolean).join(", ") || "–" },
];

// `file` leads to the changes that this page did not load, if there are any.
function Rows({ rows, file, state, retry }) {
  const [seen, more] = usePart(rows, STEP);
  const isWhole = seen.length === rows.length;
  const way = isWhole && file ? { link: { href: file, words: "The file has all of them" } } : { onMore: more };
  const rest = { what: "changes", ...(file && { known: rows.length }), ...way };
  const empty = rows.length === 0 && (file ? html`<p>No change that this page has read has this cause. <a href=${file}
    download>The file has all of them</a></p>` : html`<p>What changed a balance would stand here.
    Choose a longer time, or another currency or cause.</p>`);
  return html`<${Region} name="entries" title="Changes" state=${state} retry=${retry} empty=${empty}>
    <${Table} label="Changes" columns=${ROWS} rows=${seen} total=${file ? "more" : rows.length}
      rest=${rest} keyOf=${(row) => row.entry_id}
      marks=${(row) => ({ "data-entry": row.entry_id, "data-sign": sign(row.amount) })} />
  </${Region}>`;
}

function Statement() {
  const [filter, setFilter] = useState(asked);
  const { currency, cause, from, to } = filter;
  const isWrong = isTurned(filter);
  const find = async () => (isWrong ? { entries: [], isCut: false } : load({ currency, ...times(filter) }));
  const [state, loaded, retry] = useLoaded(find, [currency, from, to]);
  const entries = loaded?.entries ?? [];
  const first = loaded?.isCut ? entries[0] : undefined;
  const totals = useMemo(() => sums(entries, cause), [loaded, cause]);
  const rows = useMemo(() => entries.filter((entry) => !cause || entry.cause === cause).reverse(), [loaded, cause]);
  if (isWrong) return html`<${Filter} filter=${filter} setFilter=${setFilter} />
    <p class="notice" role="alert" data-turned>The first day, ${from}, is after the last, ${to}. Choose an earlier first day.</p>`;
  return html`<${Filter} filter=${filter} setFilter=${setFilter} />
    ${first && html`<p class="notice"
      data-cut>The newest ${count(entries.length)} changes of this time were read, from ${moment(first.timestampms)} on. Sums and
      causes are of these alone. The file has all changes; a shorter time fits this page.</p>`}
    <${Region} name="sums" title="Opening + rows = closing" state=${state} retry=${retry}
      empty=${totals.length === 0 && html`<p>The sums of each currency would stand here.</p>`}>
      <${Table} label="Opening + rows = closing" columns=${SUMS(Boolean(cause), first)} rows=${totals} keyOf=${(row) => row.currency}
        marks=${(row) => ({
        "data-sum": row.currency, "data-opening": row.opening, "data-rows": row.rows, "data-others": row.others,
        "data-closing": row.closing })} /></${Region}>
    <${Rows} rows=${rows} file=${loaded?.isCut && fileUrl(filter)} state=${loaded ? state : "loading"} retry=${retry} />`;
}

start(Statement);
