// The line above the ticket while a market does not take every order, or the whole exchange is halted.
import { get } from "../call.js";
import { Pinned } from "../pinned.js";
import { watch } from "../socket.js";
import { html, useEffect } from "../ui.js";
import { preview } from "./draft.js";
import { isContract, market, symbol } from "./market.js";
import { outcome } from "./send.js";
import { store, useStore } from "./store.js";

const EVERY = 4_000;
const WORDS = {
  closed: ["Closed", "No orders are taken."],
  cancel_only: ["Cancel only", "Orders can be cancelled, none can be placed."],
  post_only: ["Post only", "Orders that would trade at once are refused."],
  limit_only: ["Limit only", "Market orders are refused."],
};
// Refusals after which the status is asked for at once.
const REFUSED = /trading is halted|is closed|not open|only/i;

export const status = store(market.status);
const isHalted = store(Boolean(market.halted));
// The currency whose index an operator holds at a price, and that price.
const pinned = store(market.pinned ?? null);

async function read() {
  if (document.hidden) return;
  try {
    const now = await get(`/site/status/${symbol}.json`);
    status.set(now.status);
    isHalted.set(now.halted);
    if (JSON.stringify(now.pinned) !== JSON.stringify(pinned.get())) pinned.set(now.pinned);
  } catch (failure) {
    // The last status stands; an order that is refused says why.
    console.info(failure.message);
  }
}

function useStatus() {
  useEffect(() => {
    const onFrame = (frame) => frame.s.toLowerCase() === symbol && read();
    const stop = isContract ? watch(["contractStatus"], { onFrame }) : () => {};
    const timer = setInterval(read, EVERY);
    document.addEventListener("visibilitychange", read);
    return () => {
      stop();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", read);
    };
  }, []);
  return useStore(status);
}

const Held = () => html`<${Pinned} pinned=${useStore(pinned)} className="market-status" onReleased=${read} />`;

const refusalOf = (words) => (words && REFUSED.test(words) ? words : "");

export function Status() {
  const now = useStatus();
  const halted = useStore(isHalted);
  const previewed = useStore(preview, (shown) => refusalOf(shown?.message));
  const answered = useStore(outcome, (told) => refusalOf(told?.isGood === false && told.words));
  useEffect(() => {
    if (previewed || answered) read();
  }, [previewed, answered]);
  const [title, words] = WORDS[now] ?? [now, "No orders are taken."];
  if (halted) {
    return html`<${Held} /><p class="notice bad market-status" role="status" data-status="halted"><b>Trading is halted.</b> The exchange takes no
      orders until it resumes. Orders that stand can be cancelled.</p>`;
  }
  return html`<${Held} />${now !== "open" && html`<p class="notice market-status" role="status" data-status=${now}><b>${title}.</b> ${words}
    </p>`}`;
}
