// Signing in: password, then a code, or a second factor to enrol.
import { byId, data, onClick, onSubmit, post, run, showPart } from "./post.js";
import { enrol } from "./enrol.js";

async function follow({ next }) {
  byId("signin").hidden = true;
  byId("code-form").hidden = true;
  if (next === "done") location.assign(data.next);
  else if (next === "enrol") await enrol(data.next);
  else showPart("code-form");
}

onSubmit("signin", async (fields) => follow(await post("/site/signin", fields)));
onSubmit("code-form", async ({ code }) => follow(await post("/site/signin/code", { code: code.trim() })));
onClick(byId("again"), async () => {
  await post("/site/signout");
  location.reload();
});

if (data.step === "second_factor" || data.step === "code") byId("code-form").hidden = false;
else if (data.step === "enrol") run(() => enrol(data.next));
else byId("signin").hidden = false;
