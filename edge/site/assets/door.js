// The door of a sandbox, which a venue does not have: buttons that sign in as its test users, and the mail that it keeps.
import { byId, element, onClick, post, read, say } from "./post.js";
import { url } from "./page.js";

for (const button of document.querySelectorAll("[data-user]")) {
  onClick(button, async () => {
    await post("/site/signin/sandbox", { email: button.dataset.user });
    location.assign(button.dataset.next);
  });
}

// A link in a mail, on the host of this page: the cookie of a sign-up is this host's alone.
function follow(link) {
  const { pathname, search } = new URL(link);
  const made = element("a", "Open its link");
  [made.href, made.className] = [url(pathname + search), "button main"];
  return made;
}

// The newest mail to an address, in the part of the page that says that one was sent.
async function showMail(part, address) {
  const { messages } = await read(`/sandbox/mail?to=${encodeURIComponent(address.trim())}`);
  const mail = messages.at(-1);
  const shown = element("section", "", element("h3", mail ? mail.subject : "No mail was sent"));
  shown.id = "door-mail";
  if (mail) {
    shown.append(element("pre", mail.text), ...(mail.link ? [follow(mail.link)] : []));
  } else shown.append(element("p", "No user has this address."));
  const why = element("p", "A sandbox sends no mail: it keeps it, and shows it here and on the console.");
  why.className = "note";
  byId(part).append(shown, why);
}

document.addEventListener("mailed", ({ target, detail }) => showMail(target.id, detail).catch((failure) => say(failure.message)));
