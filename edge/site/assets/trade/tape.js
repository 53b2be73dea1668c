// The tape: the newest trades, the newest first.
import { clock } from "../time.js";
import { html, Region, useEffect, useRef } from "../ui.js";
import { amountShown, amountText, base, isContract, priceShown, priceText, quote } from "./market.js";
import { onTrades, tapeFault, tapeState, trades } from "./feed.js";
import { element, keep, mark, onRoom, write } from "./rows.js";
import { useStore } from "./store.js";

function makeRow() {
  const line = element("tr");
  const [time, side, price, amount] = ["soft", "side", "number", "number"].map((name) => element("td", name));
  line.append(time, side, price, amount);
  return { line, time, side, price, amount };
}

function drawRow(row, trade) {
  mark(row.line, "hidden", trade === undefined);
  if (!trade) return;
  write(row.time, clock(trade.at));
  mark(row.side, "class", trade.isBuy ? "side up" : "side down");
  write(row.side, trade.isBuy ? "Buy" : "Sell");
  write(row.price, priceShown(trade.price));
  mark(row.price, "class", trade.isBuy ? "number up" : "number down");
  mark(row.price, "data-value", priceText(trade.price));
  write(row.amount, amountShown(trade.amount));
  mark(row.amount, "title", amountText(trade.amount));
  mark(row.line, "data-trade", String(trade.id));
}

function run(body, place) {
  const rows = [];
  const drawAll = () => place.offsetParent && rows.forEach((row, at) => drawRow(row, trades[at]));
  const ends = [
    onRoom(place, (count) => {
      keep(body, rows, Math.min(count, 60), makeRow);
      drawAll();
    }),
    onTrades(drawAll),
  ];
  return () => ends.forEach((end) => end());
}

export function Tape() {
  const state = useStore(tapeState);
  const fault = useStore(tapeFault);
  const body = useRef(null);
  const place = useRef(null);
  useEffect(() => run(body.current, place.current), []);
  return html`<${Region} name="tape" title="Trades" state=${state} className="tape">
    ${fault && html`<p class="warning list-rest" role="status" data-fault="tape">${fault}</p>`}
    <div class="fixed-rows" ref=${place}><table data-list="tape" data-live><caption class="unseen">Newest trades</caption>
      <thead><tr><th>Time</th><th>Side</th><th class="number">Price, ${quote}</th><th
        class="number">${isContract ? "Contracts" : `Amount, ${base}`}</th></tr></thead>
      <tbody ref=${body}></tbody></table></div>
  </${Region}>`;
}
