// Signing up, and confirming the address by the link that was mailed.
import { byId, onSubmit, post, say, showPart, tellMailed, takeToken } from "./post.js";

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
    // The exchange refuses a bad link and a good one in another browser alike, until the password tells them apart.
    if (password || failure.reason !== "InvalidParameterValue") throw failure;
    say("This is not the browser that signed up: give the password that you chose.", true);
    return showPart("proof", "proof-password");
  }
  form.hidden = true;
  showPart("confirmed");
});
