// A table that may be larger than its panel: it scrolls within, by the keyboard too. `shown` and `total` count its rows (`lists.js`).
import { Rest, marksOf } from "../lists.js";
import { html } from "../ui.js";

export const Scroll = ({ label, shown, total = shown, rest = {}, children }) => html`<div class="scroll tall" tabindex="0" role="region"
  aria-label=${label} ...${marksOf(label, shown, total)}>${children}</div><${Rest} shown=${shown} total=${total} ...${rest} />`;
