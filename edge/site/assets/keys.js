// The keys that a user keeps.
import { namesOf } from "./call.js";
import { button, byId, copyButton, data, element, fillList, onClick, onSubmit, post, read, run, say } from "./post.js";
import { moment } from "./time.js";

const code = (text) => element("code", text);
const line = (name, ...values) => element("p", `${name}: `, ...values);

// The acts of the form that stops a key.
const STOPS = {
  disable: { title: "Disable", note: "Its calls are refused until you enable it again.", done: "is disabled" },
  delete: { title: "Delete", note: "Its calls are refused for good.", done: "is deleted" },
};

// A secret is shown once, where it is read aloud.
function showSecret(name, { api_key, api_secret }) {
  byId("secret").replaceChildren(
    line(`API key of ${name}`, code(api_key), " ", copyButton(api_key, "API key")),
    line("API secret, which is not shown again", code(api_secret), " ", copyButton(api_secret, "API secret")),
  );
  byId("secret").focus();
}

function closeForms() {
  byId("rename").hidden = true;
  byId("stop").hidden = true;
}

// Shows the keys as they are now, and says the outcome.
async function finish(text) {
  closeForms();
  await show();
  say(text, true);
}

let renaming;
function openRename({ api_key, name }) {
  closeForms();
  renaming = api_key;
  byId("rename-title").textContent = `Rename ${name}`;
  byId("rename-name").value = name;
  byId("rename").hidden = false;
  byId("rename-name").focus();
}

let stopping;
function openStop(kind, { api_key, name }) {
  closeForms();
  stopping = { kind, api_key, name };
  byId("stop").reset();
  byId("stop-title").textContent = `${STOPS[kind].title} ${name}`;
  byId("stop-note").textContent = STOPS[kind].note;
  byId("stop-submit").textContent = `${STOPS[kind].title} the key`;
  byId("stop").hidden = false;
  byId("cancel_orders").focus();
}

// A part of the table. On a phone a row is a stack, so the parts name their roles, and cells their columns.
function part(name, role, ...children) {
  const made = element(name, "", ...children);
  made.role = role;
  return made;
}

function cell(label, ...children) {
  const made = part("td", "cell", ...children);
  made.dataset.label = label;
  return made;
}

function row(key) {
  const { api_key, name, account, roles, require_heartbeat, time_based_nonce, enabled, created_ms, last_used_ms, from } = key;
  const title = part("th", "rowheader", element("p", name), code(api_key));
  title.scope = "row";
  const traits = [!enabled && "disabled", require_heartbeat && "needs a heartbeat", time_based_nonce && "nonces are times",
    from.length > 0 && `only from ${from.join(", ")}`];
  const notes = traits.filter((trait) => trait).map((trait) => element("p", trait));
  const toggle = enabled
    ? button("Disable", () => openStop("disable", key), name)
    : button("Enable", async () => {
      await post("/site/keys/enable", { api_key });
      await finish(`${name} is enabled.`);
    }, name);
  const actions = element("div", "", button("Rename", () => openRename(key), name), toggle,
    button("Delete", () => openStop("delete", key), name));
  actions.className = "buttons";
  const used = last_used_ms === null ? "Never" : moment(last_used_ms);
  return part("tr", "row", title,
    cell("Acts on", element("p", account ?? "The whole group")),
    cell("Roles", element("p", roles.join(", ")), ...notes),
    cell("Last used", element("p", used), element("p", `Made ${moment(created_ms)}`)),
    cell("Change", actions));
}

async function show() {
  const keys = await read("/site/keys");
  byId("no-keys").hidden = keys.length > 0;
  byId("keys-table").hidden = keys.length === 0;
  fillList("keys", keys.map(row));
}

// The form offers what the user may give, at first the account of the tab. Accounts are named by number: one may be renamed.
function offer({ roles }, accounts) {
  const options = accounts.map(({ number, name }) => {
    const option = element("option", name);
    [option.value, option.defaultSelected] = [number, number === data.user.number];
    return option;
  });
  if (roles.includes("Administrator")) {
    const master = element("option", "The whole group: a master key");
    master.value = "";
    options.push(master);
  }
  byId("account").replaceChildren(...options);
  byId("roles").replaceChildren(...roles.map((role) => {
    const box = element("input");
    Object.assign(box, { type: "checkbox", name: "role", value: role, id: `role-${role.replace(" ", "-")}` });
    const label = element("label", role);
    label.htmlFor = box.id;
    const pair = element("div", "", box, label);
    pair.className = "box";
    return pair;
  }));
  byId("make").hidden = options.length === 0;
}

onSubmit("make", async (fields, form) => {
  const { name } = fields;
  const [account] = fields.account ? await namesOf(Number(fields.account)) : [null];
  const made = await post("/site/keys", {
    name,
    account,
    roles: new FormData(form).getAll("role"),
    require_heartbeat: "require_heartbeat" in fields,
    time_based_nonce: "time_based_nonce" in fields,
    from: fields.from.split(/[\s,]+/).filter(Boolean),
  });
  form.reset();
  // First of all: nothing else shows the secret, and the list may not be read.
  showSecret(name, made);
  await finish("The key is made.");
  byId("secret").focus();
});

onSubmit("rename", async ({ name }) => {
  await post("/site/keys/rename", { api_key: renaming, name });
  await finish(`The key is named ${name} now.`);
});

onSubmit("stop", async (fields) => {
  const { kind, api_key, name } = stopping;
  await post(`/site/keys/${kind}`, { api_key, cancel_orders: "cancel_orders" in fields });
  byId("secret").replaceChildren();
  await finish(`${name} ${STOPS[kind].done}.`);
});

for (const id of ["rename-cancel", "stop-cancel"]) {
  onClick(byId(id), () => {
    closeForms();
    byId("keys-title").focus();
  });
}

run(async () => {
  offer(...await Promise.all([read("/site/session"), read("/site/accounts")]));
  await show();
});
