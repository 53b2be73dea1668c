// The acts of this page: the call of each, and sentences that say what it does.
import { html } from "../ui.js";

const field = (choose) => (event) => choose({ [event.currentTarget.name]: event.currentTarget.value });

const TRADING_HALT = [
  "New orders, wraps and instant orders are refused from now on, on every symbol.",
  "Auctions that fall due and stop orders that are triggered wait.",
  "Cancels, expiries and reads go on.",
  "Proposals to resume are withdrawn. The halt outlives restarts, until trading is resumed.",
];
const TRADING_RESUME = [
  "Auctions and stop orders that waited run first, in their order.",
  "Then every symbol takes orders again as its own status allows.",
];

export const haltTrading = () => ({
  title: "Halt trading", path: "/site/operator/halt", body: {}, does: TRADING_HALT, word: "Halt trading", isGrave: true,
});
export const resumeTrading = () => ({
  title: "Resume trading", path: "/site/operator/resume", body: {}, does: TRADING_RESUME, word: "Resume trading", isGuarded: true,
});
export const haltWithdrawals = () => ({
  title: "Halt withdrawals", path: "/site/operator/halt", body: { scope: "withdrawals" }, word: "Halt withdrawals", isGrave: true,
  does: ["New withdrawals of every currency are refused from now on.",
    "Those that were accepted and are not signed yet wait. What is signed goes on.",
    "Trading and deposits go on."],
});
export const resumeWithdrawals = () => ({
  title: "Resume withdrawals", path: "/site/operator/resume", body: { scope: "withdrawals" }, word: "Resume withdrawals", isGuarded: true,
  does: ["Withdrawals that waited leave.", "New ones are taken again, except of assets that are halted by themselves."],
});
export const resumeAsset = (currency) => ({
  title: `Resume ${currency}`, path: "/site/operator/resume", body: { scope: "asset", currency },
  word: `Resume ${currency}`, isGuarded: true,
  does: [`Deposits of ${currency} are credited again, and withdrawals of it that waited leave.`],
});

function AssetForm({ chosen, choose }) {
  return html`<div class="field"><label for="currency">Asset</label>
    <input id="currency" name="currency" required autofocus maxlength="20" autocomplete="off" autocapitalize="characters"
      value=${chosen.currency} onInput=${field(choose)} /></div>`;
}
export const haltAsset = () => ({
  title: "Halt an asset", path: "/site/operator/halt", Form: AssetForm, chosen: { currency: "" }, word: "Halt the asset", isGrave: true,
  fields: ({ currency }) => ({ scope: "asset", currency: currency.trim().toUpperCase() }),
  does: ({ currency }) => {
    const name = currency.trim().toUpperCase() || "the asset";
    return [`Deposits of ${name} wait, and withdrawals of it are refused.`,
      "Those that were accepted and are not signed yet wait too.", "Its trading goes on."];
  },
});

// The statuses of a symbol, in the order from the widest to the narrowest.
export const STATUSES = {
  open: { words: "Open", kind: "good", does: "It takes every kind of order." },
  limit_only: { words: "Limit only", kind: "warn", does: "It takes limit and stop-limit orders and refuses market orders." },
  post_only: { words: "Post only", kind: "warn", does: "It takes orders that rest and refuses those that would trade at once." },
  cancel_only: { words: "Cancel only", kind: "warn", does: "It takes no new order; cancels go on, and live orders stay." },
  closed: { words: "Closed", kind: "bad", does: "It takes no order, and all its live orders are cancelled at once." },
};

function StatusForm({ chosen, choose }) {
  return html`<div class="field"><label for="status">New status</label>
    <select id="status" name="status" autofocus value=${chosen.status} onChange=${field(choose)}>
      ${Object.entries(STATUSES).map(([status, { words }]) => html`<option key=${status} value=${status}>${words}</option>`)}
    </select></div>`;
}
export const setStatus = (symbol, status) => ({
  title: `Status of ${symbol}`, path: "/site/operator/symbols/status", Form: StatusForm, chosen: { status },
  word: "Set the status", isGuarded: true,
  fields: (chosen) => ({ symbol, status: chosen.status }),
  does: (chosen) => [
    chosen.status === status ? `${symbol} stays ${STATUSES[status].words.toLowerCase()}.`
      : `${symbol} goes from ${STATUSES[status].words.toLowerCase()} to ${STATUSES[chosen.status].words.toLowerCase()}.`,
    STATUSES[chosen.status].does,
  ],
});

export const approve = ({ proposal, what, who }) => ({
  title: `Approve proposal ${proposal}`, path: "/site/operator/approve", body: { proposal }, word: "Approve", isApproval: true,
  does: [`It runs at once what ${who} proposed: ${what}`,
    "It is judged again as things stand now, and refused if it is not possible any more."],
});

function ReviewForm({ chosen, choose }) {
  return html`${chosen.isById && html`<div class="field"><label for="client_id">Client id of the app</label>
      <input id="client_id" name="client_id" required autofocus autocomplete="off" spellcheck="false" value=${chosen.client_id}
        onInput=${field(choose)} /></div>`}
    <div class="field"><label for="review">The app may act</label>
      <select id="review" name="review" autofocus=${!chosen.isById} value=${chosen.review} onChange=${field(choose)}>
        <option value="on">for every user</option><option value="off">for its owner alone</option></select></div>
    <label class="check"><input type="checkbox" name="implicit" checked=${chosen.implicit} disabled=${chosen.review === "off"}
      onChange=${(event) => choose({ implicit: event.currentTarget.checked })} /> Its implicit flow is on</label>`;
}
const reviewDoes = (name) => ({ review, implicit }) => review === "on"
  ? [`Every user can allow ${name} to act within the scopes that it asks for.`,
    implicit ? "It gets access tokens in the browser's address, without a code."
      : "It gets access tokens for codes alone; what it had by the implicit flow ends."]
  : [`${name} can act for its owner alone.`, "What other users have granted it ends at once."];
const review = (name, chosen) => ({
  title: `Review of ${name}`, path: "/site/operator/apps/review", Form: ReviewForm, word: "Save the review", isGuarded: true, chosen,
  does: reviewDoes(name),
  fields: ({ client_id, review: word, implicit }) =>
    ({ client_id: client_id.trim(), approved: word === "on", implicit: word === "on" && implicit }),
});
export const reviewApp = (app) => review(app.name, { client_id: app.client_id, review: "on", implicit: app.implicit, isById: false });
export const reviewById = () => review("an app", { client_id: "", review: "off", implicit: false, isById: true });
