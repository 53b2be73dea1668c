// Prices and states of contracts as people read them. All sums are exact.
import { difference, product, read, sum, text } from "../decimal.js";
import { placesOf, price as shown, roundedTo, trimmed } from "../figures.js";

const hundredfold = (price) => trimmed(text(product(read(price), read("100"))));

// A price in dollars as cents, with the decimals of its market.
export const cents = (price) => `${roundedTo(text(product(read(price), read("100"))), Math.max(0, placesOf(price) - 2))}¢`;

// A chance between 0 and 1 in per cent, rounded to one decimal at most.
export const percent = (chance) => `${trimmed(roundedTo(hundredfold(chance), 1))} %`;

// The price of the other outcome: both together pay a dollar.
export const opposite = (price) => text(difference(read("1"), read(price)));

export const spread = (bid, ask) => text(difference(read(ask), read(bid)));

const middle = (bid, ask) => text(product(sum(read(bid), read(ask)), read("0.5")));

// The chance that the market sees in a contract: the middle of its quotes, else its last trade.
/** @param {{ bid?: string, ask?: string, last?: string }} quotes */
export function chance({ bid, ask, last }) {
  if (bid && ask) return { value: middle(bid, ask), from: `The middle of ${cents(bid)} bid and ${cents(ask)} asked` };
  return last ? { value: last, from: "The last trade; there are no quotes on both sides" } : null;
}

// An amount without the zeros at its end.
export const plain = (amount) => trimmed(amount);

const STATUSES = {
  approved: { words: "Opens later", kind: "" },
  active: { words: "Open", kind: "good" },
  closed: { words: "Closed", kind: "" },
  under_review: { words: "Being resolved", kind: "warn" },
  settled: { words: "Settled", kind: "" },
  invalid: { words: "Void", kind: "bad" },
};

// Where an event stands, in words. An open one that takes no orders was halted.
export function standing({ status, contracts }) {
  const isHalted = status === "active" && contracts.every((contract) => contract.marketState === "closed");
  return isHalted ? { words: "Halted", kind: "bad" } : (STATUSES[status] ?? { words: status, kind: "" });
}

const STRIKES = {
  reference: "Reference", above: "Above", spread: "Spread", over: "Over", over_or_equal: "At or over",
  under: "Under", under_or_equal: "At or under",
};

// An event's strike, in words.
export const strike = ({ type, value }) => `${STRIKES[type] ?? type}: ${value === null ? "not public yet" : shown(value)}`;
