// The account of this tab among those of the user's group: their list in the menu, links that keep the tab's account, and notices.
import { chooseAccount, onAccountChosen } from "./call.js";
import { showFault } from "./faults.js";
import { keep, kept } from "./kept.js";
import { addressOf, data, keepAccount, ofTab } from "./page.js";
import { html, render } from "./ui.js";

const openMoves = async () => (await import("./move-money.js")).open();

// Where this tab keeps the word of a choice that failed for the page that follows.
const PLACE = "account-choice";

// A tab that goes to another account also makes it the one of pages that name none. The link leads there whether that is known or not.
async function choose(number) {
  try {
    await chooseAccount(number, { keepalive: true });
    keep(PLACE, "");
  } catch (failure) {
    keep(PLACE, `Pages that are opened anew go on with the account that was chosen before, not with ${nameOf(number)}. ${failure.message}`);
    showFault(PLACE, kept(PLACE));
  }
}

const Other = ({ number, name, kind }) => html`<li key=${number}><a href=${addressOf(number)} data-account=${number}
  aria-current=${number === data.user.number ? "true" : undefined}
  onClick=${() => choose(number)}>${name}${kind !== "exchange" && html` <small class="soft">${kind}</small>`}</a></li>`;

// The accounts that this tab can go on with, and the way to move money between them.
export function Accounts() {
  const all = data.user.numbered;
  if (all.length < 2) return null;
  return html`<div class="accounts"><h3 id="accounts-title">Accounts</h3>
    <ul aria-labelledby="accounts-title">${all.map((one) => html`<${Other} ...${one} />`)}</ul>
    <button type="button" name="move-money" onClick=${openMoves}>Move money …</button></div>`;
}

// The name of an account as this page knows it.
const nameOf = (number) => data.user.numbered.find((one) => one.number === number)?.name ?? `number ${number}`;

const OtherAccount = ({ number }) => html`<div class="notice other-account" role="status">
  <p>Another account is chosen in another tab: <b>${nameOf(number)}</b>. This tab goes on with <b>${data.user.account ?? "none"}</b>.</p>
  <a class="button" href=${addressOf(number)}>Go to ${nameOf(number)}</a></div>`;

const Unknown = () => html`<div class="notice other-account" role="alert">
  <p>The address names account ${data.user.unknown_account}, which is no open account of yours. This page shows
    ${" "}<b>${data.user.account ?? "none"}</b>.</p></div>`;

// Links that the page did not make of `url` keep the tab's account too.
function keepInLinks({ target }) {
  const link = target.closest?.("a[href^='/']");
  if (!link) return;
  const path = link.getAttribute("href");
  if (ofTab(path) !== path) link.setAttribute("href", ofTab(path));
}

// Says when another tab chose another account. This one goes on with its own, loaded again too, for it may show a secret that is shown
// once, or have an order under way.
export function startAccount() {
  showFault(PLACE, kept(PLACE) ?? "");
  keep(PLACE, "");
  const place = document.createElement("div");
  document.getElementById("main").before(place);
  if (data.user.unknown_account) render(html`<${Unknown} />`, place);
  onAccountChosen((number) => {
    keepAccount();
    render(number === data.user.number ? null : html`<${OtherAccount} number=${number} />`, place);
  });
  for (const kind of ["pointerdown", "click", "contextmenu"]) addEventListener(kind, keepInLinks, true);
}
