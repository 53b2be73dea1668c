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
