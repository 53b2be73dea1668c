// The tape: the newest trades, the newest first.
import { clock } from "../time.js";
import { Rest, marksOf } from "../lists.js";
import { url } from "../page.js";
import { html, Region, useEffect, useRef, useState } from "../ui.js";
import { amountShown, amountText, base, isContract, priceShown, priceText, quote } from "./market.js";
import { onTrades, tapeFault, tapeState, trades } from "./feed.js";
import { element, keep, mark, onRoom, write } from "./rows.js";
import { useStore } from "./store.js";

const OLDER = { href: url("/docs#get_v1_trades_symbol"), words: "A call has older ones" };

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

// `setShown` gets how many trades have room while there are more of them, else 0.
function run(body, place, setShown) {
  const rows = [];
  const drawAll = () => {
    if (!place.offsetParent) return;
    rows.forEach((row, at) => drawRow(row, trades[at]));
    setShown(trades.length > rows.length ? rows.length : 0);
  };
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
  const [shown, setShown] = useState(0);
  useEffect(() => run(body.current, place.current, setShown), []);
  return html`<${Region} name="tape" title="Trades" state=${state} className="tape">
    ${fault && html`<p class="warning list-rest" role="status" data-fault="tape">${fault}</p>`}
    <div class="fixed-rows" ref=${place}><table data-live ...${marksOf("tape", shown, shown ? "more" : 0)}><caption class="unseen">Newest trades</caption>
      <thead><tr><th>Time</th><th>Side</th><th class="number">Price, ${quote}</th><th
        class="number">${isContract ? "Contracts" : `Amount, ${base}`}</th></tr></thead>
      <tbody ref=${body}></tbody></table></div>
    ${shown > 0 && html`<${Rest} shown=${shown} total="more" what="trades" link=${OLDER} />`}
  </${Region}>`;
}
