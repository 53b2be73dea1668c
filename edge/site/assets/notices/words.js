// The news of an account, as sentences. A row is one of `/site/notices`; `tone` is "good", "bad" or "".
import { money, price, trimmed, whole } from "../figures.js";
import { endOf } from "../reasons.js";
import { moment } from "../time.js";

// A stop-limit order that ends for one of these has been triggered before.
const TRIGGERED = ["SelfCrossPrevented", "ExceedsPriceLimits", "Uncovered"];

const MONEY = {
  deposit: ["Deposit arrived", "Deposit returned to its sender"], withdrawal: ["Withdrawal came back", "Withdrawal completed"],
  transfer: ["Moved to this account", "Moved from this account"], interest: ["Interest returned", "Interest for what is borrowed"],
  funding: ["Funding received", "Funding paid"], liquidation: ["Paid to the account in its liquidation", "Taken by the liquidation"],
  custody_fee: ["Custody fee returned", "Custody fee"], repayment: ["Repaid to the account", "Repaid by the account"],
  adjustment: ["Credited by the exchange", "Debited by the exchange"], break: ["Returned for a broken trade", "Taken for a broken trade"],
  clearing: ["Settled in clearing", "Settled in clearing"], redemption: ["Unstaked", "Unstaked"],
  staking_interest: ["Interest of the stake", "Interest of the stake"], payout: ["A contract was paid", "A contract was settled"],
  refund: ["A contract was void and paid back", "A contract was void"], reward: ["Reward", "Reward taken back"],
};

// Prices come with the decimals of their market.
const size = ({ amount, base, outcome }) => `${whole(amount)} ${outcome ? `${outcome} ` : ""}${base}`;
const limit = ({ price: at, currency }) => (at ? ` at ${price(at)} ${currency}` : "");
export const leftOf = (row) => `${whole(row.left)} ${row.base} left`;
// Money without the zeros at its end. Dollars have two decimals.
const sum = (words, currency) => `${money(trimmed(words), currency)} ${currency}`;
export const WHY_LIQUIDATED = "What the account had no longer covered its positions and debts, so the exchange closed them.";
const done = ({ side }) => (side === "buy" ? "Bought" : "Sold");
const meant = ({ side }) => (side === "buy" ? "buy" : "sell");

function ofFill(row) {
  const what = `${size(row)}${limit(row)} (${row.symbol})`;
  const fee = /[1-9]/.test(row.fee ?? "") ? `, fee ${sum(row.fee, row.currency)}` : "";
  if (row.forced === "liquidation") {
    return { tone: "bad", title: "Liquidation", line: `${done(row)} ${what}.`,
      words: `${done(row)} ${what}. ${leftOf(row)}. ${WHY_LIQUIDATED}` };
  }
  if (row.forced === "deleveraging") {
    return { tone: "bad", title: "Deleveraging", words: `${done(row)} ${what}: your position was closed against one that was liquidated and that
      nobody else took. ${leftOf(row)}.`.replace(/\s+/g, " ") };
  }
  const rest = row.whole ? "" : ", in part";
  const isTrigger = row.stop && !row.isTriggerTold;
  return { tone: "good", title: isTrigger ? "Stop triggered" : "Fill",
    words: `${done(row)} ${what}${fee}${rest}${isTrigger ? `. Its stop at ${price(row.stop)} was reached` : ""}.` };
}

function ofEnd(row) {
  const why = endOf(row.reason);
  const what = `to ${meant(row)} ${size(row)}${limit(row)} (${row.symbol})`;
  if (row.stop && TRIGGERED.includes(row.reason)) {
    return { tone: "bad", title: "Stop triggered, and cancelled",
      words: `The stop at ${price(row.stop)} was reached, but its order ${what} was cancelled, because ${why}.` };
  }
  const kind = row.stop ? `stop order at ${price(row.stop)}` : "order";
  return { tone: "bad", title: "Order cancelled", words: `Your ${kind} ${what} was cancelled, because ${why}.` };
}

const ofStop = (row) => ({ tone: "", title: "Stop triggered",
  words: `The stop at ${price(row.stop)} was reached: your order to ${meant(row)} ${size(row)}${limit(row)} (${row.symbol}) is in the book.` });

function ofMoney(row) {
  const isTaken = row.amount.startsWith("-");
  const [given, taken] = MONEY[row.reason] ?? Array(2).fill(row.reason.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase()));
  const amount = `${isTaken ? "−" : "+"}${sum(row.amount.replace("-", ""), row.currency)}`;
  return { tone: row.reason === "liquidation" ? "bad" : "", title: isTaken ? taken : given,
    words: `${amount}${row.symbol ? ` (${row.symbol})` : ""}` };
}

const OUTCOMES = { yes: "Yes", no: "No" };
const questionOf = ({ question, label }) => (label ? `${question} (${label})` : question);
const heldOf = (row) => `your ${whole(row.amount)} ${OUTCOMES[row.outcome]}`;

function ofSettled(row) {
  const [paid, cost] = [row.paid, row.cost].map((words) => money(words, row.currency));
  const isVoid = row.result === "void";
  const isLost = !isVoid && !/[1-9]/.test(row.paid);
  return { tone: isVoid ? "" : isLost ? "bad" : "good", title: isVoid ? "Contract void" : isLost ? "Contract lost" : "Contract won",
    words: `${questionOf(row)} ${isVoid ? "became void" : `was resolved ${OUTCOMES[row.result]}`}: ${heldOf(row)} pay ${paid} ${row.currency}, cost ${
      cost} ${row.currency}.` };
}

const ofResolved = (row) => ({ tone: "", title: "Outcome proposed",
  words: `${questionOf(row)} is to be resolved ${OUTCOMES[row.result]}: ${heldOf(row)} settle on ${moment(row.settles)} unless it is disputed.` });

const KINDS = { fill: ofFill, ended: ofEnd, stop: ofStop, money: ofMoney, settled: ofSettled, resolved: ofResolved };

// `{ title, words, tone }` of a row; of another account its name stands in the title. A row of the page's own has them.
export function wordsOf(row) {
  const found = row.words ? row : KINDS[row.kind](row);
  return row.account ? { ...found, title: `${found.title} in account ${row.account.name}` } : found;
}

// Where a row leads: to its market, to the statement, or to another account.
export function pathOf({ symbol, kind, account }) {
  const own = symbol && kind !== "money" ? `/trade/${symbol.toLowerCase()}` : kind === "money" ? "/account/statement" : "";
  return account ? `${own || "/account"}?account=${account.number}` : own;
}
