// The open sockets, and faults on the way to their clients.
import { marksOf } from "../lists.js";
import { html, Region, SendButton } from "../ui.js";
import { findCall } from "./contract.js";
import { CallForm, Reply, useSending } from "./form.js";
import { Head, More } from "./more.js";
import { usePolled } from "./polling.js";

const FAULTS = ["drop", "stall", "resume"];

function Socket({ socket, act, isBusy }) {
  const { connection, kind, key, subscriptions, sent, queued_bytes: queued } = socket;
  return html`<tr data-socket=${connection}><td>${connection}</td><td>${kind}</td><td>${key ?? "public"}</td>
    <td class="wrap">${subscriptions.join(", ") || "–"}</td><td class="number">${sent}</td><td class="number">${queued}</td>
    <td class="number">${FAULTS.map((fault) => html`<${SendButton} type="button" className="small" isBusy=${isBusy}
      aria-label=${`${fault} socket ${connection}`}
      onClick=${() => act({ connection: String(connection), fault })}>${fault}</${SendButton}> `)}</td></tr>`;
}

export function Streams({ calls }) {
  const call = findCall(calls, "/sandbox/streams/fault");
  const [state, value, reload] = usePolled("/sandbox/streams", 1_000);
  const [{ answer, isBusy }, act] = useSending(call, reload);
  const sockets = value?.streams ?? [];
  return html`<${Region} name="streams" title="Streams" state=${state}>
    ${sockets.length ? html`<div class="scroll limited" tabindex="0" role="group" aria-label="Open sockets"
      ...${marksOf("streams", sockets.length)}><table>
      <${Head} names=${["No.", "Kind", "Key", "Streams", "Sent", "Queued bytes"]} numbers=${["Sent", "Queued bytes"]} />
      <tbody>${sockets.map((socket) =>
        html`<${Socket} key=${socket.connection} socket=${socket} act=${act} isBusy=${isBusy} />`)}</tbody></table></div>`
      : html`<p class="empty">No socket is open. A trade page in another tab opens one, as a client at <code>/</code> does.</p>`}
    ${answer && html`<div class="padded"><${Reply} answer=${answer} isBusy=${isBusy} /></div>`}
    <${More} title="A fault for several sockets"><${CallForm} call=${call} isSmall words="Set" only=${["fault", "key", "all", "frames"]}
      preset=${{ fault: "skip", all: "true", frames: "2" }} onDone=${reload} /><//>
  <//>`;
}
