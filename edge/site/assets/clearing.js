// Clearing: the inbox of what waits for this account, all orders, a new one, and names of counterparties.
import { Failure, call } from "./call.js";
import { Aliases, ById, NewOrder } from "./account/clearing-form.js";
import { Barred, COLUMNS, Lacks, Left, Leg, Party, STATE, useClearing } from "./account/clearing-list.js";
import { Confirmation } from "./account/confirm.js";
import { FailureNote, Time, start, timeTitle, useAct } from "./account/parts.js";
import { Table } from "./account/table.js";
import { decimalsOf } from "./figures.js";
import { url } from "./page.js";
import { html, Price, Region, SendButton, useState } from "./ui.js";

// The interface answers that a cancel failed with status 200.
async function cancel(order) {
  const { result, details } = await call("/v1/clearing/cancel", { clearing_id: order.clearing_id });
  if (result !== "ok") throw new Failure(details);
}

const confirm = ({ clearing_id, symbol, quantity, price, side }) =>
  call("/v1/clearing/confirm", { clearing_id, symbol, amount: quantity, price, side });

function Terms({ order, onClose, onDone }) {
  const act = useAct();
  const onConfirm = async () => {
    if (await act.run(() => confirm(order), `Clearing order ${order.clearing_id} is confirmed`)) onDone();
  };
  const rows = [
    ["With", html`<${Party} order=${order} />`], ["Market", order.symbol.toUpperCase()], ["Price", html`<${Price} text=${order.price} places=${decimalsOf(order.symbol)} />`],
    ["You get", html`<${Leg} leg=${order.gets} />`], ["You give", html`<${Leg}
      leg=${order.gives} />`], ["Your money", html`<${Lacks} order=${order} />`],
  ];
  return html`<${Confirmation} title=${`Confirm ${order.clearing_id}`} rows=${rows} words="Confirm the order" act=${act}
    onConfirm=${onConfirm} onClose=${onClose}>
    <p class="note">${order.lacks
      ? "The order waits until you have the money, and settles then."
      : "When both sides have confirmed, it settles at once. A settled order stays."}</p>
  </${Confirmation}>`;
}

const left = { title: "Time left", cell: ({ expiration, isOver }) => (isOver ? "–" : html`<${Left} until=${expiration} />`) };
const marks = (order) => ({ "data-clearing": order.clearing_id });
const keyOf = (order) => order.clearing_id;

function Clearing() {
  const [state, orders, reload, isBarred] = useClearing();
  const [shown, show] = useState(null);
  const act = useAct();
  const stop = (order) => async () => {
    await act.run(() => cancel(order), `Clearing order ${order.clearing_id} is cancelled`);
    reload();
  };
  const buttons = (order) => html`<span class="buttons tight">
    ${order.isMine && html`<button type="button" class="small main" value="confirm" aria-label=${`Confirm ${order.clearing_id}`}
      onClick=${() => show(order)}>Confirm</button>`}
    ${order.mayCancel && html`<${SendButton} type="button" className="small" value="cancel" isBusy=${act.isBusy}
      aria-label=${`Cancel ${order.clearing_id}`} onClick=${stop(order)}>Cancel</${SendButton}>`}</span>`;
  const inbox = (orders ?? []).filter(({ isMine }) => isMine);
  const others = (orders ?? []).filter(({ isMine }) => !isMine);
  const acts = { title: "Act", cell: buttons };
  if (isBarred) return html`<${Region} name="inbox" title="Waits for you" state=${state} empty=${html`<${Barred} />`} />`;
  const none = orders && inbox.length === 0 && html`<p>Orders that another side entered and that wait for you would stand here.
    Give your counterparty id to the other side.</p>`;
  const noOthers = orders && others.length === 0 && html`<p>Your own clearing orders and those that are over would stand here.
    Enter one below.</p>`;
  const close = () => show(null);
  return html`<${FailureNote} failure=${act.failure} />
    <${Region} name="inbox" title="Waits for you" state=${state} retry=${reload} empty=${none}>
      <${Table} label="Waits for you" columns=${[...COLUMNS, left, acts]} rows=${inbox} keyOf=${keyOf} marks=${marks} /></${Region}>
    <${Region} name="clearing" title="All others" state=${state} retry=${reload} empty=${noOthers}>
      <${Table} label="All others"
        columns=${[...COLUMNS, STATE, left, { title: timeTitle("Submitted"), cell: (order) => html`<${Time}
          at=${order.submission} />` }, acts]}
        rows=${others} total=${orders?.total === "more" ? "more" : others.length}
        rest=${{ what: "orders", link: { href: url("/account/statement?cause=clearing"), words: "The statement has what was settled" } }}
        keyOf=${keyOf} marks=${marks} /></${Region}>
    <div class="columns"><${NewOrder} reload=${reload} /><div class="stack"><${ById} confirm=${show} /><${Aliases}
      orders=${orders ?? []} reload=${reload} /></div></div>
    ${shown && html`<${Terms} order=${shown} onClose=${close} onDone=${() => { close(); reload(); }} />`}`;
}

start(Clearing, "clears");
