// Enrolling an authenticator app: its secret, the first code, and the recovery codes.
import { byId, element, onSubmit, post, showPart } from "./post.js";

const SVG = "http://www.w3.org/2000/svg";

function shape(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// The secret for the camera of a phone. It is drawn here, since the address of a picture would hold the secret.
function draw({ side, path }) {
  const ground = shape("rect", { width: side, height: side, fill: "#fff" });
  return shape("svg", { viewBox: `0 0 ${side} ${side}`, role: "img", "aria-label": "QR code of the secret", "shape-rendering": "crispEdges" },
    ground, shape("path", { d: path }));
}

export async function enrol(next) {
  const { secret, uri, qr } = await post("/site/totp/begin");
  byId("qr").replaceChildren(draw(qr));
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
