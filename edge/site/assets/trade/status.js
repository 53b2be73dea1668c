// The line above the ticket while a market does not take every order, or the whole exchange is halted.
import { get } from "../call.js";
import { Pinned } from "../pinned.js";
import { watch } from "../socket.js";
import { html, useEffect, Whole } from "../ui.js";
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
// Why the status cannot be read, as a sentence. One lost answer is no news: the next one comes soon.
const fault = store("");
let failures = 0;

async function read() {
  if (document.hidden) return;
  try {
    const now = await get(`/site/status/${symbol}.json`);
    failures = 0;
    fault.set("");
    status.set(now.status);
    isHalted.set(now.halted);
    if (JSON.stringify(now.pinned) !== JSON.stringify(pinned.get())) pinned.set(now.pinned);
  } catch (failure) {
    failures += 1;
    if (failures > 1) fault.set(failure.message);
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

// The word of a pinned index, which a narrow screen has above the panels too, since its ticket is closed at first.
export const Held = () => html`<${Pinned} pinned=${useStore(pinned)} className="market-status" onReleased=${read} />`;

function Doubt() {
  const why = useStore(fault);
  return why && html`<p class="note market-status" role="status" data-fault="status">Which orders this market takes cannot be read now, so it
    may have changed. An order that it does not take is refused, and says why. ${why}</p>`;
}

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
    return html`<${Held} /><${Doubt} /><p class="notice bad market-status" role="status" data-status="halted"><b>Trading is halted.</b> The exchange takes no
      orders until it resumes. Orders that stand can be cancelled.</p>`;
  }
  return html`<${Held} /><${Doubt} />${now !== "open" && html`<p class="notice market-status" role="status" data-status=${now}><b><${Whole} text=${`${title}.`} /></b>
    ${" "}<${Whole} text=${words} /></p>`}`;
}
