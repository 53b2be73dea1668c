// Tables whose figures stand with their points in line.
import { amount, average, decimalsOf, dollars, isDollar, money as moneyText, placesOf, price } from "../figures.js";
import { Rest, marksOf } from "../lists.js";
import { Dollars, Exact, html } from "../ui.js";

export { Dollars };

const FIGURE_SPACE = "\u2007";
const POINT_SPACE = "\u2008";

// What stands after the point of the longest figure of a column and not of this one, as space.
function space(words, longest) {
  const missing = longest - placesOf(words);
  return missing > 0 ? (words.includes(".") ? "" : POINT_SPACE) + FIGURE_SPACE.repeat(missing) : "";
}

const isThere = (words) => words !== undefined && words !== null && words !== "";

const textOf = (column, row) => (isThere(column.amount(row)) ? String(column.amount(row)) : "");
const seenOf = (column, row) => (textOf(column, row) ? column.shown(textOf(column, row), row) : "");

const longestOf = (column, rows) => Math.max(0, ...rows.map((row) => placesOf(seenOf(column, row))));

function Figure({ column, row, longest }) {
  const text = textOf(column, row);
  if (!text) return column.none ?? "–";
  const seen = seenOf(column, row);
  return html`<${Exact} text=${text} shown=${seen} unit=${column.unit?.(row)} name=${column.kindOf?.(row) ?? column.kind}>
    <span class="pad" aria-hidden="true">${space(seen, longest)}</span><//>`;
}

const reader = (of) => (typeof of === "function" ? of : (row) => row[of]);
const column = (title, of, kind, shown, unit) => ({ title, amount: reader(of), kind, shown, unit, isNumber: true });

// A column of amounts: `of` is a field or a function of a row, `places` the most that are shown, `least` the fewest.
export const amounts = (title, of, { places = 8, least = 0, unit } = {}) =>
  column(title, of, "amount", (text) => amount(text, places, least), unit);

// A column of amounts of the currency that `currencyOf` names; dollars show two decimals.
export const sums = (title, of, { currencyOf = ({ currency }) => currency, unit } = {}) => ({
  ...column(title, of, "amount", (text, row) => moneyText(text, currencyOf(row)), unit),
  kindOf: (row) => (isDollar(currencyOf(row)) ? "dollars" : "amount"),
});

// Columns of dollars, of prices, and of averages and marks. `symbolOf` names the market of a row.
export const money = (title, of, { unit } = {}) => column(title, of, "dollars", dollars, unit);
const bySymbol = ({ symbol }) => symbol;
export const prices = (title, of, { symbolOf = bySymbol } = {}) =>
  column(title, of, "price", (text, row) => price(text, decimalsOf(symbolOf(row))));
export const averages = (title, of, { symbolOf = bySymbol } = {}) =>
  column(title, of, "average", (text, row) => average(text, decimalsOf(symbolOf(row))));

// The width below which a row stands as a block: wide tables need more.
const widthOf = (columns) => (columns.length > 8 ? "very-wide" : columns.length > 4 ? "wide" : "slim");

const kind = ({ isNumber, isWrapped }) => (isNumber ? "number" : isWrapped ? "wrap" : undefined);

// A table whose columns are those of `amounts` and its like, or `{ title, cell, isNumber, isWrapped }`. The first column names the row. `none`
// of a column stands where a row has no figure.
// `total` is how many rows there are, if they are more than these (`lists.js`), and `rest` how to get at them: `{ onMore, link, what }`.
export function Table({ label, columns, rows, keyOf, marks = () => ({}), total = rows.length, rest = {} }) {
  const longest = new Map(columns.filter(({ amount }) => amount).map((column) => [column, longestOf(column, rows)]));
  const content = (column, row) => (column.amount ? html`<${Figure} column=${column} row=${row}
    longest=${longest.get(column)} />` : column.cell(row));
  return html`<div class=${`scroll ${widthOf(columns)}`} role="group" tabindex="0" aria-label=${label}
    ...${marksOf(label, rows.length, total)}><table>
    <thead><tr>${columns.map((column) => html`<th key=${column.title} scope="col" class=${kind(column)}>${column.title}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${keyOf(row)} ...${marks(row)}>${columns.map((column, at) => at === 0
      ? html`<th key=${column.title} scope="row" class=${kind(column)}>${content(column, row)}</th>`
      : html`<td key=${column.title} class=${kind(column)} data-title=${column.title}>${content(column, row)}</td>`)}</tr>`)}</tbody>
  </table></div><${Rest} shown=${rows.length} total=${total} ...${rest} />`;
}
