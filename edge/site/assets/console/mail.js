// The mail that a sandbox keeps instead of sending it.
import { Rest, marksOf, usePart } from "../lists.js";
import { url } from "../page.js";
import { html, Region } from "../ui.js";
import { stamp } from "./clock.js";
import { usePolled } from "./polling.js";

const SHOWN = 50;

// A link in a mail, on the host of this page.
function linkOf(link) {
  const { pathname, search, hash } = new URL(link);
  return url(pathname + search + hash);
}

function Message({ message }) {
  const { to, subject, text, link, sent_ms: sent } = message;
  return html`<details class="mail" data-mail=${to}><summary><span class="mail-subject">${subject}</span>
      <span class="soft">${to}, ${stamp(sent)}</span></summary>
    <div class="padded"><pre tabindex="0" aria-label="Text">${text}</pre></div></details>
    ${link && html`<p class="mail-link"><a href=${linkOf(link)} data-mail-link aria-label=${`Open its link: ${subject}, ${to}`}>
      Open its link</a></p>`}`;
}

export function Mail() {
  const [state, value] = usePolled("/sandbox/mail", 2_000);
  const all = [...(value?.messages ?? [])].reverse();
  const [messages, more] = usePart(all, SHOWN);
  return html`<${Region} name="mail" title="Mail" state=${state} empty=${value && !messages.length
    && html`No mail yet. <a href=${url("/signup")}>Sign up</a> as someone: the link to confirm the address comes here.`}>
    <ul class="mails" ...${marksOf("mail", messages.length, all.length)}>${messages.map((message) => html`<li key=${`${message.sent_ms}${message.token}`}><${Message}
      message=${message} /></li>`)}</ul>
    <${Rest} shown=${messages.length} total=${all.length} what="messages" onMore=${more} />
  <//>`;
}
