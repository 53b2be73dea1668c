// What the pages of people share: calls that change something, forms, and the messages above them.
import { get, showing } from "./failure.js";

// What the server knows of this browser: `step` of its sign-in, `csrf`, and `next`, where the sign-in leads.
export const data = JSON.parse(document.getElementById("data").textContent);

export const byId = (id) => document.getElementById(id);

export function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

export function button(text, act) {
  const made = element("button", text);
  made.type = "button";
  onClick(made, act);
  return made;
}

const parse = (text) => showing(JSON.parse, text);

export const read = async (path) => parse(await get(path));

// Makes a call. Its answer may bring the token of the next one.
export async function post(path, body = {}) {
  const headers = { "content-type": "application/json" };
  if (data.csrf) headers["x-csrf-token"] = data.csrf;
  const reply = parse(await get(path, { method: "POST", headers, body: JSON.stringify(body) }));
  if (reply.csrf) data.csrf = reply.csrf;
  return reply;
}

// Writes a sentence above the page and moves the focus there, so that it is seen and read aloud.
export function say(text, isWell = false) {
  const message = byId("message");
  message.textContent = text;
  message.className = isWell ? "well" : "";
  if (text) message.focus();
}

// Shows one part of a page, and moves the focus into it.
export function showPart(id, focused = id) {
  byId(id).hidden = false;
  const target = byId(focused);
  (target.matches("form") ? target.querySelector("input:not([hidden])") : target).focus();
}

// A refusal that another sign-in or another code mends leads to it, and back afterwards.
function report(failure) {
  const back = `next=${encodeURIComponent(location.pathname)}`;
  if (location.pathname.startsWith("/settings/")) {
    if (failure.reason === "SignInRequired") return location.assign(`/signin?${back}`);
    if (failure.reason === "CodeRequired") return location.assign(`/signin?step=code&${back}`);
  }
  return say(failure.plain || failure.message);
}

// Runs an act, unless the last one still runs.
let isBusy = false;
export async function run(act) {
  if (isBusy) return;
  isBusy = true;
  say("");
  try {
    await act();
  } catch (failure) {
    report(failure);
  }
  isBusy = false;
}

export const onClick = (target, act) => target.addEventListener("click", () => run(act));

// Hands the fields of a form that is sent to `act`.
export function onSubmit(id, act) {
  const form = byId(id);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run(() => act(Object.fromEntries(new FormData(form)), form));
  });
}

// The token of a mailed link. It is taken out of the address, so that no history keeps it.
export function takeToken() {
  const token = new URLSearchParams(location.search).get("token");
  if (token) history.replaceState(null, "", location.pathname);
  return token;
}

if (byId("signout")) {
  onClick(byId("signout"), async () => {
    await post("/site/signout");
    location.assign("/signin");
  });
}
