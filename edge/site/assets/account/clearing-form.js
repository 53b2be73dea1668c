// A new clearing order, one of another account that is known by its id alone, and the names of counterparties.
import { call, post } from "../call.js";
import { marksOf } from "../lists.js";
import { CopyButton, html, Region, SendButton, useState } from "../ui.js";
import { plain } from "../number.js";
import { ask } from "./calls.js";
import { described } from "./clearing-list.js";
import { AmountField, FailureNote, Field, useAct, useKept } from "./parts.js";

const FIRST = { symbol: "btcusd", side: "buy", amount: "", price: "", counterparty_id: "", expires_in_hrs: "24" };

// What is sent: empty fields are left out.
const filled = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));

export function NewOrder({ reload }) {
  const [fields, setFields] = useKept("clearing", FIRST);
  const [made, setMade] = useState(null);
  const act = useAct();
  const type = ({ target: { name, value } }) => setFields({ ...fields, [name]: value.trim() });
  const send = async (event) => {
    event.preventDefault();
    const sent = filled({ ...fields, amount: plain(fields.amount), price: plain(fields.price) });
    const isDone = await act.run(async () => setMade(await call("/v1/clearing/new", sent)), "The clearing order is entered");
    if (!isDone) return;
    setFields(FIRST);
    reload();
  };
  return html`<${Region} name="new-clearing" title="Enter a clearing order" state="live">
    <form name="clearing" class="form padded" onSubmit=${send} onInput=${type}>
      <div class="form-row">
        <${Field} label="Market" name="symbol" value=${fields.symbol} required />
        <${Field} label="You" name="side"><select id="side" name="side"><option value="buy" selected=${fields.side === "buy"}>buy</option>
          <option value="sell" selected=${fields.side === "sell"}>sell</option></select></${Field}>
        <${AmountField} label="Amount" name="amount" value=${fields.amount} required />
        <${AmountField} label="Price" name="price" value=${fields.price} required />
      </div>
      <div class="form-row">
        <${Field} label="Counterparty id" name="counterparty_id" value=${fields.counterparty_id}
          note="Without one, whoever has the order's id may confirm it." />
        <${Field} label="Ends after hours" name="expires_in_hrs" value=${fields.expires_in_hrs} inputmode="numeric"
          pattern="[0-9]{1,4}" note="Nothing is held before both sides have confirmed." />
      </div>
      <${FailureNote} failure=${act.failure} />
      ${made && html`<p class="notice good">Entered: <code>${made.clearing_id}</code> <${CopyButton}
        text=${made.clearing_id}>Copy<span class="unseen"> the id</span></${CopyButton}></p>`}
      <div class="buttons"><${SendButton} className="main" isBusy=${act.isBusy}>Enter the order</${SendButton}></div>
    </form></${Region}>`;
}

// An order that names no counterparty is found by its id.
export function ById({ confirm }) {
  const [id, setId] = useState("");
  const [isUnknown, setUnknown] = useState(false);
  const act = useAct();
  const find = (event) => {
    event.preventDefault();
    setUnknown(false);
    act.run(async () => {
      const found = await ask("/v1/clearing/status", { clearing_id: id });
      if (found.status === "Not Found") return setUnknown(true);
      return confirm(await described({ ...found, quantity: found.amount }));
    });
  };
  return html`<${Region} name="clearing-by-id" title="Confirm an order by its id" state="live">
    <form name="clearing-id" class="form padded" onSubmit=${find}>
      <${Field} label="Clearing id" name="clearing_id" value=${id} required
        onInput=${({ target }) => setId(target.value.trim().toUpperCase())}
        note="The other side gave it to you. You see the terms before you confirm." />
      <${FailureNote} failure=${act.failure} />
      ${isUnknown && html`<p class="failure" role="alert">No open order that you may see has this id.</p>`}
      <div class="buttons"><${SendButton} isBusy=${act.isBusy}>Show the terms</${SendButton}></div>
    </form></${Region}>`;
}

function known(orders) {
  const named = new Map();
  for (const { counterparty_id: id, counterparty_alias: alias } of orders) if (id) named.set(id, alias ?? "");
  return [...named];
}

export function Aliases({ orders, reload }) {
  const [fields, setFields] = useState({ counterparty_id: "", alias: "" });
  const act = useAct();
  const named = known(orders);
  const type = ({ target: { name, value } }) => setFields({ ...fields, [name]: value });
  const send = async (event) => {
    event.preventDefault();
    if (!(await act.run(() => post("/site/alias", fields), `${fields.counterparty_id} is ${fields.alias} now`))) return;
    setFields({ counterparty_id: "", alias: "" });
    reload();
  };
  return html`<${Region} name="aliases" title="Names of counterparties" state="live">
    <ul class="lines" ...${marksOf("aliases", named.length)}>${named.map(([id, alias]) => html`<li key=${id}><code>${id}</code><span
      data-alias=${id}>${alias || html`<span class="soft">no name</span>`}</span>
      <button type="button" class="small" onClick=${() => setFields({ counterparty_id: id, alias })}>${alias ? "Rename" : "Name"}
        <span class="unseen"> ${id}</span></button></li>`)}</ul>
    <form name="alias" class="form padded" onSubmit=${send} onInput=${type}>
      <div class="form-row"><${Field} label="Counterparty id to name" name="counterparty_id" id="alias-id"
        value=${fields.counterparty_id} required />
        <${Field} label="Your name for it" name="alias" value=${fields.alias} maxlength="50" required /></div>
      <${FailureNote} failure=${act.failure} />
      <div class="buttons"><${SendButton} isBusy=${act.isBusy}>Keep the name</${SendButton}></div>
    </form></${Region}>`;
}
