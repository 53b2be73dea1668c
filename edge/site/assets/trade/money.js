// Balances, positions and margin of the account. The exchange computes all of them; the page asks again when money moved.
import { call, Failure } from "../call.js";
import { difference, read, text } from "../decimal.js";
import { showFault } from "../faults.js";
import { amount } from "../figures.js";
import { isSignedIn } from "../page.js";
import { watch } from "../socket.js";
import { isContract, isPerpetual, symbol } from "./market.js";
import { fillsSoFar, moved } from "./orders.js";
import { store } from "./store.js";

/** @import { State } from "./store.js" */

const [PAUSE, EVERY] = [250, 5_000];
// How long an answer for an order may take.
const PATIENCE = 5_000;

export const balanceState = store(/** @type {State} */ ({ kind: "loading" }));
// By currency: `amount` and `available`.
export const balances = store(/** @type {Map<string, { amount: string, available: string }>} */ (new Map()));
export const positionState = store(/** @type {State} */ ({ kind: "loading" }));
export const positions = store([]);
// The margin of a derivatives account with this perpetual, or null.
export const margin = store(/** @type {import("replies").Schema<"AccountFigures"> | null} */ (null));
export const funding = store(/** @type {import("replies").Schema<"FundingPayment">[]} */ ([]));
// Why the payments of funding cannot be read, as a sentence.
export const fundingFault = store("");
// The newest mark of this perpetual: one for all parts of the page.
export const mark = store("");

let framesHeard = 0;
// The first frame has every currency.
function onBalances(frame, { isFirst }) {
  framesHeard += 1;
  const next = new Map(isFirst ? [] : balances.get());
  for (const { a, f, c } of frame.B) next.set(a, { available: f, amount: c });
  balances.set(next);
  moved.set(moved.get() + 1);
}

// How often an answer is asked for again that fills overtake.
const READS = 5;

// The positions of perpetuals as the exchange has them now. An answer that a fill has overtaken is read again, so that none is older than
// what the page has shown. It fails if the exchange does not say, and on a page that is hidden (D-290).
export async function readPositions() {
  for (let tried = 1; tried <= READS; tried++) {
    if (document.hidden) throw new Failure("This page is hidden.");
    const [before, turn] = [fillsSoFar(), nextTurn()];
    const held = await call("/v1/positions", {}, { longest: PATIENCE });
    if (before !== fillsSoFar()) continue;
    setPositions(held, turn);
    return held;
  }
  throw new Failure("Fills came faster than the exchange could be asked. Try again.");
}

let [asked, shown] = [0, 0];
const nextTurn = () => (asked += 1);
// Shows positions, unless those that are shown were asked for later.
function setPositions(held, turn) {
  if (turn < shown) return;
  shown = turn;
  positions.set(held);
}

async function loadPositions() {
  const turn = nextTurn();
  if (isContract) return setPositions((await call("/v1/prediction-markets/positions")).positions, turn);
  const held = await call("/v1/positions");
  setPositions(held, turn);
  // Accounts of other kinds have no margin, and no position either.
  const isHeld = isPerpetual && held.some((position) => position.symbol.toLowerCase() === symbol);
  return margin.set(isHeld ? await call("/v1/margin", { symbol }) : null);
}

// Reads what is available to an account with positions: it follows the marks, of which no frame of balances tells. An answer that a frame
// has overtaken is left to the next one.
async function loadBalances() {
  if (!isPerpetual || positions.get().length === 0) return;
  const before = framesHeard;
  try {
    const found = await call("/v1/balances");
    showFault("available", "");
    if (before !== framesHeard) return;
    const all = balances.get();
    const isNew = ({ currency, available }) => all.get(currency)?.available !== available;
    const changed = found.filter(isNew).map(({ currency, ...held }) => /** @type {const} */ ([currency, held]));
    if (changed.length) balances.set(new Map([...all, ...changed]));
  } catch (failure) {
    showFault("available", `What is available may be old. ${failure.message}`);
  }
}

export async function loadFunding() {
  if (!isSignedIn() || !isPerpetual) return;
  try {
    funding.set(await call("/v1/perpetuals/fundingPayment"));
    fundingFault.set("");
  } catch (failure) {
    fundingFault.set(failure.message);
  }
}

const reload = async () => {
  if (document.hidden) return;
  try {
    await loadPositions();
    await loadBalances();
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
  // A page that was hidden read nothing meanwhile.
  document.addEventListener("visibilitychange", reload);
  if (isPerpetual || isContract) setInterval(reload, EVERY);
  loadFunding();
}

// Why an order of a side cannot reduce the position that there is, as a sentence; none if it can.
export function whyNotReduced(side) {
  const held = positionHere()?.quantity ?? "0";
  if (positionState.get().kind !== "live" && positions.get().length === 0) return "The position could not be read yet. Nothing is sent.";
  if (!/[1-9]/.test(held)) return "There is no position to reduce.";
  const [name, against] = held.startsWith("-") ? ["short", "buy"] : ["long", "sell"];
  return side === against ? "" : `A ${name} position is reduced by a ${against}.`;
}

// The same for an order that was about to be sent: what became of it, and the position as it is.
export function whyNothingSent(side) {
  const why = whyNotReduced(side);
  if (!why || !positionHere()) return why && `${why.replace(" Nothing is sent.", "")} Nothing was sent.`;
  const held = positionHere().quantity;
  return `${why} Nothing was sent: your position is now ${held.startsWith("-") ? "short" : "long"} ${amount(held.replace("-", ""))}.`;
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
