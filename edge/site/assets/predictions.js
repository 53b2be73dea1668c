// Prediction markets: the events and their prices, and for a user who trades the terms, open positions and settled ones.
import { usePreference } from "./shell.js";
import { data, isSignedIn, signInUrl, url } from "./page.js";
import { Events } from "./predictions/events.js";
import { Positions, Settled } from "./predictions/positions.js";
import { Terms } from "./predictions/terms.js";
import { html, render, useRef, useState } from "./ui.js";

const TABS = [
  { id: "events", words: "Events", Part: Events },
  { id: "positions", words: "Your positions", Part: Positions },
  { id: "settled", words: "Settled positions", Part: Settled },
];

// An operator has no account and does not trade.
const canTrade = () => isSignedIn() && !data.user.is_operator;

function Tabs({ chosen, choose }) {
  const list = useRef(null);
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = TABS[(TABS.findIndex(({ id }) => id === chosen) + step + TABS.length) % TABS.length].id;
    choose(next);
    list.current.querySelector(`#tab-${next}`).focus();
  };
  return html`<div role="tablist" aria-label="Parts" ref=${list} onKeyDown=${move}>${TABS.map(({ id, words }) => html`<button type="button"
    role="tab"
    key=${id} id=${`tab-${id}`} aria-selected=${chosen === id} aria-controls="part" tabindex=${chosen === id ? 0 : -1}
      onClick=${() => choose(id)}>${words}</button>`)}</div>`;
}

function SignInNote() {
  if (isSignedIn()) return null;
  return html`<p class="note">Each contract pays a dollar for the right outcome and nothing for the other.${" "}
    <a href=${signInUrl()}>Sign in</a> to trade and to see your positions, or <a href=${url("/signup")}>sign up</a>.</p>`;
}

function App() {
  usePreference("zone", "UTC");
  const [chosen, choose] = useState(TABS[0].id);
  if (!canTrade()) return html`<${SignInNote} /><${Events} />`;
  const { Part } = TABS.find(({ id }) => id === chosen);
  return html`<${Terms} /><${Tabs} chosen=${chosen} choose=${choose} />
    <div id="part" class="part" role="tabpanel" aria-labelledby=${`tab-${chosen}`}><${Part} /></div>`;
}

render(html`<${App} />`, document.getElementById("app"));
