// What the pages of people share: forms, and the messages above them.
import { setAtWork } from "./at-work.js";
import { get, hasSessionEnded, post } from "./call.js";
import { data, signInUrl } from "./page.js";
import { sentence } from "./sentence.js";
import "./shell.js";

export { data, get as read, post };

export const byId = (id) => document.getElementById(id);

export function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

// Fills a list with all of its rows, and says on it that it is whole, as `lists.js` does for pages of components.
export function fillList(id, rows) {
  const list = byId(id);
  list.replaceChildren(...rows);
  const marked = list.closest("table") ?? list;
  Object.assign(marked.dataset, { list: id, shown: rows.length, total: rows.length });
}

// A small button. What it acts on is told to those who cannot see where it stands.
export function button(text, act, about = "") {
  const made = element("button", text);
  if (about) made.append(unseen(` ${about}`));
  [made.type, made.className] = ["button", "small"];
  onClick(made, act);
  return made;
}

// A button that copies a text, and says so in its own place.
export function copyButton(text, about) {
  const made = button("Copy", async () => {
    try {
      await navigator.clipboard.writeText(text);
      made.firstChild.textContent = "Copied";
    } catch (failure) {
      console.warn(failure);
      say("This browser does not let the page copy. Select the text and copy it.");
    }
  }, about);
  return made;
}

function unseen(text) {
  const made = element("span", text);
  made.className = "unseen";
  return made;
}

// Writes a sentence above the page and moves the focus there, so that it is seen and read aloud.
export function say(text, isWell = false) {
  const message = byId("message");
  message.textContent = text;
  message.className = isWell ? "notice good" : "notice bad";
  if (text) message.focus();
}

// Shows one part of a page, and moves the focus into it.
export function showPart(id, focused = id) {
  byId(id).hidden = false;
  const target = byId(focused);
  (target.matches("form") ? target.querySelector("input:not([hidden])") : target).focus();
}

// Tells the page that a mail was sent to an address, as the part says which is shown now.
export const tellMailed = (address) =>
  byId("sent").dispatchEvent(new CustomEvent("mailed", { bubbles: true, detail: address }));

// A refusal that another sign-in mends leads to it, and back afterwards. Once the session of the page has ended, its banner leads there.
function report(failure) {
  if (hasSessionEnded()) return say(failure.message);
  if (location.pathname.startsWith("/settings/") && failure.reason === "SignInRequired") {
    return location.assign(signInUrl());
  }
  return say(sentence(failure));
}

// Runs an act. Where it needs a new code, asks for one in this page, which keeps what was typed, and runs it again.
async function withCode(act) {
  try {
    await act();
  } catch (failure) {
    if (failure.reason !== "CodeRequired") throw failure;
    const { askCode } = await import("./code-dialog.js");
    if (!(await askCode())) throw failure;
    await act();
  }
}

// Runs an act of the button that was pressed, unless the last one still runs.
let isBusy = false;
export async function run(act, pressed = null) {
  if (isBusy) return;
  isBusy = true;
  say("");
  if (pressed) setAtWork(pressed, true);
  try {
    await withCode(act);
  } catch (failure) {
    report(failure);
  }
  if (pressed) setAtWork(pressed, false);
  isBusy = false;
}

// The second click of a double click is none.
export const onClick = (target, act) => target.addEventListener("click", ({ detail }) => detail > 1 || run(act, target));

// Hands the fields of a form that is sent to `act`.
export function onSubmit(id, act) {
  const form = byId(id);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(form));
    run(() => act(fields, form), event.submitter);
  });
}

// The token of a mailed link. It is taken out of the address, so that no history keeps it.
export function takeToken() {
  const token = new URLSearchParams(location.search).get("token");
  if (token) history.replaceState(null, "", location.pathname);
  return token;
}
