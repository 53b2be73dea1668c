// Small parts of panels: one that opens, and the head of a table.
import { html } from "../ui.js";

export const More = ({ title, children, isOpen = false }) => html`<details class="more" open=${isOpen}>
  <summary>${title}</summary><div class="padded">${children}</div></details>`;

// Columns by their names; those of `numbers` stand to the right. The last column has buttons.
export const Head = ({ names, numbers = [] }) => html`<thead><tr>
  ${names.map((name) => html`<th key=${name} scope="col" class=${numbers.includes(name) ? "number" : ""}>${name}</th>`)}
  <th><span class="unseen">Acts</span></th></tr></thead>`;
