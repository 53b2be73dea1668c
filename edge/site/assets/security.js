// The settings of a user: account, password, passkeys, authenticator app.
import { button, byId, element, fillList, onClick, onSubmit, post, read, run, say } from "./post.js";
import { enrol } from "./enrol.js";
import { addressFor } from "./page.js";
import { addPasskey, explain } from "./passkey.js";
import { day } from "./time.js";

function card({ id, name, created_ms }) {
  const remove = async () => {
    await post("/site/passkeys/remove", { id });
    await showPasskeys();
    say(`The passkey ${name} is removed.`, true);
  };
  const added = element("p", `Added on ${day(created_ms)}`);
  return element("li", "", element("h3", name), added, button("Remove", remove, name));
}

async function showPasskeys() {
  const passkeys = await read("/site/passkeys");
  byId("no-passkeys").hidden = passkeys.length > 0;
  fillList("passkeys", passkeys.map(card));
}

async function showUser() {
  const { user, roles, account, accounts } = await read("/site/session");
  byId("user-name").textContent = user.name;
  byId("user-email").textContent = user.email;
  byId("username").value = user.email;
  byId("user-roles").textContent = roles.join(", ") || "none";
  byId("account").replaceChildren(...accounts.map((name) => element("option", name)));
  byId("account").value = account;
  byId("account-form").hidden = accounts.length === 0;
}

onSubmit("account-form", async (fields) => {
  await post("/site/account", fields);
  // A tab that names its account goes on with the other one.
  if (new URLSearchParams(location.search).has("account")) return location.assign(addressFor(fields.account));
  return say(`Calls act on the account ${fields.account} now.`, true);
});

onSubmit("password-form", async ({ old, new: next }, form) => {
  await post("/site/password", { old, new: next });
  form.reset();
  say("The password is changed.", true);
});

onSubmit("passkey-form", async ({ name }, form) => {
  await addPasskey(name);
  form.reset();
  await showPasskeys();
  say(`The passkey ${name} is added.`, true);
});

onClick(byId("begin"), () => enrol("/settings/security"));

explain("add-passkey");
run(async () => {
  await showUser();
  await showPasskeys();
});
