// What stands above the ticket while a market does not take every order.
import { getPublic } from "../call.js";
import { watch } from "../socket.js";
import { html, useEffect } from "../ui.js";
import { preview } from "./draft.js";
import { isContract, market, symbol } from "./market.js";
import { outcome } from "./send.js";
import { store, useStore } from "./store.js";

const EVERY = 15_000;
const WORDS = {
  closed: ["Closed", "No orders are taken."],
  cancel_only: ["Cancel only", "Orders can be cancelled, none can be placed."],
  post_only: ["Post only", "Orders that would trade at once are refused."],
  limit_only: ["Limit only", "Market orders are refused."],
};
// A halt of the whole exchange has no call that tells it: what is refused says so.
const HALTED = /trading is halted/i;
const haltOf = (words) => (words && HALTED.test(words) ? words : "");

export const status = store(market.status);

async function read() {
  if (document.hidden) return;
  try {
    const details = await getPublic(`/v1/symbols/details/${symbol}`);
    status.set(details.status);
  } catch {
    // The last status stands; an order that is refused says why.
  }
}

function useStatus() {
  useEffect(() => {
    if (isContract) {
      return watch(["contractStatus"], { onFrame: (frame) => frame.s.toLowerCase() === symbol && status.set(openOf(frame.n)) });
    }
    const timer = setInterval(read, EVERY);
    return () => clearInterval(timer);
  }, []);
  return useStore(status);
}
const openOf = (name) => (name === "active" || name === "Active" ? "open" : name);

export function Status() {
  const now = useStatus();
  const previewed = useStore(preview, (shown) => haltOf(shown?.message));
  const answered = useStore(outcome, (told) => haltOf(told?.isGood === false && told.words));
  const refusal = previewed || answered;
  const [title, words] = WORDS[now] ?? [now, "No orders are taken."];
  if (refusal) return html`<p class="notice bad market-status" role="status" data-status="halted">${refusal}</p>`;
  return now !== "open" && html`<p class="notice market-status" role="status" data-status=${now}><b>${title}.</b> ${words}</p>`;
}
