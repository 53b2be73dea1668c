// What the server says of this page, and the one place that makes addresses: a prefix before every path is a change here alone.

// The page's block of data: `mode`, `csrf`, `step`, `next`, `user`, `streams`, `preferences`, and `page`, the page's own part.
export const data = JSON.parse(document.getElementById("data").textContent);

const PREFIX = "";

// The address of a path of this site.
export const url = (path) => PREFIX + path;

// The address of a socket. A venue may have a listener for sockets alone.
export function socketUrl(path) {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  return (data.streams ?? `${scheme}//${location.host}`) + url(path);
}

// Whether this browser has given both factors.
export const isSignedIn = () => data.step === "done" && Boolean(data.user);

export const isSandbox = () => data.mode === "sandbox";

// Where signing in leads back to this page.
export const signInUrl = (step = "") => url(`/signin?${step ? `step=${step}&` : ""}next=${encodeURIComponent(location.pathname)}`);
