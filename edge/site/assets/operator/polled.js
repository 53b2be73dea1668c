// A call that is made again and again: its value, and how far that can be trusted.
import { useCallback, useEffect, useRef, useState } from "../ui.js";

// The state and the value of a call, and a function that makes it now. A value that was not renewed because no reply came is stale.
export function usePolled(load, every) {
  const [polled, setPolled] = useState({ state: { kind: "loading" }, value: null });
  const turn = useRef(0);
  const heard = useRef(0);
  const reload = useCallback(async () => {
    const mine = ++turn.current;
    try {
      const value = await load();
      if (mine !== turn.current) return;
      heard.current = Date.now();
      setPolled({ state: { kind: "live" }, value });
    } catch (failure) {
      if (mine !== turn.current) return;
      setPolled(({ value }) => {
        const isStale = failure.isLost && value !== null;
        const state = isStale ? { kind: "stale", since: heard.current }
          : { kind: "error", message: failure.message, reason: failure.reason, since: heard.current };
        return { state, value };
      });
    }
  }, [load]);
  useEffect(() => {
    const again = () => document.hidden || reload();
    reload();
    const timer = setInterval(again, every);
    document.addEventListener("visibilitychange", again);
    return () => {
      turn.current++;
      clearInterval(timer);
      document.removeEventListener("visibilitychange", again);
    };
  }, [reload, every]);
  return [polled.state, polled.value, reload];
}
