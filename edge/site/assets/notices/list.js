// The list of notices, which every page has behind its bell.
import { Rest, marksOf } from "../lists.js";
import { url } from "../page.js";
import { clock, day, moment } from "../time.js";
import { html, useEffect } from "../ui.js";
import { markSeen, unseen, useNews } from "./feed.js";
import { pathOf, wordsOf } from "./words.js";

function Row({ row }) {
  const { title, words, tone = "" } = wordsOf(row);
  const path = pathOf(row);
  return html`<li class="news ${tone}" data-news=${row.id} data-kind=${row.kind}
    data-account=${row.account?.number}><p><b>${path ? html`<a
    href=${url(path)}>${title}</a>` : title}</b> ${words}</p><time class="soft" datetime=${new Date(row.at).toISOString()}
    title=${moment(row.at)}>${day(row.at)} ${clock(row.at)}</time></li>`;
}

// How many notices were not shown yet.
export function useUnseen() {
  useNews();
  return unseen();
}

export function List() {
  const { rows, more, problem } = useNews();
  const fresh = unseen();
  useEffect(() => void (fresh > 0 && markSeen()), [fresh]);
  return html`${problem && html`<p class="failure" role="alert">${problem}</p>`}
    ${rows.length === 0 && !problem && !more && html`<p class="soft">Nothing has happened to this account yet. Fills, ends of orders, deposits and the like
      stand here.</p>`}
    <ul class="news-list" tabindex="0" aria-label="Notices" ...${marksOf("notices", rows.length, more ? "more" : rows.length)}>${rows.map((row) => html`<${Row} key=${row.id} row=${row} />`)}</ul>
    <${Rest} shown=${rows.length} total=${more ? "more" : rows.length} what="notices"
      link=${{ href: url("/account/statement"), words: "The statement has every change of the balances" }} />`;
}
