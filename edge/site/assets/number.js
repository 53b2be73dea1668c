// Numbers as people type them. One is read as what was meant, or refused with a sentence: nothing is guessed (D-290).

const blanks = /\s/g;
// A comma groups beside a point or another group. Alone it is a group for one half of the world, and a point for the other.
const GROUPED = /^[1-9]\d{0,2}((,\d{3})+\.\d*|(,\d{3}){2,})$/;
const AMBIGUOUS = /^([1-9]\d{0,2}),(\d{3})$/;
const PLAIN = /^(\d+\.?\d*|\.\d+)$/;

// A decimal without sign as it was typed or pasted, without its blanks and groups; none if it is no decimal.
export function plain(typed) {
  const words = typed.replace(blanks, "");
  const whole = GROUPED.test(words) ? words.replaceAll(",", "") : words;
  if (!PLAIN.test(whole)) return "";
  return whole.replace(/^\./, "0.").replace(/\.$/, "");
}

// The fault of a text as a sentence; none if it is empty or a decimal.
export function wrongWith(typed) {
  const words = typed.replace(blanks, "");
  if (!words || plain(words)) return "";
  if (/^[-−]/.test(words)) return "Write a number above 0.";
  const [, whole, part] = words.match(AMBIGUOUS) ?? [];
  if (whole) return `“${words}” could be ${whole}${part} or ${whole}.${part}. Write one of these. Write decimals with a point.`;
  if (/^[\d.,]*,[\d.,]*$/.test(words)) return "This is not a number. Write decimals with a point.";
  return /^[\d.]+e/i.test(words) ? "Write all digits, without an exponent." : "This is not a number. Write digits and a point alone.";
}

const SIGN = /^\s*-/;

// The same of a decimal that may be negative.
export const signed = (typed) => {
  const words = plain(typed.replace(SIGN, ""));
  return words && SIGN.test(typed) ? `-${words}` : words;
};
export const wrongWithSigned = (typed) => (SIGN.test(typed) ? wrongWith(typed.replace(SIGN, "")) || (signed(typed) ? "" : "Write digits.")
  : wrongWith(typed));
