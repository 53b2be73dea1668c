// The areas of the control calls, by the first part of their paths. A call of a later product is an area of its own.
const AREAS = [
  ["Time", ["clock"]],
  ["People", ["groups", "accounts", "keys", "users", "sessions", "oauth", "nonces", "approvals", "mail"]],
  ["Market", ["index", "symbols", "trades", "halt", "resume", "maintenance", "perpetuals"]],
  ["Money", ["chains", "banks", "deposits", "ledger", "fx", "instant"]],
  ["Fees", ["fees", "promotions"]],
  ["Products", ["predictions", "staking", "clearing"]],
  ["Watching", ["requests", "streams", "history"]],
];

const partOf = ({ path }) => path.split("/")[2];

// The calls by area: `[[area, calls]]`, without empty areas.
export function byArea(calls) {
  const known = AREAS.flatMap(([, parts]) => parts);
  const others = [...new Set(calls.map(partOf))].filter((part) => !known.includes(part));
  const areas = [...AREAS, ...others.map((part) => [part, [part]])];
  return areas.map(([area, parts]) => [area, calls.filter((call) => parts.includes(partOf(call)))]).filter(([, all]) => all.length);
}
