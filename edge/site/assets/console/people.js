// Users, keys and accounts: sign in as one, make a key, credit money, set leverage.
import { Rest, marksOf, usePart } from "../lists.js";
import { url, urlOfOther } from "../page.js";
import { CopyButton, html, Region, SendButton, useState } from "../ui.js";
import { findCall } from "./contract.js";
import { CallForm, Curl, Reply, useSending } from "./form.js";
import { Head, More } from "./more.js";
import { reloadNames, useNames } from "./names.js";
import { curlOf, requestOf } from "./send.js";

// Keys that each press of a button adds to the list.
const FIRST = 24;
// Keys of load tests and of simulated traders; they come last.
const MANY = /^(load|socket|perp|margin)-\d+$|^simulated-/;

function Users({ calls, users }) {
  const call = findCall(calls, "/sandbox/sessions");
  // The reply sets the cookie, so the next page is the user's.
  const [{ answer, isBusy }, act] = useSending(call, () => location.assign(urlOfOther("/account")));
  const [email, setEmail] = useState("");
  if (!users.length) return html`<p class="empty">No users yet. Make one below.</p>`;
  const valuesOf = (one) => ({ email: one, set_cookie: "true" });
  const enter = (event) => {
    event.preventDefault();
    act(valuesOf(event.submitter?.value ?? users[0].email));
  };
  return html`<form data-call=${call.path} data-method="POST" noValidate onSubmit=${enter}>
    <div class="scroll limited" tabindex="0" role="group" aria-label="Users" ...${marksOf("users", users.length)}><table class="users">
    <${Head} names=${["User", "Group", "Rights"]} />
    <tbody>${users.map((user) => html`<tr key=${user.email} data-user=${user.email}><td>${user.email}</td><td>${user.group ?? "–"}</td>
      <td>${user.is_operator ? "Operator" : user.roles.join(", ") || "–"}</td>
      <td class="number"><${SendButton} type="submit" className="small" value=${user.email} isBusy=${isBusy} isOff=${user.is_disabled}
        aria-label=${`Sign in as ${user.email}`} onFocus=${() => setEmail(user.email)}
        onPointerEnter=${() => setEmail(user.email)}>Sign in</${SendButton}></td></tr>`)}</tbody></table></div>
    <div class="padded call"><${Curl} line=${curlOf(requestOf(call, valuesOf(email || users[0].email)))} of="signing in" />
      <${Reply} answer=${answer} isBusy=${isBusy} /></div></form>`;
}

function Keys({ keys }) {
  const [typed, setTyped] = useState("");
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (key) => `${key.name} ${key.api_key} ${key.group} ${key.account ?? ""} ${key.roles.join(" ")}`.toLowerCase();
  const found = keys.filter((key) => (words.length ? words.every((word) => text(key).includes(word)) : true))
    .sort((one, other) => MANY.test(one.name) - MANY.test(other.name));
  const [shown, more] = usePart(found, FIRST);
  return html`<div class="padded field"><label for="key-search">Find a key by name, group or role (${keys.length} keys)</label>
      <input id="key-search" type="search" autocomplete="off" value=${typed} onInput=${({ target }) => setTyped(target.value)} /></div>
    <div class="scroll limited" tabindex="0" role="group" aria-label="Keys" ...${marksOf("keys", shown.length, found.length)}><table>
      <${Head} names=${["Key", "Account", "Roles"]} />
      <tbody>${shown.map((key) => html`<tr key=${key.api_key} data-key=${key.name}>
        <td title=${key.api_key}>${key.name}</td><td>${key.group} / ${key.account ?? "all"}</td><td>${key.roles.join(", ")}</td>
        <td class="number"><a href=${url(`/console/requests?key=${encodeURIComponent(key.name)}`)}
          aria-label=${`Requests of ${key.name}`}>Requests</a>${" "}
          <${CopyButton} text=${key.api_key}>Copy<//></td></tr>`)}</tbody></table></div>
    <${Rest} shown=${shown.length} total=${found.length} what="keys" onMore=${more} />`;
}

export function People({ calls }) {
  const { state, users, keys } = useNames();
  return html`<${Region} name="people" title="People" state=${state} retry=${reloadNames}>
    <${Users} calls=${calls} users=${users} />
    <${More} title="Keys"><${Keys} keys=${keys} /><//>
    <${More} title="Credit money" isOpen><${CallForm} call=${findCall(calls, "/sandbox/accounts/credit")} isSmall words="Credit"
      only=${["group", "account", "currency", "amount"]}
      preset=${{ group: "one", account: "primary", currency: "USD", amount: "1000" }} /><//>
    <${More} title="Make a key"><p class="note">The reply has the secret, this once; <code>credentials.json</code> lists it too.</p>
      <${CallForm} call=${findCall(calls, "/sandbox/keys")} isSmall words="Make a key" only=${["group", "account", "roles", "name"]}
      preset=${{ group: "one", account: "primary", roles: "Trader", name: "my-bot" }} /><//>
    <${More} title="Make a user"><${CallForm} call=${findCall(calls, "/sandbox/users")} isSmall words="Make a user"
      only=${["email", "password", "group", "roles"]}
      preset=${{ group: "one", roles: "Trader", email: "ann@mail.test", password: "vexing ochre carousel" }} /><//>
    <${More} title="Leverage of a derivatives account"><${CallForm} call=${findCall(calls, "/sandbox/accounts/risk")} isSmall words="Set"
      only=${["group", "account", "max_leverage", "cross_collateral"]}
      preset=${{ group: "perp", account: "perp-000", max_leverage: "10" }} /><//>
    <${More} title="Let a key begin again with any nonce"><${CallForm} call=${findCall(calls, "/sandbox/nonces/reset")} isSmall
      words="Reset" only=${["api_key"]} /><//>
  <//>`;
}
