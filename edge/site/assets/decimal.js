// Exact decimals. A decimal is a BigInt of all its digits and the number of those after the point.

export function read(words) {
  const [whole, part = ""] = String(words).split(".");
  return { digits: BigInt(whole + part), places: part.length };
}

const scaled = ({ digits, places }, to) => digits * 10n ** BigInt(to - places);

function combined(one, other, combine) {
  const places = Math.max(one.places, other.places);
  return { digits: combine(scaled(one, places), scaled(other, places)), places };
}

export const sum = (one, other) => combined(one, other, (a, b) => a + b);
export const difference = (one, other) => combined(one, other, (a, b) => a - b);
export const product = (one, other) => ({ digits: one.digits * other.digits, places: one.places + other.places });

// Below 0 if the first is smaller, 0 if they are equal, above 0 if it is larger.
export function compare(one, other) {
  const { digits } = difference(one, other);
  return digits < 0n ? -1 : Number(digits > 0n);
}

// Whether a text is a decimal without sign, as amounts and prices are written.
export const isDecimal = (words) => /^\d+(\.\d+)?$/.test(words);

// A price or an amount moved by `count` increments, onto a multiple of the increment and not below 0.
export function step(words, increment, count) {
  const [value, unit] = [read(words || "0"), read(increment)];
  const places = Math.max(value.places, unit.places);
  const [digits, one] = [scaled(value, places), scaled(unit, places)];
  const floor = digits / one;
  const isBetween = digits % one !== 0n;
  const target = floor + BigInt(count) + (isBetween && count < 0 ? 1n : 0n);
  return text(cutTo({ digits: (target < 0n ? 0n : target) * one, places }, unit.places));
}

// The largest multiple of an increment that is not above a decimal without sign, with the increment's places.
export function floorTo(words, increment) {
  const [value, unit] = [read(words), read(increment)];
  const places = Math.max(value.places, unit.places);
  const one = scaled(unit, places);
  return text(cutTo({ digits: (scaled(value, places) / one) * one, places }, unit.places));
}

const cutTo = ({ digits, places }, to) => ({ digits: digits / 10n ** BigInt(places - to), places: to });

// A decimal's text with thin groups of three before the point.
export function grouped(words) {
  const [whole, part] = words.split(".");
  const sign = whole.startsWith("-") ? "-" : "";
  const digits = whole.slice(sign.length).replace(/\B(?=(\d{3})+$)/g, ",");
  return sign + digits + (part === undefined ? "" : `.${part}`);
}

// A decimal's text with at most so many places, further digits dropped; "0.00…" that is not zero keeps its first digit.
export function short(words, places) {
  const [whole, part = ""] = words.split(".");
  const first = part.search(/[1-9]/);
  const kept = /^-?0+$/.test(whole) && first >= places ? first + 1 : places;
  const cut = part.substring(0, kept);
  return cut ? `${whole}.${cut}` : whole;
}

// A decimal as text, with all its places.
export function text({ digits, places }) {
  const sign = digits < 0n ? "-" : "";
  const all = (digits < 0n ? -digits : digits).toString().padStart(places + 1, "0");
  const whole = all.substring(0, all.length - places);
  return sign + whole + (places ? "." + all.slice(all.length - places) : "");
}

// The digits that a volume is shown with, and its units from a million on.
const FIGURES = 6;
/** @type {[number, string][]} */
const UNITS = [[12, "T"], [9, "B"], [6, "M"]];

// The same decimal with at most so many digits, half a unit rounded up.
function shortened({ digits, places }, figures) {
  const drop = digits.toString().length - figures;
  if (drop <= 0) return { digits, places };
  const unit = 10n ** BigInt(drop);
  const kept = (digits + unit / 2n) / unit;
  return drop <= places ? { digits: kept, places: places - drop } : { digits: kept * 10n ** BigInt(drop - places), places: 0 };
}

// A volume as it is read: six digits at most, in millions (M), billions (B) or trillions (T) where it is large. Prices are never rounded.
export function rounded(volume) {
  const short = shortened(volume, FIGURES);
  const whole = short.digits.toString().length - short.places;
  const [power, unit] = UNITS.find(([zeros]) => whole > zeros) || [0, ""];
  const words = text({ digits: short.digits, places: short.places + power });
  return (words.includes(".") ? words.replace(/\.?0+$/, "") : words) + unit;
}

// How often `other` goes into `one`, times `factor`; without the fraction.
export function ratio(one, other, factor) {
  const places = Math.max(one.places, other.places);
  const divisor = scaled(other, places);
  return divisor === 0n ? 0n : (scaled(one, places) * BigInt(factor)) / divisor;
}

// The change from one price to another with its sign, in hundredths of a percent, as the front page shows it.
export function change(from, to) {
  const hundredths = ratio(difference(read(to), read(from)), read(from), 10_000);
  const sign = hundredths < 0n ? "-" : "+";
  return `${sign}${text({ digits: hundredths < 0n ? -hundredths : hundredths, places: 2 })} %`;
}
