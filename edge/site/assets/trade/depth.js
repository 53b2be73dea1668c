// The depth chart: the sum of both sides of the book, from the middle outwards. What is written is exact; what is drawn is
// not.
import { difference, read, sum, text } from "../decimal.js";

const [WIDTH, HEIGHT, ROOM] = [600, 150, 6];
// A side reaches as far as this part of it, and the axis ends at the last level within so many times the longer reach.
const [PART, TIMES] = [0.9, 4];

// Levels with the sum of their amounts so far, best first.
/** @typedef {{ price: string, amount: string }} Level @typedef {{ digits: bigint, places: number }} Decimal */
/** @param {Level[]} levels @returns {(Level & { total: Decimal })[]} */
export function totals(levels) {
  let total = { digits: 0n, places: 0 };
  return levels.map((level) => {
    total = sum(total, read(level.amount));
    return { ...level, total };
  });
}

// How far from the middle most of a side is: nine tenths of its levels or of its value, whichever is nearer, and half of its levels
// at least. No single order changes it much, however far it is and however large.
function reach(levels, away) {
  const quantile = (part) => away(levels[Math.floor(part * (levels.length - 1))]);
  const values = levels.map(({ price, amount }) => Number(price) * Number(amount));
  let rest = PART * values.reduce((one, other) => one + other, 0);
  const heavy = levels.find((_, at) => {
    rest -= values[at];
    return rest <= 0;
  });
  return Math.max(quantile(0.5), Math.min(quantile(PART), heavy ? away(heavy) : Infinity));
}

// The ends of the axis, and the levels between them. The middle of the book is in the middle of the axis; a book with one side
// is shown as far as it goes.
export function axis(bids, asks) {
  if (!bids.length || !asks.length) {
    const [low, high] = [bids.at(-1) || asks[0], asks.at(-1) || bids[0]].map((level) => level?.price || "");
    return { low, high, bids, asks };
  }
  const both = sum(read(bids[0].price), read(asks[0].price));
  const middle = Number(text(both)) / 2;
  const away = ({ price }) => Math.abs(Number(price) - middle);
  const most = TIMES * Math.max(...[bids, asks].map((levels) => reach(levels, away)));
  const near = [bids, asks].map((levels) => levels.filter((level) => away(level) <= most));
  const [low, high] = near.map((levels) => levels.at(-1));
  const opposite = ({ price }) => text(difference(both, read(price))).replace(/^-.*/, "0");
  const isLow = away(low) > away(high);
  return {
    low: isLow ? low.price : opposite(high),
    high: isLow ? opposite(low) : high.price,
    bids: near[0],
    asks: near[1],
  };
}

function shape(kind, points) {
  const line = document.createElementNS("http://www.w3.org/2000/svg", kind);
  line.setAttribute("points", points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "));
  return line;
}

// The stairs of one side: an area and the line above it.
function side(levels, name, x, y) {
  if (!levels.length) return [];
  const edge = name === "bid" ? 0 : WIDTH;
  const steps = [[x(levels[0].price), HEIGHT]];
  levels.forEach(({ price, total }, at) => {
    if (at) steps.push([x(price), steps.at(-1)[1]]);
    steps.push([x(price), y(text(total))]);
  });
  steps.push([edge, steps.at(-1)[1]]);
  const [area, line] = [shape("polygon", [...steps, [edge, HEIGHT]]), shape("polyline", steps)];
  area.setAttribute("class", `${name} area`);
  line.setAttribute("class", `${name} line`);
  line.setAttribute("vector-effect", "non-scaling-stroke");
  return [area, line];
}

// Draws both sides; returns the ends of the axis, the sums that are drawn, and the number of levels that are not.
export function draw(svg, allBids, allAsks) {
  const { low, high, bids, asks } = axis(allBids, allAsks);
  const sums = [bids, asks].map((levels) => levels.at(-1)?.total || read("0"));
  const most = Math.max(...sums.map((total) => Number(text(total))));
  const x = (price) => (WIDTH * (Number(price) - low)) / (high - low || 1);
  const y = (total) => HEIGHT - ((HEIGHT - ROOM) * Number(total)) / (most || 1);
  svg.replaceChildren(...side(bids, "bid", x, y), ...side(asks, "ask", x, y));
  const farther = allBids.length + allAsks.length - bids.length - asks.length;
  return { low, high, bids: sums[0], asks: sums[1], farther };
}
