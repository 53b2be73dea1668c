// What was done by the console in this tab, as one shell script for a fresh sandbox.
import { useEffect, useState } from "../ui.js";

const PLACE = "buttonwood-acts";
const MOST = 500;
const readers = new Set();

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE) ?? "[]");
  } catch {
    return [];
  }
}

function keep(acts) {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(acts));
  } catch {
    // A browser that keeps nothing has no record.
  }
  for (const reader of readers) reader(acts);
}

// A text as one word of a shell.
export const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// Notes an act that was carried out.
export const record = ({ path, body }) => keep([...kept(), { path, body }].slice(-MOST));

export const forget = () => keep([]);

export function useActs() {
  const [acts, setActs] = useState(kept());
  useEffect(() => {
    readers.add(setActs);
    return () => void readers.delete(setActs);
  }, []);
  return acts;
}

// The script. Keys, addresses and ids that an exchange draws are another's in a sandbox with another seed.
export const scriptOf = (acts) => [
  "#!/bin/sh",
  "# Usage: sh acts.sh [URL]",
  "set -eu",
  "url=${1:-http://127.0.0.1:8080}",
  "post() { curl -sS --fail-with-body \"$url$1\" -H 'Content-Type: application/json' -d \"$2\"; echo; }",
  ...acts.map(({ path, body }) => `post ${quoted(path)} ${quoted(body)}`),
  "",
].join("\n");
