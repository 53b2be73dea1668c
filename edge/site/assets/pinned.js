// The word that an operator holds an index at a price. Prices that follow nothing look like a market that stands still.
import { useAct } from "./act.js";
import { post } from "./call.js";
import { decimalsOf } from "./figures.js";
import { isSandbox } from "./page.js";
import { Average, html, SendButton } from "./ui.js";

// `pinned` is the currency and its price; none if no index is held. A sandbox has the way out, after which `onReleased` reads again.
export function Pinned({ pinned, className = "", onReleased }) {
  const act = useAct();
  if (!pinned) return null;
  const release = () => act.run(async () => {
    await post(`/sandbox/index/${pinned.currency}`, { pinned: false });
    await onReleased();
  });
  return html`<div class="notice ${className}" role="status" data-pinned=${pinned.currency}><p><b>The index of ${pinned.currency} is pinned</b> at
    ${" "}<${Average} text=${pinned.price} places=${decimalsOf(`${pinned.currency}usd`)} unit="USD" />: marks do not follow the market until it is released.</p>
    ${isSandbox() && html`<${SendButton} type="button" className="small" value="unpin" isBusy=${act.isBusy} onClick=${release}>Release it</${SendButton}>`}
    ${act.failure && html`<p class="down" role="alert">${act.failure.message}</p>`}</div>`;
}
