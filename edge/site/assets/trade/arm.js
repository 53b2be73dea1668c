// One-click trading is armed by hand, for as long as somebody is there. A page that is loaded anew is not armed.
import { announce } from "../ui.js";
import { store } from "./store.js";

const IDLE = 600_000;

export const isArmed = store(false);
let touched = Date.now();

export function arm(on) {
  touched = Date.now();
  isArmed.set(on);
  announce(on ? "One-click trading is armed" : "One-click trading is off");
}

for (const name of ["pointermove", "pointerdown", "keydown", "wheel"]) {
  addEventListener(name, () => {
    disarmIdle();
    touched = Date.now();
  }, { passive: true, capture: true });
}

// Checked before what wakes the page counts, so that a click after a long sleep finds it off.
function disarmIdle() {
  if (isArmed.get() && Date.now() - touched >= IDLE) arm(false);
}
setInterval(disarmIdle, 5_000);
addEventListener("pageshow", ({ persisted }) => persisted && isArmed.set(false));
