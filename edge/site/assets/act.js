// Acts of the user: one at a time, and a button shows that its act is at work.
import { Failure } from "./call.js";
import { announce, useCallback, useRef, useState, warn } from "./ui.js";

// An act of the user: `{ run, isBusy, failure, clear }`. `run(work, words)` does one at a time, says when it is done, and answers whether
// it was.
export function useAct() {
  const [shown, setShown] = useState({ isBusy: false, failure: null });
  const isBusy = useRef(false);
  const run = useCallback(async (work, words) => {
    if (isBusy.current) return false;
    isBusy.current = true;
    setShown({ isBusy: true, failure: null });
    try {
      await work();
      setShown({ isBusy: false, failure: null });
      if (words) announce(words);
      return true;
    } catch (failure) {
      const isFailure = failure instanceof Failure;
      setShown({ isBusy: false, failure: isFailure ? failure : null });
      if (!isFailure) throw failure;
      warn(failure.message);
      return false;
    } finally {
      isBusy.current = false;
    }
  }, []);
  const clear = useCallback(() => setShown({ isBusy: false, failure: null }), []);
  return { run, clear, ...shown };
}
