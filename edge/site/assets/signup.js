// Signing up, and confirming the address by the link that was mailed.
import { byId, onSubmit, post, showPart, tellMailed, takeToken } from "./post.js";

const token = takeToken();
byId(token ? "confirm" : "signup").hidden = false;

onSubmit("signup", async (fields, form) => {
  await post("/site/signup", fields);
  form.hidden = true;
  showPart("sent");
  tellMailed(fields.email);
});

onSubmit("confirm", async ({ password }, form) => {
  try {
    await post("/site/confirm", password ? { token, password } : { token });
  } catch (failure) {
    byId("proof").hidden = false;
    throw failure;
  }
  form.hidden = true;
  showPart("confirmed");
});
