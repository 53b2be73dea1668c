// What was done by the console in this tab, as one shell script for a fresh sandbox.
import { showFault } from "../faults.js";
import { newest } from "../lists.js";
import { useEffect, useState } from "../ui.js";

const PLACE = "buttonwood-acts";
// Acts that are kept; the oldest go first.
export const MOST = 500;
const readers = new Set();

const note = (failure) => showFault("record", `This browser keeps no record of what you do here: ${failure.message}`);

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE) ?? "[]");
  } catch (failure) {
    note(failure);
    return [];
  }
}

function keep(acts) {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(acts));
    showFault("record", "");
  } catch (failure) {
    note(failure);
  }
  for (const reader of readers) reader(acts);
}

// A text as one word of a shell.
export const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// Notes an act that was carried out.
export const record = ({ path, body }) => keep(newest([...kept(), { path, body }], MOST));

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
