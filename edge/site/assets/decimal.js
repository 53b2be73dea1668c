// Exact decimals. A decimal is a BigInt of all its digits and the number of those after the point.

export function read(text) {
  const [whole, part = ""] = text.split(".");
  return { digits: BigInt(whole + part), places: part.length };
}

const scaled = ({ digits, places }, to) => digits * 10n ** BigInt(to - places);

function combined(one, other, combine) {
  const places = Math.max(one.places, other.places);
  return { digits: combine(scaled(one, places), scaled(other, places)), places };
}

export const sum = (one, other) => combined(one, other, (a, b) => a + b);
export const difference = (one, other) => combined(one, other, (a, b) => a - b);

// A decimal as text, with all its places.
export function text({ digits, places }) {
  const sign = digits < 0n ? "-" : "";
  const all = (digits < 0n ? -digits : digits).toString().padStart(places + 1, "0");
  const whole = all.slice(0, all.length - places);
  return sign + whole + (places ? "." + all.slice(all.length - places) : "");
}

// The digits that a volume is shown with, and its units from a million on.
const FIGURES = 6;
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
