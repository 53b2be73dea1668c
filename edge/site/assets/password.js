// A forgotten password: a link is mailed, and the link sets another one.
import { byId, onSubmit, post, showPart, tellMailed, takeToken } from "./post.js";

const token = takeToken();
byId(token ? "reset" : "forgot").hidden = false;

onSubmit("forgot", async (fields, form) => {
  await post("/site/password/forgot", fields);
  form.hidden = true;
  showPart("sent");
  tellMailed(fields.email);
});

onSubmit("reset", async ({ password }, form) => {
  await post("/site/password/reset", { token, password });
  form.hidden = true;
  showPart("changed");
});
