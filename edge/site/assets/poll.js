// Polls several calls, one after another, each in its own interval. Nothing is requested while the page is hidden, and
// after a refusal or a failure everything waits, each time longer.
import { get, showing } from "./failure.js";

const LONGEST_WAIT = 60;

// Requests a call and hands its text to its reader.
async function request(call) {
  const target = call.path();
  const text = await get(target);
  // A call whose target changed in the meantime is requested again.
  if (target === call.path()) showing(call.read, text);
}

// Starts polling. A call has `path()`, `read(text)` and `seconds`. `say(text, isWell)` shows the state. Returns a function
// that makes one call due at once.
export function poll(calls, say) {
  const due = new Map(calls.map((call) => [call, 0]));
  let failures = 0;
  let resume = 0;
  let isBusy = false;
  let timer;

  const next = () => calls.reduce((first, call) => (due.get(call) < due.get(first) ? call : first));

  function fail(call, failure) {
    console.error(failure);
    failures += 1;
    due.set(call, 0);
    const wait = Math.min(LONGEST_WAIT, Math.max(failure.wait, 2 ** failures));
    resume = performance.now() + 1000 * wait;
    say(`${failure.message} Next request in ${wait} s.`, false);
  }

  async function carryOut(call) {
    due.set(call, performance.now() + 1000 * call.seconds);
    try {
      await request(call);
      failures = 0;
      say("Live", true);
    } catch (failure) {
      fail(call, failure);
    }
  }

  async function turn() {
    clearTimeout(timer);
    if (isBusy || document.hidden) return;
    const call = next();
    const wait = Math.max(due.get(call), resume) - performance.now();
    if (wait <= 0) {
      isBusy = true;
      await carryOut(call);
      isBusy = false;
    }
    timer = setTimeout(turn, Math.max(0, wait));
  }

  document.addEventListener("visibilitychange", turn);
  turn();
  return (call) => {
    due.set(call, 0);
    turn();
  };
}
