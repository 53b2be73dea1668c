// The browsers in which a user is signed in.
import { button, byId, element, fillList, onClick, post, read, run, say } from "./post.js";
import { url } from "./page.js";
import { moment } from "./time.js";

function card({ id, created_ms, last_ms, address, agent, current }) {
  const parts = [
    element("h3", current ? "This browser" : address),
    element("p", `${agent || "An unnamed program"}, from ${address}`),
    element("p", `Signed in ${moment(created_ms)}, last used ${moment(last_ms)}`),
  ];
  const end = async () => {
    await post("/site/sessions/end", { id });
    if (current) return location.assign(url("/signin"));
    await show();
    return say("The browser is signed out.", true);
  };
  return element("li", "", ...parts, button("Sign out", end, current ? "" : address));
}

async function show() {
  fillList("sessions", (await read("/site/sessions")).map(card));
}

onClick(byId("others"), async () => {
  await post("/site/sessions/end", { others: true });
  await show();
  say("All other browsers are signed out.", true);
});

run(show);
