// The settings of a user: account, password, passkeys, authenticator app.
import { chooseAccount } from "./call.js";
import { button, byId, data, element, fillList, onClick, onSubmit, post, read, run, say } from "./post.js";
import { enrol } from "./enrol.js";
import { addressOf, url } from "./page.js";
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

// An account of the group, which the form names by its number. That of the tab is the one at first.
function choice(number, name) {
  const option = element("option", name);
  [option.value, option.defaultSelected] = [number, number === data.user.number];
  return option;
}

async function showUser() {
  const [{ user, roles }, accounts] = await Promise.all([read("/site/session"), read("/site/accounts")]);
  byId("user-name").textContent = user.name;
  byId("user-email").textContent = user.email;
  byId("username").value = user.email;
  byId("user-roles").textContent = roles.join(", ") || "none";
  byId("account").replaceChildren(...accounts.map(({ number, name }) => choice(number, name)));
  byId("account-form").hidden = accounts.length === 0;
}

onSubmit("account-form", async (fields) => {
  const number = Number(fields.account);
  await chooseAccount(number);
  location.assign(addressOf(number));
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

onClick(byId("begin"), () => enrol(url("/settings/security")));

explain("add-passkey");
run(async () => {
  await showUser();
  await showPasskeys();
});
