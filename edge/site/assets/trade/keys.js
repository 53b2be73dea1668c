// The keys of the trading page, and its acts for the palette.
import { whole } from "../figures.js";
import { bind } from "../keyboard.js";
import { url } from "../page.js";
import { offer } from "../palette.js";
import { askCancelAll, askMove } from "./ask.js";
import { arm, isArmed } from "./arm.js";
import { draft, edit, isSheetOpen, outcome } from "./draft.js";
import { ladder } from "./ladder-panel.js";
import { base, market, shownPrice, symbol } from "./market.js";
import { chosen, orders, ownOrders } from "./orders.js";
import { cancel, cancelSymbol } from "./send.js";
import { amounts, change } from "./settings.js";
import { sendNow } from "./ticket.js";

// Goes to the field that is written next: the price, or the amount of a market order. What it holds is written over.
function toField() {
  /** @type {HTMLInputElement} */
  const field = document.querySelector(draft.get().type === "market" ? "#ticket-amount" : "#ticket-price");
  field?.focus();
  field?.select();
}

const side = (name) => () => {
  edit({ side: name });
  isSheetOpen.set(true);
  toField();
};
const type = (name) => () => {
  edit({ type: name });
  toField();
};

function neighbour(by) {
  const list = market.markets ?? [];
  const at = list.findIndex((one) => one.symbol === symbol);
  if (at < 0) return;
  location.assign(url(`/trade/${list[(at + by + list.length) % list.length].symbol}`));
}

function withChosen(act, again) {
  const id = chosen.get();
  if (orders.get().has(id)) act(id);
  else chooseNewest(again);
}

// Without a chosen order a key chooses the newest one, in sight, and acts when it is pressed again.
function chooseNewest(again) {
  const newest = ownOrders().filter((order) => !order.isUnknown).at(-1);
  if (!newest) return outcome.set({ isGood: false, words: `No order stands in ${symbol.toUpperCase()}.` });
  chosen.set(newest.id);
  const what = `${newest.side === "buy" ? "Buy" : "Sell"} ${whole(newest.remaining)} ${base} at ${shownPrice(newest.price)}`;
  return outcome.set({ isGood: true, words: `The newest order is chosen: ${what}. ${again}` });
}

function preset(at) {
  const amount = amounts()[at];
  if (amount) edit({ amount, total: "" });
}

function leave() {
  isSheetOpen.set(false);
  /** @type {HTMLElement} */ (document.activeElement)?.blur?.();
}

export function startKeys() {
  bind("Trading", [
    { keys: "B", id: "buy", words: "Buy", act: side("buy") },
    { keys: "S", id: "sell", words: "Sell", act: side("sell") },
    { keys: "L", id: "limit", words: "Limit order", act: type("limit") },
    { keys: "M", id: "market", words: "Market order", act: type("market") },
    { keys: "T", id: "stop", words: "Stop-limit order", act: type("stop-limit") },
    ...[1, 2, 3, 4, 5].map((at) => ({ keys: String(at), id: `amount-${at}`, words: `Preset amount ${at}`, act: () => preset(at - 1) })),
    { keys: "Enter", id: "send", words: "Send the order", act: sendNow },
    { keys: "Esc", id: "leave", words: "Leave the ticket", act: leave, isHidden: true },
    { keys: "X", id: "cancel", words: "Cancel the chosen order", act: () => withChosen(cancel, "Press the key again to cancel it.") },
    { keys: "Shift+X", id: "cancel-symbol", words: `Cancel all orders of ${symbol.toUpperCase()}`, act: cancelSymbol },
    { keys: "C", id: "centre", words: "Centre the ladder", act: () => ladder.get()?.center() },
    { keys: "[", id: "previous", words: "Previous market", act: () => neighbour(-1) },
    { keys: "]", id: "next", words: "Next market", act: () => neighbour(1) },
  ]);
  offer([
    { words: "Move the chosen order", act: () => withChosen((id) => askMove(id), "Choose the act again to move it.") },
    { words: "Cancel all orders of the account", act: askCancelAll },
    { words: "Arm or disarm one-click trading", act: () => arm(!isArmed.get()) },
    ...[["simple", "Simple"], ["pro", "Pro"], ["ladder", "Ladder"]].map(([preset, words]) =>
      ({ words: `Layout: ${words}`, act: () => change({ preset, hidden: [] }) })),
  ]);
}
