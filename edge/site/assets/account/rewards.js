// Interest by day, as a table and as bars, with its sums as the exchange names them.
import { ratio, read, sum, text } from "../decimal.js";
import { url } from "../page.js";
import { Region, html, useState } from "../ui.js";
import { ask } from "./calls.js";
import { useFollowed } from "./live.js";
import { Table, amounts } from "./table.js";

const MOST = 500;
const [WIDTH, HEIGHT] = [600, 100];

// The interest of each day and currency, the newest first, over all providers.
function byDay(groups) {
  const days = new Map();
  for (const { transactions } of groups) {
    for (const { amountCurrency: currency, amount, dateTime } of transactions) {
      const day = new Date(dateTime).toISOString().slice(0, 10);
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
  return byDay(groups);
}

// A bar's height is its share of the tallest; it is a picture, the table beside it is exact.
function Bars({ rows, currency }) {
  const days = rows.filter((row) => row.currency === currency).reverse();
  const tallest = days.map(({ amount }) => read(amount)).reduce((one, other) => (ratio(one, other, 1_000) > 1_000n ? one : other));
  const step = WIDTH / Math.max(days.length, 12);
  return html`<figure><svg class="bars" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img"
    aria-label=${`Interest in ${currency} from ${days[0].day} to ${days.at(-1).day}, day by day`}>${days.map(({ day, amount }, at) => {
    const height = Math.max(1, Number(ratio(read(amount), tallest, HEIGHT)));
    return html`<rect key=${day} x=${at * step} y=${HEIGHT - height} width=${Math.max(1, step - 2)} height=${height}>
      <title>${`${day}: ${amount} ${currency}`}</title></rect>`;
  })}</svg><figcaption class="note">${currency}, ${days[0].day} to ${days.at(-1).day}</figcaption></figure>`;
}

const COLUMNS = [
  { title: "Day (UTC)", cell: ({ day }) => day },
  { title: "Currency", cell: ({ currency }) => currency },
  amounts("Interest", "amount", { places: 12 }),
];

export function Rewards() {
  const [state, rows, retry] = useFollowed(load, ["balances@account"]);
  const [picked, pick] = useState(null);
  const found = [...new Set((rows ?? []).map(({ currency }) => currency))].sort();
  const currency = found.includes(picked) ? picked : found[0];
  const empty = rows?.length === 0 && html`<p>Interest would stand here day by day: it joins the stake at 20:00 UTC.</p>`;
  const tools = found.length > 1 && html`<div class="choice" role="group" aria-label="Currency of the bars">${found.map((name) =>
    html`<button key=${name} type="button" class="small" aria-pressed=${name === currency} onClick=${() => pick(name)}>${name}</button>`)}
      </div>`;
  return html`<${Region} name="rewards" title="Interest by day" state=${state} retry=${retry} empty=${empty}
    tools=${tools}>${currency && html`
    <div class="columns tight"><${Bars} rows=${rows} currency=${currency} />
    <${Table} label="Interest by day" columns=${COLUMNS} rows=${rows} keyOf=${({ key }) => key}
      marks=${({ key }) => ({ "data-reward": key })} /></div>
    <p class="note padded">The newest ${MOST} payments at most. Each one stands in the <a
      href=${url("/account/statement?cause=staking_interest")}>statement</a>.</p>`}
  </${Region}>`;
}
