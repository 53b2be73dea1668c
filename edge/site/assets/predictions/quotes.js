// The best prices of contracts, live. A contract's quotes are those of yes; no follows from them.
import { watch } from "../socket.js";
import { useEffect, useRef, useState } from "../ui.js";

// The page draws at most so often, in milliseconds, and waits so long for first answers before it says that it loads.
const [PAUSE, PATIENCE] = [200, 1_000];

const quoted = (price, quantity) => (price === undefined || quantity === "0" ? null : price);

const ofFrame = (frame) => ({ bid: quoted(frame.b, frame.B), ask: quoted(frame.a, frame.A), last: frame.c ?? null });

// The quotes of a contract as its event was answered.
export const ofContract = ({ prices }) =>
  ({ bid: prices?.bestBid ?? null, ask: prices?.bestAsk ?? null, last: prices?.lastTradePrice ?? null });

// Watches contracts by their symbols. Gives the quotes by symbol and the socket's state.
export function useQuotes(symbols) {
  const [quotes, setQuotes] = useState(new Map());
  const [state, setState] = useState({ kind: "live" });
  const drawing = useRef(0);
  useEffect(() => {
    if (symbols.length === 0) return setState({ kind: "live" });
    const current = new Map();
    let waiting = 0;
    const draw = () => {
      drawing.current = 0;
      setQuotes(new Map(current));
    };
    const onFrame = (frame) => {
      current.set(frame.s.toUpperCase(), ofFrame(frame));
      drawing.current ||= setTimeout(draw, PAUSE);
    };
    // A list that has just changed is not called loading for the moment that its first prices take.
    const onState = (told) => {
      clearTimeout(waiting);
      if (told.kind !== "loading") return setState(told);
      waiting = setTimeout(() => setState(told), PATIENCE);
    };
    const stop = watch(symbols.map((symbol) => `${symbol.toLowerCase()}@bookTicker`), { onFrame, onState });
    return () => {
      stop();
      clearTimeout(waiting);
      clearTimeout(drawing.current);
      drawing.current = 0;
    };
  }, [symbols.join()]);
  return [quotes, state];
}

// Calls `act` soon after contracts opened, closed or were settled.
export function useStatusChanges(act) {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    let timer = 0;
    const onFrame = () => {
      clearTimeout(timer);
      timer = setTimeout(() => latest.current(), PAUSE);
    };
    const stop = watch(["contractStatus"], { onFrame });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
}
