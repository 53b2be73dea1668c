// Values that are asked for again and again, with the states of a region.
import { get } from "../call.js";
import { useCallback, useEffect, useRef, useState } from "../ui.js";

const LONGEST = 8_000;
const STALE = 7_000;

// The state and the value of a path's answer: `[state, value, reload]`. Nothing is asked while `every` is 0 or the page is hidden.
export function usePolled(path, every) {
  const [polled, setPolled] = useState({ state: { kind: "loading" }, value: null });
  const turn = useRef(0);
  const run = useCallback(async () => {
    const mine = ++turn.current;
    const heard = { at: Date.now(), tries: 0 };
    const again = (wait) => every && setTimeout(() => mine === turn.current && step(), wait);
    const step = async () => {
      if (document.hidden) return again(every);
      const slept = Date.now() - heard.at > every + STALE;
      if (slept) setPolled((last) => (last.value === null ? last : { ...last, state: { kind: "stale", since: heard.at } }));
      try {
        const value = await get(path);
        if (mine !== turn.current) return undefined;
        [heard.at, heard.tries] = [Date.now(), 0];
        setPolled({ state: { kind: "live" }, value });
        return again(every);
      } catch (failure) {
        if (mine !== turn.current) return undefined;
        heard.tries += 1;
        const wait = Math.min(LONGEST, 250 * 2 ** heard.tries);
        const state = failure.isLost && every ? { kind: "reconnecting", tries: heard.tries, nextAt: Date.now() + wait, since: heard.at }
          : { kind: "error", message: failure.message, reason: failure.reason };
        setPolled((last) => ({ state, value: last.value }));
        return again(Math.max(wait, every));
      }
    };
    await step();
  }, [path, every]);
  useEffect(() => {
    run();
    return () => void turn.current++;
  }, [run]);
  return [polled.state, polled.value, run];
}
