// The apps that a user registered, and those that act for the user.
import { button, byId, element, fillList, onSubmit, post, read, run, say } from "./post.js";

const code = (text) => element("code", text);
const line = (name, ...values) => element("p", `${name}: `, ...values);

function card(title, lines, ...actions) {
  const row = element("div", "", ...actions);
  row.className = "buttons";
  return element("li", "", element("h3", title), ...lines, row);
}

// A secret is shown once, where it is read aloud.
function showSecret(name, { client_id, client_secret }) {
  const parts = [line(`Client id of ${name}`, code(client_id))];
  if (client_secret) parts.push(line("Client secret, which is not shown again", code(client_secret)));
  byId("secret").replaceChildren(...parts);
  byId("secret").focus();
}

const appCard = ({ client_id, name, scopes, redirect_uris, public: isPublic, reviewed }) => card(
  name,
  [
    line("Client id", code(client_id)),
    line("Scopes", scopes.join(", ")),
    line("Redirect URIs", redirect_uris.join(", ")),
    element("p", `${isPublic ? "It keeps no secret." : "It keeps a secret."} ${reviewed ? "It is reviewed." : "It is not reviewed."}`),
  ],
  ...(isPublic ? [] : [button("New secret", async () =>
    showSecret(name, { client_id, ...await post("/site/apps/secret", { client_id }) }), `of ${name}`)]),
  button("Delete", async () => {
    await post("/site/apps/delete", { client_id });
    await showApps();
    byId("apps-title").focus();
  }, name),
);

const grantCard = ({ id, app, account, scopes }) => card(
  app,
  [line("Account", account), line("Scopes", scopes.join(", "))],
  button("Revoke", async () => {
    await post("/site/grants/revoke", { id });
    await showGrants();
    byId("grants-title").focus();
  }, app),
);

async function showApps() {
  const apps = await read("/site/apps");
  byId("no-apps").hidden = apps.length > 0;
  fillList("apps", apps.map(appCard));
}

async function showGrants() {
  const grants = await read("/site/grants");
  byId("no-grants").hidden = grants.length > 0;
  fillList("grants", grants.map(grantCard));
}

onSubmit("register", async (fields, form) => {
  const { name, description, background, logo } = fields;
  const scopes = new FormData(form).getAll("scope");
  const redirect_uris = fields.redirect_uris.split(/\s+/).filter((uri) => uri);
  const made = await post("/site/apps",
    { name, description, background, logo, scopes, redirect_uris, public: "public" in fields });
  form.reset();
  await showApps();
  say("The app is registered.", true);
  showSecret(name, made);
});

run(async () => {
  await showApps();
  await showGrants();
});
