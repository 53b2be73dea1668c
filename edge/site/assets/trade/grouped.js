// Levels of a side put together in steps of the price.

// A bid belongs to the step below it, an ask to the step above: nobody is shown a better price than there is.
/** @param {bigint} price @param {bigint} size @param {boolean} isBids */
export const stepOf = (price, size, isBids) => (isBids ? (price / size) * size : ((price + size - 1n) / size) * size);

// The first so many levels of a side: `{ price, amount, total }`.
/** @param {{ prices: bigint[], amounts: Map<bigint, bigint>, isBids: boolean }} side @param {number} count @param {bigint} size
 * @returns {{ price: bigint, amount: bigint, total: bigint }[]} */
export function levels(side, count, size) {
  const found = [];
  let total = 0n;
  for (const price of side.prices) {
    const at = stepOf(price, size, side.isBids);
    const amount = side.amounts.get(price);
    const newest = found.at(-1);
    if (newest?.price === at) {
      total += amount;
      newest.amount += amount;
      newest.total = total;
      continue;
    }
    if (found.length === count) break;
    total += amount;
    found.push({ price: at, amount, total });
  }
  return found;
}

// Steps to choose from: the tick, and one, two and five times its powers of ten.
/** @param {bigint} tick @param {bigint | number} middle */
export function steps(tick, middle) {
  const found = [tick];
  for (let power = tick * 10n; middle && power * 20n < middle && found.length < 16; power *= 10n) found.push(power, power * 2n, power * 5n);
  return found;
}
