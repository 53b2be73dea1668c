// Balances, positions and margin of the account. The exchange computes all of them; the page asks again when money moved.
import { call } from "../call.js";
import { difference, read, text } from "../decimal.js";
import { isSignedIn } from "../page.js";
import { watch } from "../socket.js";
import { isContract, isPerpetual, symbol } from "./market.js";
import { moved } from "./orders.js";
import { store } from "./store.js";

const [PAUSE, EVERY] = [250, 5_000];

export const balanceState = store({ kind: "loading" });
// By currency: `amount` and `available`.
export const balances = store(new Map());
export const positionState = store({ kind: "loading" });
export const positions = store([]);
// The margin of a derivatives account with this perpetual, or null.
export const margin = store(null);
export const funding = store([]);

// The first frame has every currency.
function onBalances(frame, { isFirst }) {
  const next = new Map(isFirst ? [] : balances.get());
  for (const { a, f, c } of frame.B) next.set(a, { available: f, amount: c });
  balances.set(next);
  moved.set(moved.get() + 1);
}

// Asks for the positions of perpetuals. It fails if the exchange does not say.
export async function readPositions() {
  const held = await call("/v1/positions");
  positions.set(held);
  return held;
}

async function loadPositions() {
  if (isContract) return positions.set((await call("/v1/prediction-markets/positions")).positions);
  const held = await readPositions();
  // Accounts of other kinds have no margin, and no position either.
  const isHeld = isPerpetual && held.some((position) => position.symbol.toLowerCase() === symbol);
  return margin.set(isHeld ? await call("/v1/margin", { symbol }) : null);
}

export async function loadFunding() {
  if (!isSignedIn() || !isPerpetual) return;
  try {
    funding.set(await call("/v1/perpetuals/fundingPayment"));
  } catch (failure) {
    console.info(failure.message);
    funding.set([]);
  }
}

const reload = async () => {
  if (document.hidden) return;
  try {
    await loadPositions();
    if (positionState.get().kind !== "live") positionState.set({ kind: "live" });
  } catch (failure) {
    positionState.set({ kind: "error", message: failure.message });
  }
};

let timer = 0;
const soon = () => {
  timer ||= setTimeout(() => {
    timer = 0;
    reload();
  }, PAUSE);
};

// Begins to listen.
export function start() {
  if (!isSignedIn()) {
    for (const state of [balanceState, positionState]) state.set({ kind: "live" });
    return;
  }
  watch(["balances@account"], { onFrame: onBalances, onState: (state) => balanceState.set(state) });
  moved.subscribe(soon);
  reload();
  if (isPerpetual || isContract) setInterval(reload, EVERY);
  loadFunding();
}

// Why an order of a side cannot reduce the position that there is, as a sentence; none if it can.
export function whyNotReduced(side) {
  const held = positionHere()?.quantity ?? "0";
  if (!/[1-9]/.test(held)) return "There is no position to reduce.";
  const [name, against] = held.startsWith("-") ? ["short", "buy"] : ["long", "sell"];
  return side === against ? "" : `A ${name} position is reduced by a ${against}.`;
}

// How many claims of an outcome the account could sell now.
export function claimsOf(named) {
  const held = positions.get().find((one) => one.symbol.toLowerCase() === symbol && one.outcome === named);
  return held ? text(difference(read(held.totalQuantity), read(held.quantityOnHold ?? "0"))) : "0";
}

// How many claims of an outcome the account's own sales hold.
export const heldBack = (named) =>
  positions.get().find((one) => one.symbol.toLowerCase() === symbol && one.outcome === named)?.quantityOnHold ?? "0";

// How many claims of the other outcome a buy of this one closes in pairs: those that no sale holds.
export const heldAgainst = (named) => claimsOf(named === "no" ? "yes" : "no");

export const positionHere = () => positions.get().find((position) => position.symbol.toLowerCase() === symbol);
export { reload as reloadPositions };
