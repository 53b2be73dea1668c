// What an order of a contract does to the claims of the account: which pair with those of the other outcome, and what the others could
// pay and lose.
import { compare, difference, read, sum, text } from "../decimal.js";
import { amount } from "../figures.js";
import { html } from "../ui.js";
import { bare, isPositive, quote } from "./market.js";
import { heldAgainst, heldBack, positionState } from "./money.js";
import { useStore } from "./store.js";

const least = (one, other) => (compare(read(one), read(other)) < 0 ? one : other);
const minus = (one, other) => text(difference(read(one), read(other)));
const plus = (one, other) => text(sum(read(one), read(other)));

// A part of an amount: `amount` times `part` by `whole`, with eight decimals.
function shareOf(amount, part, whole) {
  const [a, p, w] = [amount, part, whole].map(read);
  const digits = (a.digits * p.digits * 10n ** BigInt(8 + w.places)) / (w.digits * 10n ** BigInt(a.places + p.places));
  return text({ digits, places: 8 });
}

// A buy's claims: those that close pairs at once, those that do when the rest trades, and those that stay. Claims of the other outcome that
// a sale holds pair with none.
export function claimsBought({ executed, rests }, held) {
  const bought = plus(executed, rests);
  const now = least(held, executed);
  const later = least(minus(held, now), rests);
  return { bought, now, later, stay: minus(bought, plus(now, later)) };
}

const other = ({ outcome }) => (outcome === "no" ? "Yes" : "No");

function Pairs({ claims: { now, later }, of, Row }) {
  const pairs = plus(now, later);
  if (!isPositive(pairs)) return null;
  const when = isPositive(later) ? (isPositive(now) ? `${amount(bare(later))} of them when the rest trades` : "when it trades") : "at once";
  return html`<${Row} name="pairs" label=${`Closes pairs with ${other(of)}`} value=${bare(pairs)} shown=${amount} />
    <dt>A pair pays</dt><dd data-preview="pairs_paid">1 <small>${quote}</small>, ${when}</dd>`;
}

// The claims that stay: what they pay if their outcome comes, and what was paid for them.
function Stay({ claims: { bought, stay }, shown, Row }) {
  if (!isPositive(stay)) return null;
  const paid = text([shown.cost, shown.fee, shown.hold].filter(Boolean).map(read).reduce(sum, read("0")));
  const lost = shareOf(paid, stay, bought);
  const even = shareOf(lost, "100", stay);
  return html`<${Row} name="payout" label="Pays if it comes true" value=${bare(stay)} unit=${quote} />
    <${Row} name="most_lost" label="Most that is lost" value=${bare(lost)} unit=${quote} />
    <${Row} name="break_even" label="Breaks even from" value=${bare(even)} unit="%" shown=${(words) => amount(words, 2)} />`;
}

function Held({ stay, of }) {
  const back = heldBack(of.outcome === "no" ? "yes" : "no");
  if (!isPositive(back) || !isPositive(stay)) return null;
  return html`<dt>On hold</dt><dd data-preview="on_hold" data-value=${back}>${amount(bare(back))} ${other(of)} by your sale: they pair once
    it is cancelled</dd>`;
}

export function Claims({ shown, Row }) {
  const positions = useStore(positionState);
  if (!shown.payout || shown.of.side !== "buy") return null;
  if (positions.kind === "error") return html`<dt>Payout</dt><dd data-preview="unread">not known: your claims cannot be read</dd>`;
  const claims = claimsBought(shown, heldAgainst(shown.of.outcome));
  return html`<${Pairs} claims=${claims} of=${shown.of} Row=${Row} /><${Stay} claims=${claims} shown=${shown} Row=${Row} />
    <${Held} stay=${claims.stay} of=${shown.of} />`;
}
