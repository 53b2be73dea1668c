// The streams of the newest socket: the parts of a name, the stream that a frame is of, and all that a stream has said so far.

// Streams without a first frame: they send one when something happens.
const SILENT = new Set(["trade", "orders", "contractStatus"]);

export const isPrivate = (name) => name.endsWith("@account") || name.includes("@account@");

// The kind of stream that a frame belongs to; the newest socket names it in no field of its own.
function feedOf(frame) {
  if (frame.e === "depthUpdate") return "depth";
  if (frame.e === "orderUpdate") return "orders";
  if (frame.e === "balanceUpdate") return "balances";
  if (frame.e === "positionReport") return "positions";
  if (frame.e === "contractStatus") return "contractStatus";
  if ("lastUpdateId" in frame) return "levels";
  return "t" in frame ? "trade" : "bookTicker";
}

// What a frame is of: `{ feed, symbol }`.
export const subjectOf = (frame) => ({ feed: feedOf(frame), symbol: (frame.s ?? frame.symbol ?? "").toLowerCase() });

// The same of a stream's name.
function parsed(name) {
  const [subject, feed = subject] = name.split("@");
  if (feed === "account") return { symbol: "", feed: subject };
  return { symbol: feed === subject ? "" : subject.toLowerCase(), feed: /^depth\d/.test(feed) ? "levels" : feed };
}

const BY_PRICE = { keyOf: ([price]) => price, isGone: ([, amount]) => !/[1-9]/.test(amount) };
// The lists of rows that frames change, by the kind of stream. A frame of the other kinds says all that there is.
const LISTS = {
  depth: { b: BY_PRICE, a: BY_PRICE },
  balances: { B: { keyOf: ({ a }) => a, isGone: () => false } },
  positions: { P: { keyOf: ({ t, s, o }) => [t, s, o].join(" "), isGone: () => false } },
};

// A stream that the page has, for all of its watchers.
export class Stream {
  /** @type {string} */ name;
  /** @type {string} */ feed;
  /** @type {string} */ symbol;
  isGranted = false;

  constructor(name) {
    Object.assign(this, { name, ...parsed(name) });
    this.reset();
  }

  // Forgets what a socket said that has ended. `failure` is the state of a stream that cannot be had.
  reset() {
    Object.assign(this, { isAsked: false, isGranted: false, newest: null, failure: null });
    this.lists = Object.entries(LISTS[this.feed] ?? {}).map(([field, rules]) => ({ field, rows: new Map(), ...rules }));
  }

  // Whether the exchange has granted it and sent its first frame, if it has one.
  get isReady() {
    return this.isGranted && (this.newest !== null || SILENT.has(this.feed));
  }

  // Whether a frame is of this stream. One that comes before the stream is granted is of an earlier subscription.
  takes({ feed, symbol }) {
    return this.isGranted && this.feed === feed && (!this.symbol || this.symbol === symbol);
  }

  // Whether frames are missing between the last one and this one.
  lacks(frame) {
    return this.feed === "depth" && this.newest !== null && frame.U > this.newest.u;
  }

  // Takes a frame; returns whether it is the first one.
  take(frame) {
    const isFirst = this.newest === null;
    this.newest = frame;
    for (const { field, rows, keyOf, isGone } of this.lists) {
      for (const row of frame[field]) {
        if (isGone(row)) rows.delete(keyOf(row));
        else rows.set(keyOf(row), row);
      }
    }
    return isFirst;
  }

  // All that its frames said, as one frame; null if they say nothing to those who did not hear them.
  whole() {
    if (this.newest === null || SILENT.has(this.feed)) return null;
    return { ...this.newest, ...Object.fromEntries(this.lists.map(({ field, rows }) => [field, [...rows.values()]])) };
  }
}
