// Interest by day, as a table and as a curve, with its sums as the exchange names them.
import { compare, ratio, read, sum, text } from "../decimal.js";
import { Curve, HEIGHT } from "../operator/curve.js";
import { amount } from "../figures.js";
import { usePart } from "../lists.js";
import { url } from "../page.js";
import { Region, html, useState } from "../ui.js";
import { ask } from "./calls.js";
import { useFollowed } from "./live.js";
import { Table, amounts } from "./table.js";

// The most payments that the exchange answers with, and the days that the table begins with.
const [MOST, FIRST] = [500, 60];
const DAY = 86_400_000;
// Decimals of interest: a day pays little.
const PLACES = 12;

// The interest of each day and currency, the newest first, over all providers.
function byDay(groups) {
  const days = new Map();
  for (const { transactions } of groups) {
    for (const { amountCurrency: currency, amount, dateTime } of transactions) {
      const day = new Date(dateTime).toISOString().substring(0, 10);
      const key = `${day} ${currency}`;
      const found = days.get(key) ?? { key, day, currency, amount: read("0"), count: 0 };
      days.set(key, { ...found, amount: sum(found.amount, read(String(amount))), count: found.count + 1 });
    }
  }
  const rows = [...days.values()].map((row) => ({ ...row, amount: text(row.amount) }));
  return rows.sort((one, other) => (one.day === other.day ? one.currency.localeCompare(other.currency) : one.day < other.day ? 1 : -1));
}

async function load() {
  const groups = await ask("/v1/staking/history", { interestOnly: true, limit: MOST });
  const count = groups.reduce((all, { transactions }) => all + transactions.length, 0);
  return { rows: byDay(groups), isCut: count >= MOST };
}

// The interest of each day over which a currency earned; a day without any is a gap. `isCut`: older interest was not read.
function Interest({ rows, currency, isCut }) {
  const days = new Map(rows.filter((row) => row.currency === currency).map(({ day, amount }) => [day, amount]));
  const [first, last] = [[...days.keys()].at(-1), [...days.keys()][0]];
  const largest = [...days.values()].reduce((one, other) => (compare(read(one), read(other)) > 0 ? one : other));
  const heights = [];
  for (let time = Date.parse(first); time <= Date.parse(last); time += DAY) {
    const amount = days.get(new Date(time).toISOString().substring(0, 10));
    heights.push(amount ? Number(ratio(read(amount), read(largest), HEIGHT)) : null);
  }
  const shown = amount(largest, PLACES);
  return html`<div><${Curve} name=${currency} lines=${[{ name: currency, heights }]} top=${`${shown} ${currency} a day`} from=${first}
    to=${last} words=${`Interest in ${currency} by day from ${first} to ${last}, at most ${shown}. The table has the figures.`} />
    ${isCut && html`<p class="note" data-cut>The curve has the newest part of the interest, from ${first} on.</p>`}</div>`;
}

const REST = { href: url("/account/statement?cause=staking_interest"), words: "The statement has all" };

const COLUMNS = [
  { title: "Day (UTC)", cell: ({ day }) => day },
  { title: "Currency", cell: ({ currency }) => currency },
  amounts("Interest", "amount", { places: PLACES }),
];

export function Rewards() {
  const [state, loaded, retry] = useFollowed(load, ["balances@account"]);
  const rows = loaded?.rows;
  const [shown, more] = usePart(rows ?? [], FIRST);
  const isWhole = shown.length === rows?.length;
  // A row is what a currency paid for a day.
  const way = isWhole ? { link: REST } : { onMore: more, ...(loaded?.isCut && { known: rows?.length }) };
  const rest = { what: "daily payments", ...way };
  const [picked, pick] = useState(null);
  const found = [...new Set((rows ?? []).map(({ currency }) => currency))].sort();
  const currency = found.includes(picked) ? picked : found[0];
  const empty = rows?.length === 0 && html`<p>Interest would stand here day by day: it joins the stake at 20:00 UTC.</p>`;
  const tools = found.length > 1 && html`<div class="choice" role="group" aria-label="Currency of the curve">${found.map((name) =>
    html`<button key=${name} type="button" class="small" aria-pressed=${name === currency} onClick=${() => pick(name)}>${name}</button>`)}
      </div>`;
  return html`<${Region} name="rewards" title="Interest by day" state=${state} retry=${retry} empty=${empty}
    tools=${tools}>${currency && html`
    <div class="columns tight"><${Interest} rows=${rows} currency=${currency} isCut=${loaded.isCut} />
    <${Table} label="Interest by day" columns=${COLUMNS} rows=${shown}
      total=${loaded.isCut ? "more" : rows.length} rest=${rest}
      keyOf=${({ key }) => key}
      marks=${({ key }) => ({ "data-reward": key })} /></div>
    <p class="note padded">Each payment stands in the <a href=${REST.href}>statement</a>.</p>`}
  </${Region}>`;
}
