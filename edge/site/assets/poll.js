// Polls several calls, one after another, each in its own interval. Nothing is requested while the page is hidden, and
// after a refusal or a failure everything waits, each time longer.

const LONGEST_WAIT = 60;

// What went wrong, as a sentence.
function sentence(reply, message) {
  if (reply.status === 429) return "The exchange limits the requests from this address.";
  return `The exchange answers with status ${reply.status}${message ? `: ${message}` : ""}.`;
}

async function trouble(reply) {
  const text = await reply.text();
  try {
    return sentence(reply, JSON.parse(text).message);
  } catch {
    return sentence(reply, text.slice(0, 200));
  }
}

// Requests a call and hands its text to its reader. Returns undefined, or what went wrong and the least wait in seconds.
async function request(call) {
  const target = call.path();
  let reply;
  let text;
  try {
    reply = await fetch(target, { cache: "no-store", signal: AbortSignal.timeout(10_000) });
    if (!reply.ok) return { why: await trouble(reply), wait: Number(reply.headers.get("retry-after")) || 0 };
    text = await reply.text();
  } catch {
    return { why: "The exchange does not answer.", wait: 0 };
  }
  // A call whose target changed in the meantime is requested again.
  if (target === call.path()) call.read(text);
  return undefined;
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

  async function carryOut(call) {
    due.set(call, performance.now() + 1000 * call.seconds);
    const failure = await request(call);
    if (!failure) {
      failures = 0;
      return say("Live", true);
    }
    failures += 1;
    due.set(call, 0);
    const wait = Math.min(LONGEST_WAIT, Math.max(failure.wait, 2 ** failures));
    resume = performance.now() + 1000 * wait;
    return say(`${failure.why} Next request in ${wait} s.`, false);
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
