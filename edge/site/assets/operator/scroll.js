// A table that may be larger than its panel: it scrolls within, by the keyboard too.
import { html } from "../ui.js";

export const Scroll = ({ label, children }) => html`<div class="scroll tall" tabindex="0" role="region" aria-label=${label}>${children}
  </div>`;
