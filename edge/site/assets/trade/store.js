// Values that several parts of the page read, and the one frame in which they are drawn.
import { useEffect, useReducer, useRef } from "../ui.js";

/** How current a part of the page is. @typedef {{ kind: string, message?: string, since?: number }} State */

/** @type {Set<() => unknown>} */
const due = new Set();
let asked = 0;

function run() {
  asked = 0;
  const now = [...due];
  due.clear();
  for (const draw of now) draw();
}

// Draws something in the next frame, once however often it is asked for.
/** @param {() => unknown} once */
export function draw(once) {
  due.add(once);
  asked ||= requestAnimationFrame(run);
}

// A value and those who read it. Readers are called once a frame, with the newest value.
/** @template T @param {T} value */
export function store(value) {
  /** @type {Set<(value: T) => unknown>} */
  const readers = new Set();
  const tell = () => {
    for (const reader of [...readers]) reader(value);
  };
  return {
    get: () => value,
    /** @param {T} next */
    set(next) {
      if (next === value) return;
      value = next;
      if (readers.size) draw(tell);
    },
    /** @param {(value: T) => unknown} reader */
    subscribe(reader) {
      readers.add(reader);
      return () => readers.delete(reader);
    },
  };
}

// The value of a store, or a part of it; the component draws itself again when that changes. `pick` may depend on what the component
// draws, so the newest one counts.
/** @template T, [R=T] @param {{ get: () => T, subscribe: (reader: (value: T) => unknown) => () => unknown }} source
 * @param {(value: T) => R} [pick] @returns {R} */
export function useStore(source, pick = (value) => /** @type {any} */ (value)) {
  const [, drawAgain] = useReducer((count) => count + 1, 0);
  const newest = useRef(null);
  newest.current = { pick, value: pick(source.get()) };
  useEffect(() => {
    const check = (next) => newest.current.pick(next) !== newest.current.value && drawAgain();
    check(source.get());
    return source.subscribe(check);
  }, [source]);
  return newest.current.value;
}
