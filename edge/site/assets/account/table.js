// Tables whose figures stand with their points in line.
import { grouped, short } from "../decimal.js";
import { Amount, html } from "../ui.js";

const FIGURE_SPACE = "\u2007";
const POINT_SPACE = "\u2008";

const placesOf = (words) => words.split(".")[1]?.length ?? 0;

// A decimal without zeros at its end, as the exchange writes a balance.
export const trimmed = (words) => (words.includes(".") ? words.replace(/\.?0+$/, "") : words);

// A decimal with zeros up to so many places.
function filled(words, places) {
  const missing = places - placesOf(words);
  return missing > 0 ? `${words}${words.includes(".") ? "" : "."}${"0".repeat(missing)}` : words;
}

const shown = (words, { places, least = 0 }) => filled(short(words, places), least);

// What stands after the point of the longest figure of a column and not of this one, as space.
function space(words, longest) {
  const missing = longest - placesOf(words);
  return missing > 0 ? (words.includes(".") ? "" : POINT_SPACE) + FIGURE_SPACE.repeat(missing) : "";
}

const isThere = (words) => words !== undefined && words !== null && words !== "";

function longestOf(column, rows) {
  const texts = rows.map(column.amount).filter(isThere);
  return Math.max(0, ...texts.map((words) => placesOf(shown(String(words), column))));
}

function Figure({ column, row, longest }) {
  const words = column.amount(row);
  const unit = column.unit?.(row) ?? "";
  if (!isThere(words)) return "–";
  const text = String(words);
  const seen = shown(text, column);
  return html`<span class="amount" title=${`${text}${unit && ` ${unit}`}`} data-value=${text}>${grouped(seen)}<span
    class="pad" aria-hidden="true">${space(seen, longest)}</span>${
    unit && html` <small class="unit">${unit}</small>`}</span>`;
}

// A column of amounts: `of` is a field or a function of a row, `places` the most that are shown, `least` the fewest.
export const amounts = (title, of, { places = 8, least = 0, unit } = {}) =>
  ({ title, amount: typeof of === "function" ? of : (row) => row[of], places, least, unit, isNumber: true });

// The width below which a row stands as a block: wide tables need more.
const widthOf = (columns) => (columns.length > 8 ? "very-wide" : columns.length > 4 ? "wide" : "slim");

const kind = ({ isNumber, isWrapped }) => (isNumber ? "number" : isWrapped ? "wrap" : undefined);

// A table whose columns are those of `amounts` or `{ title, cell, isNumber, isWrapped }`. The first column names the row.
export function Table({ label, columns, rows, keyOf, marks = () => ({}) }) {
  const longest = new Map(columns.filter(({ amount }) => amount).map((column) => [column, longestOf(column, rows)]));
  const content = (column, row) => (column.amount ? html`<${Figure} column=${column} row=${row}
    longest=${longest.get(column)} />` : column.cell(row));
  return html`<div class=${`scroll ${widthOf(columns)}`} role="group" tabindex="0" aria-label=${label}><table>
    <thead><tr>${columns.map((column) => html`<th key=${column.title} scope="col" class=${kind(column)}>${column.title}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${keyOf(row)} ...${marks(row)}>${columns.map((column, at) => at === 0
      ? html`<th key=${column.title} scope="row" class=${kind(column)}>${content(column, row)}</th>`
      : html`<td key=${column.title} class=${kind(column)} data-title=${column.title}>${content(column, row)}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

// An amount of dollars by itself.
export const Dollars = ({ text }) => html`<${Amount} text=${filled(text, 2)} places=${2} />`;
