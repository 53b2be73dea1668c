// Why the exchange itself placed orders of the account, by order: "liquidation" or "deleveraging". The interface's trades do not say so; a call
// of the page names those that are past, and the page's news name those that come.
import { getOwn } from "../call.js";
import { showFault } from "../faults.js";
import { news, onChange } from "../notices/feed.js";
import { store } from "./store.js";

export const forced = store(new Map());

function add(orders) {
  const found = orders.filter(({ order_id: id, forced: why }) => why && forced.get().get(String(id)) !== why);
  if (found.length === 0) return;
  forced.set(new Map([...forced.get(), ...found.map(({ order_id: id, forced: why }) => [String(id), why])]));
}

// Reads the orders that are past. Trades stand without the word while they cannot be read, and the page says so.
export async function loadForced() {
  try {
    add((await getOwn("/site/forced")).orders);
    showFault("forced", "");
  } catch (failure) {
    showFault("forced", `Fills do not show which of them are liquidations. ${failure.message}`);
  }
}

onChange(() => add(news.rows));
