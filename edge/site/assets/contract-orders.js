// The live orders of contracts, all of them: the exchange answers with a hundred at most.
import { Failure } from "./call.js";

const [PAGE, TRIES] = [100, 5];
const PATH = "/v1/prediction-markets/orders/active";

// One reading of all pages. Each begins with the last order of the page before; if that is another one by now, orders came or ended in
// between and one could be missed: null.
async function readOnce(ask) {
  const found = [];
  for (;;) {
    const { orders } = await ask(PATH, { limit: PAGE, offset: Math.max(0, found.length - 1) });
    if (found.length && orders[0]?.orderId !== found.at(-1).orderId) return null;
    found.push(...(found.length ? orders.slice(1) : orders));
    if (orders.length < PAGE) return found;
  }
}

// `ask(request, fields)` makes a call of the account.
export async function liveContractOrders(ask) {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const found = await readOnce(ask);
    if (found) return found;
  }
  throw new Failure("The orders change faster than they can be listed. Try again.");
}
