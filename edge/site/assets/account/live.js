// Values of calls that follow the account's streams.
import { watch } from "../socket.js";
import { useEffect, useLoaded, useRef, useState } from "../ui.js";

// The shortest time between two loads that frames start.
const PAUSE = 1_500;
// How long a first load waits for the streams: what changes after it is then told.
const PATIENCE = 700;
// Streams whose first frame has everything, so that it tells of no change.
const WHOLE = ["balances@account", "positions@account"];

// Calls a function soon, and once for all that asks for it meanwhile.
function useSoon(act, pause) {
  const timer = useRef(0);
  const newest = useRef(act);
  newest.current = act;
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ||= setTimeout(() => {
      timer.current = 0;
      newest.current();
    }, pause);
  };
}

// A promise that others settle.
function door() {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  setTimeout(open, PATIENCE);
  return { open, opened };
}

// The state of some streams of the account. `soon` is called for what they tell, and after a cut.
function useStreams(names, ready, soon) {
  const [state, setState] = useState({ kind: "loading" });
  useEffect(() => {
    if (names.length === 0) return ready.open();
    let wasCut = false;
    const onState = (next) => {
      if (next.kind !== "loading") ready.open();
      if (next.kind === "live" && wasCut) soon();
      wasCut = next.kind !== "live" && (wasCut || next.kind !== "loading");
      setState(next);
    };
    const onFrame = (_, { isFirst, name }) => (isFirst && WHOLE.includes(name)) || soon();
    return watch(names, { onFrame, onState });
  }, [names.join()]);
  return state;
}

// `[state, value, reload]` of a call that is made again when the streams say that something changed. A value that was loaded is as old as
// the streams are: theirs is the state, once they have said one.
export function useFollowed(load, names, { inputs = [], pause = PAUSE } = {}) {
  const ready = useRef(null);
  ready.current ??= door();
  const [loaded, value, reload] = useLoaded(async () => {
    await ready.current.opened;
    return load();
  }, inputs);
  const streams = useStreams(names, ready.current, useSoon(reload, pause));
  const isFollowed = loaded.kind === "live" && names.length > 0 && streams.kind !== "loading";
  return [isFollowed ? streams : loaded, value, reload];
}

// Calls a function every so many milliseconds while the page is seen, and when it is seen again.
export function useEvery(millis, act) {
  const newest = useRef(act);
  newest.current = act;
  useEffect(() => {
    const again = () => document.hidden || newest.current();
    const timer = setInterval(again, millis);
    document.addEventListener("visibilitychange", again);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", again);
    };
  }, [millis]);
}
