// Calls of the pages. What fails is a `Failure`, whose message is a sentence for the page.

export class Failure extends Error {
  // `wait` is the least wait before the next request, in seconds; `reason` and `plain` are the reason and the message of a refusal.
  constructor(message, { cause, wait = 0, reason = "", plain = "" } = {}) {
    super(message, { cause });
    this.wait = wait;
    this.reason = reason;
    this.plain = plain || message;
  }
}

// The reason and the message of a refusal; of another body its beginning.
function words(reply, text) {
  if (!(reply.headers.get("content-type") || "").startsWith("application/json")) return { message: text.slice(0, 200) };
  try {
    return JSON.parse(text);
  } catch (failure) {
    console.error(failure);
    return { message: `its body is no JSON: ${text.slice(0, 200)}` };
  }
}

function refusal(reply, text) {
  const { reason, message } = words(reply, text);
  const status = `The exchange answers with status ${reply.status}${reason ? ` (${reason})` : ""}`;
  const wait = Number(reply.headers.get("retry-after")) || 0;
  const whole = message ? `${status}: ${message.replace(/\.?$/, ".")}` : `${status}.`;
  return new Failure(whole, { wait, reason, plain: reason ? message : "" });
}

// The text of a reply; `options` are those of `fetch`.
export async function get(path, options = {}) {
  let reply;
  let text;
  try {
    reply = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(10_000), ...options });
    text = await reply.text();
  } catch (cause) {
    throw new Failure(`The exchange does not answer (${cause.message}).`, { cause });
  }
  if (!reply.ok) throw refusal(reply, text);
  return text;
}

// Hands what was read to the function that shows it.
export function showing(show, what) {
  try {
    return show(what);
  } catch (cause) {
    throw new Failure(`This page cannot show what the exchange answers (${cause.message}).`, { cause });
  }
}
