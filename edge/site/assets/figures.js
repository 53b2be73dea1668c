// How figures are written for people, in this one place: thousands are separated everywhere, a price has the decimals of its market,
// dollars have two (D-291). All digits of a figure that shows fewer are in its title, and stand beside it when it has the focus (`Exact` of `ui.js`).
import { grouped, read, rounded, short, text } from "./decimal.js";
import { data } from "./page.js";

// Decimals that averages and marks may have beyond those of a price.
const MORE = 2;
// Decimals of a price whose market this page does not know: those of contracts.
const UNKNOWN = 2;

const isThere = (words) => words !== undefined && words !== null && words !== "";

// The decimals of a text.
export const placesOf = (words) => words.split(".")[1]?.length ?? 0;

// A decimal with zeros up to so many places.
export function filled(words, places) {
  const missing = places - placesOf(words);
  return missing > 0 ? `${words}${words.includes(".") ? "" : "."}${"0".repeat(missing)}` : words;
}

// A decimal with exactly so many places; half a unit of the last one is rounded away from zero.
export function roundedTo(words, places) {
  const { digits, places: has } = read(words);
  if (has <= places) return filled(words, places);
  const unit = 10n ** BigInt(has - places);
  const size = digits < 0n ? -digits : digits;
  const kept = (size + unit / 2n) / unit;
  return text({ digits: digits < 0n ? -kept : kept, places });
}

// A decimal without zeros at its end; and with so many places at least.
export const trimmed = (words) => (words.includes(".") ? words.replace(/\.?0+$/, "") : words);
const trimmedTo = (words, places) => filled(trimmed(words), places);

// A count of things.
export const count = (number) => grouped(String(number ?? 0));

// A volume: six digits at most, in millions, billions or trillions where it is large.
export const volume = (words) => (isThere(words) ? grouped(rounded(read(words))) : "–");

// The decimals of the prices of a market, as this page knows them.
export const decimalsOf = (symbol) => data.page?.decimals?.[symbol.toLowerCase()] ?? UNKNOWN;

// A price with the decimals of its market, which the exchange may have written already; none of its digits is left out.
export const price = (words, places = 0) => (isThere(words) ? grouped(filled(String(words), places)) : "–");

// An average, a mark, an index or another price that the exchange computes: the decimals of the market and up to two more.
export const average = (words, places) =>
  (isThere(words) ? grouped(trimmedTo(roundedTo(String(words), places + MORE), places)) : "–");

// Dollars: two decimals.
export const dollars = (words) => (isThere(words) ? grouped(roundedTo(String(words), 2)) : "–");

// Currencies that are dollars.
const DOLLARS = ["USD", "GUSD"];
export const isDollar = (currency) => DOLLARS.includes(currency?.toUpperCase());

// An amount of a currency or of contracts, with at least so many places. It is cut where it is too long, since nobody has the part by which it
// would be rounded up.
export const amount = (words, places = 8, least = 0) => (isThere(words) ? grouped(filled(short(String(words), places), least)) : "–");

// An amount with all its digits, of dollars two decimals at least: a button that sends it names no other.
export const whole = (words, currency = "") =>
  (isThere(words) ? grouped(trimmedTo(String(words), isDollar(currency) ? 2 : 0)) : "–");

// An amount of a currency that may be the dollar.
export const money = (words, currency) => (isDollar(currency) ? dollars(words) : amount(words));
