// The depth chart: the sum of both sides of the book, from the middle outwards. What is written is exact; what is drawn is
// not.
import { read, sum, text } from "./decimal.js";

const [WIDTH, HEIGHT, ROOM] = [600, 150, 6];

// Levels with the sum of their amounts so far, best first.
export function totals(levels) {
  let total = { digits: 0n, places: 0 };
  return levels.map((level) => {
    total = sum(total, read(level.amount));
    return { ...level, total };
  });
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

// Draws both sides; returns the texts around the chart.
export function draw(svg, bids, asks) {
  const deepest = [bids, asks].map((levels) => (levels.length ? text(levels.at(-1).total) : "0"));
  const prices = [...bids, ...asks].map((level) => Number(level.price));
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const most = Math.max(...deepest.map(Number));
  const x = (price) => (WIDTH * (Number(price) - low)) / (high - low || 1);
  const y = (total) => HEIGHT - ((HEIGHT - ROOM) * Number(total)) / (most || 1);
  svg.replaceChildren(...side(bids, "bid", x, y), ...side(asks, "ask", x, y));
  const ends = [bids.at(-1) || asks[0], asks.at(-1) || bids[0]].map((level) => level?.price || "");
  return { low: ends[0], high: ends[1], bids: deepest[0], asks: deepest[1] };
}
