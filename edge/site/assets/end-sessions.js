// The link of a mail about a factor: it ends all sessions, for the password and a recovery code.
import { byId, onSubmit, post, showPart, takeToken } from "./post.js";

const token = takeToken();
byId(token ? "stop" : "missing").hidden = false;

onSubmit("stop", async ({ password, code }, form) => {
  await post("/site/sessions/stop", { token, password, code });
  form.hidden = true;
  showPart("ended");
});
