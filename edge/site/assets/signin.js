// Signing in: password, then a code or a passkey; a passkey alone; or a second factor to enrol.
import { byId, data, onClick, onSubmit, post, run, showPart } from "./post.js";
import { enrol, showCodes } from "./enrol.js";
import { addPasskey, explain, usePasskey } from "./passkey.js";

async function beginEnrolment() {
  await enrol(data.next);
  byId("enrol-passkey").hidden = false;
}

async function follow({ next }) {
  byId("signin").hidden = true;
  byId("code-form").hidden = true;
  byId("with-passkey").hidden = next !== "second_factor";
  if (next === "done") location.assign(data.next);
  else if (next === "enrol") await beginEnrolment();
  else showPart("code-form");
}

onSubmit("signin", async (fields) => follow(await post("/site/signin", fields)));
onSubmit("code-form", async ({ code }) => follow(await post("/site/signin/code", { code: code.trim() })));
onClick(byId("passkey"), async () => follow(await usePasskey()));
onClick(byId("again"), async () => {
  await post("/site/signout");
  location.reload();
});
onSubmit("passkey-form", async ({ name }) => {
  const { recovery_codes } = await addPasskey(name);
  showCodes(recovery_codes);
});

explain("passkey", "add-passkey");
if (data.step === "enrol") run(beginEnrolment);
else {
  byId(data.step === "second_factor" || data.step === "code" ? "code-form" : "signin").hidden = false;
  byId("with-passkey").hidden = false;
}
