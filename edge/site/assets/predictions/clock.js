// The exchange's clock, which need not be this browser's: a sandbox may stand still and jump. It is asked over the page's socket.
import { showFault } from "../faults.js";
import { request } from "../socket.js";
import { useEffect, useState } from "../ui.js";

const PAUSE = 2_000;
// How far the exchange's clock may be from this browser's pace and still count as running.
const [SLOWEST, FASTEST] = [0.5, 1.5];

// Tries that may fail before the page says so.
const TRIES = 10;

let last = null;
let timer = 0;
let tries = 0;

async function ask() {
  try {
    const { result } = await request("time");
    const at = performance.now();
    const pace = last ? (result.serverTime - last.time) / (at - last.at) : 0;
    last = { time: result.serverTime, at, isRunning: pace > SLOWEST && pace < FASTEST };
    tries = 0;
    showFault("clock", "");
  } catch (failure) {
    // The socket opens a moment after the page.
    tries += 1;
    if (tries > TRIES) showFault("clock", `Times that count down may be wrong: the exchange's clock cannot be read. ${failure.message}`);
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
