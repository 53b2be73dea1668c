// The settings of a user: account, password, second factor.
import { byId, element, onClick, onSubmit, post, read, run, say } from "./post.js";
import { enrol } from "./enrol.js";

run(async () => {
  const { user, roles, account, accounts } = await read("/site/session");
  byId("user-name").textContent = user.name;
  byId("user-email").textContent = user.email;
  byId("username").value = user.email;
  byId("user-roles").textContent = roles.join(", ") || "none";
  byId("account").replaceChildren(...accounts.map((name) => element("option", name)));
  byId("account").value = account;
  byId("account-form").hidden = accounts.length === 0;
});

onSubmit("account-form", async (fields) => {
  await post("/site/account", fields);
  say(`Calls act on the account ${fields.account} now.`, true);
});

onSubmit("password-form", async ({ old, new: next }, form) => {
  await post("/site/password", { old, new: next });
  form.reset();
  say("The password is changed.", true);
});

onClick(byId("begin"), () => enrol("/settings/security"));
