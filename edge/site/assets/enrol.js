// Enrolling an authenticator app: its secret, the first code, and the recovery codes.
import { byId, element, onSubmit, post, showPart } from "./post.js";

export async function enrol(next) {
  const { secret, uri } = await post("/site/totp/begin");
  byId("secret").textContent = secret;
  byId("uri").href = uri;
  byId("uri-text").textContent = uri;
  byId("onward").href = next;
  showPart("enrol", "enrol-title");
}

// Shows the recovery codes that came with a factor.
export function showCodes(codes) {
  for (const part of document.querySelectorAll(".enrolment")) part.hidden = true;
  byId("enrol-code").value = "";
  byId("recovery-codes").replaceChildren(...codes.map((one) => element("li", "", element("code", one))));
  showPart("recovery", "recovery-title");
}

onSubmit("enrol-form", async ({ code }) => {
  const { recovery_codes } = await post("/site/totp/confirm", { code });
  showCodes(recovery_codes);
});
