// Faults that belong to no region of a page: each stands above the page's main part as long as it lasts, and is read aloud.
import { html, render } from "./ui.js";

const faults = new Map();
let place = null;

const Faults = () => html`<div class="notice faults" role="status">${[...faults].map(([name, words]) => html`<p key=${name}
  data-fault=${name}>${words}</p>`)}</div>`;

// Shows a fault under a name, or with no words ends it.
export function showFault(name, words) {
  if ((faults.get(name) ?? "") === words) return;
  if (words) faults.set(name, words);
  else faults.delete(name);
  if (!place) {
    place = document.createElement("div");
    document.getElementById("main").before(place);
  }
  render(faults.size ? html`<${Faults} />` : null, place);
}
