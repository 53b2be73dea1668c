// Lists that may show a part. This module alone cuts lists, and what cuts one says so on the page: how many are shown, of how many, and the
// way to the rest. Checks of the browser read the marks of each list, and `cargo xtask tidy` finds lists that are cut elsewhere.
import { count } from "./figures.js";
import { ActButton, html, useState, Whole } from "./ui.js";

// The first entries of a list.
export const part = (items, most) => items.slice(0, most);

// Its last entries.
export const newest = (items, most) => items.slice(-most);

// The marks of the element that holds a list. `total` is how many there are; "more" where the exchange does not say how many more.
export const marksOf = (name, shown, total = shown) => ({ "data-list": name, "data-shown": shown, "data-total": total });

// A list whose next part is shown by a button: `[shown, more]`.
export function usePart(items, step) {
  const [most, setMost] = useState(step);
  return [part(items, most), () => setMost(most + step)];
}

// Says that a list shows a part, and leads to the rest: `onMore` shows more of it, `link` is `{ href, words }`. Nothing if it is whole. Where
// the total is "more", `known` is how many there are at least; without it the newest are shown. `done` says what is done with the part.
export function Rest({ shown, total = shown, known, what = "", done = "shown", onMore, link, isBusy = false }) {
  const isOpen = total === "more";
  if (!isOpen && shown >= total) return null;
  const words = isOpen && known === undefined ? `The newest ${count(shown)} ${what} are ${done}.`
    : `${count(shown)} of ${isOpen ? `at least ${count(known)}` : count(total)} ${what} are ${done}.`;
  return html`<p class="list-rest" data-rest><span role="status"><${Whole} text=${words.replace(/ +/g, " ")} /></span>
    ${onMore && html`<${ActButton} type="button" className="small" value="more" isBusy=${isBusy} isRepeatable onClick=${onMore}>${
      isBusy ? "Loading …" : "Show more"}</${ActButton}>`}
    ${link && html`<a href=${link.href}>${link.words}</a>`}</p>`;
}

// The total of a list that was asked for with a limit: a full answer may have left some out.
export const totalOf = (items, limit) => (items.length >= limit ? "more" : items.length);
