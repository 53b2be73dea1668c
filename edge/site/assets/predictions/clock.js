// The exchange's clock, which need not be this browser's: a sandbox may stand still and jump. It is asked over the page's socket.
import { request } from "../socket.js";
import { useEffect, useState } from "../ui.js";

const PAUSE = 2_000;
// How far the exchange's clock may be from this browser's pace and still count as running.
const [SLOWEST, FASTEST] = [0.5, 1.5];

let last = null;
let timer = 0;

async function ask() {
  try {
    const { result } = await request("time");
    const at = performance.now();
    const pace = last ? (result.serverTime - last.time) / (at - last.at) : 0;
    last = { time: result.serverTime, at, isRunning: pace > SLOWEST && pace < FASTEST };
  } catch {
    // The socket is not open; its watchers show that, and the next try asks again.
  }
  timer = setTimeout(ask, last ? PAUSE : PAUSE / 10);
}

const now = () => last && last.time + (last.isRunning ? performance.now() - last.at : 0);

// The exchange's time in milliseconds, each second anew; null before the first answer.
export function useExchangeTime() {
  const [time, setTime] = useState(now);
  useEffect(() => {
    if (!timer) ask();
    const ticks = setInterval(() => setTime(now()), 250);
    return () => clearInterval(ticks);
  }, []);
  return time === null ? null : Math.floor(time / 1_000) * 1_000;
}
