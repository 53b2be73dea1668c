// The terms of prediction markets: read and accepted in place, since no order is taken before.
import { call, getPublic } from "../call.js";
import { signInUrl } from "../page.js";
import { SendButton, announce, html, useLoaded, useState, warn } from "../ui.js";
import { when } from "./times.js";

const PATH = "/v1/prediction-markets/terms";

async function load() {
  const [terms, status] = await Promise.all([getPublic(PATH), call(`${PATH}/status`)]);
  return { ...terms, isAccepted: status.hasAcceptedLatest, before: status.acceptedVersion };
}

// Asks for what a signed-in user has not accepted yet; nothing stands here otherwise.
export function Terms() {
  const [, terms, reload] = useLoaded(load);
  const [failure, setFailure] = useState(null);
  const [isBusy, setBusy] = useState(false);
  if (!terms || terms.isAccepted) return null;
  const accept = async () => {
    setBusy(true);
    try {
      await call(`${PATH}/accept`);
      announce("The terms are accepted. You can trade contracts now.");
      await reload();
    } catch (refused) {
      setFailure(refused);
      warn(refused.message);
    }
    setBusy(false);
  };
  return html`<section class="panel terms" data-region="terms" data-state="live" aria-labelledby="terms-title">
    <header class="panel-head"><h2 id="terms-title">${terms.before ? "The terms have changed" : "Terms of prediction markets"}</h2>
      <p class="note">Version ${terms.version}, ${when(terms.updatedAt)}</p></header>
    <div class="padded">
      <p class="terms-text" tabindex="0" role="region" aria-label="The text of the terms">${terms.content}</p>
      <div class="terms-end"><p
        class="note">Accept them once for your group, and its accounts can trade contracts. Until then orders are refused.</p>
        <${SendButton} type="button" className="main" name="accept" isBusy=${isBusy}
          onClick=${accept}>Accept the terms</${SendButton}></div>
      ${failure && html`<p class="failure" role="alert">${failure.message}${failure.reason === "CodeRequired"
        && html` <a class="button" href=${signInUrl("code")}>Give a new code</a>`}</p>`}
    </div>
  </section>`;
}
