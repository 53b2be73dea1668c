// A new code, asked for where the page stands, so that nothing that was typed there is lost.
import { setAtWork } from "./at-work.js";
import { data, element, post } from "./post.js";
import { lack, usePasskey } from "./passkey.js";
import { sentence } from "./sentence.js";

function field() {
  const input = element("input");
  Object.assign(input, { id: "new-code", name: "code", autocomplete: "one-time-code", autocapitalize: "off", spellcheck: false, required: true });
  const label = element("label", "Code of your authenticator app, or a recovery code");
  label.htmlFor = input.id;
  const made = element("div", "", label, input);
  made.className = "field";
  return [made, input];
}

function row(name, ...children) {
  const made = element("div", "", ...children);
  made.className = name;
  return made;
}

function button(text) {
  const made = element("button", text);
  made.type = "button";
  return made;
}

function note(name, text) {
  const made = element("p", text);
  [made.className, made.hidden] = [name, text === ""];
  return made;
}

// Asks; returns whether a code or a passkey was taken.
export function askCode() {
  const [place, input] = field();
  const failed = note("failure", "");
  failed.role = "alert";
  const submit = element("button", "Continue");
  submit.className = "main";
  const title = element("h2", "Give a new code");
  title.id = "new-code-title";
  const dialog = element("dialog");
  const [cancel, passkey] = [button("Cancel"), button("Use a passkey")];
  passkey.disabled = lack() !== "";
  const form = element("form", "", row("dialog-head", title),
    element("p", "This needs a code that is less than five minutes old. What you typed stays."), place, note("note", data.hint ?? ""), failed,
    row("dialog-end", cancel, passkey, submit));
  form.className = "form";
  dialog.setAttribute("aria-labelledby", title.id);
  dialog.append(form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    let isGiven = false;
    let isBusy = false;
    const give = async (pressed, work) => {
      if (isBusy) return;
      isBusy = true;
      setAtWork(pressed, true);
      try {
        await work();
        isGiven = true;
        dialog.close();
      } catch (failure) {
        failed.textContent = sentence(failure, ["code"]);
        failed.hidden = false;
        input.select();
      }
      isBusy = false;
      setAtWork(pressed, false);
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      give(submit, () => post("/site/signin/code", { code: input.value.trim() }));
    });
    passkey.addEventListener("click", () => give(passkey, usePasskey));
    cancel.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(isGiven);
    });
    dialog.showModal();
    input.focus();
  });
}
