// The session of the person at the page: an open page that is seen says so, a session that is about to end is told of, and one that has ended
// leaves what the page shows and offers the way back.
import { get, onSessionEnd, post } from "../call.js";
import { showFault } from "../faults.js";
import { isSignedIn } from "../page.js";
import { onSession, say, withdraw } from "./feed.js";

// How often a page that is seen says so.
const EVERY = 60_000;
// How long before its end a session is told of; before the end that silence makes, sooner.
const [END, QUIET] = [600_000, 300_000];

const told = new Set();
let hasEnded = false;

const takeBack = (name) => told.delete(name) && withdraw(name);

const minutes = (millis) => {
  const count = Math.max(1, Math.round(millis / 60_000));
  return count === 1 ? "a minute" : `${count} minutes`;
};

// Says once that a session ends, and takes it back when its end is far again.
function once(name, isNear, row) {
  if (!isNear) takeBack(name);
  else if (!told.has(name)) {
    told.add(name);
    say({ id: `${name}-${Date.now()}`, tone: "bad", isSticky: true, ...row });
  }
}

function take({ ends_in_ms: ends, quiet_ends_in_ms: quiet }) {
  once("session-end", ends < END, { title: "You will be signed out",
    words: `This session ends in ${minutes(ends)}: a sign-in lasts twelve hours. Your orders stay.` });
  once("session-quiet", quiet < QUIET && quiet < ends, { title: "You will be signed out",
    words: `This session ends in ${minutes(quiet)} unless you use the page. Your orders stay.`,
    act: { words: "Stay signed in", run: stay } });
}

async function ask(call) {
  if (hasEnded) return;
  try {
    take(await call());
  } catch (failure) {
    // The next minute asks again; an end of the session is told by its own banner.
    console.info(failure.message);
  }
}

// Any call that a person makes is use.
async function stay() {
  try {
    await get("/site/session");
    take(await post("/site/watching"));
    showFault("stay", "");
  } catch (failure) {
    showFault("stay", `The page could not tell the exchange that you stay. ${failure.message}`);
  }
}

const watching = () => document.hidden || ask(() => post("/site/watching"));

// Begins to say that the page is seen.
export function start() {
  if (!isSignedIn()) return;
  onSession(take);
  onSessionEnd(() => {
    hasEnded = true;
    for (const name of [...told]) takeBack(name);
  });
  setInterval(watching, EVERY);
  document.addEventListener("visibilitychange", watching);
}
