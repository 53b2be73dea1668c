// Prices, statuses, auctions, halts, and trades that are broken.
import { publicPath } from "../call.js";
import { compare, isDecimal, product, read, short, text } from "../decimal.js";
import { url } from "../page.js";
import { decimalsOf } from "../figures.js";
import { marksOf, part, Rest, totalOf } from "../lists.js";
import { Pinned } from "../pinned.js";
import { Amount, html, Price, Region, SendButton, Side, useEffect, useState } from "../ui.js";
import { findCall } from "./contract.js";
import { CallForm, Curl, Reply, useSending } from "./form.js";
import { Head, More } from "./more.js";
import { useNames } from "./names.js";
import { usePolled } from "./polling.js";
import { stamp, useNow } from "./clock.js";
import { curlOf, requestOf } from "./send.js";

const MOVES = [["Crash by 30 %", "0.7"], ["Fall by 5 %", "0.95"], ["Rise by 5 %", "1.05"], ["Rise by 30 %", "1.3"]];
// Trades that are asked for: one more than are listed, which says whether there are more.
const TRADES = 9;

// A price times a factor, with at most two decimals above a dollar.
function moved(price, factor) {
  const exact = text(product(read(price), read(factor)));
  return compare(read(exact), read("1")) < 0 ? short(exact, 8) : short(exact, 2);
}

// The dollar price of the currency that a symbol trades, as its last trade has it. `onState` gets how far it can be trusted.
function Index({ calls, symbol, currency, onState }) {
  const [state, ticker] = usePolled(publicPath(`/v1/pubticker/${symbol}`), 1_500);
  useEffect(() => onState(state), [state]);
  const [, clock] = usePolled("/sandbox/clock", 0);
  const [, status, readStatus] = usePolled(`/site/status/${symbol}.json`, 1_500);
  const last = ticker && isDecimal(String(ticker.last)) ? String(ticker.last) : null;
  const pin = (price) => ({ price, pinned: "" });
  const quick = [
    ...MOVES.map(([words, factor], at) => ({ words, isMain: at === 0, isOff: !last, values: () => pin(moved(last, factor)) })),
    { words: "Return to the market", values: { price: "", pinned: "false" } },
  ];
  return html`<p class="market-price"><b>${symbol.toUpperCase()}</b> last <${Price} text=${last}
    places=${decimalsOf(symbol)} unit=${symbol.endsWith("usd") ? "USD" : ""} />
      ${" "}<a href=${url(`/trade/${symbol}`)}>Watch ${symbol.toUpperCase()}</a></p>
    <${Pinned} pinned=${status?.pinned} onReleased=${readStatus} />
    <${CallForm} key=${symbol} call=${findCall(calls, "/sandbox/index/{currency}")} only=${["currency", "price"]} musts=${["price"]}
      isSmall words="Pin" preset=${{ currency }} quick=${quick} />
    <p class="note">The index of a currency sets its marks, and positions with too little margin are liquidated at once. Simulated traders
      quote by it within four seconds of the exchange's time; the last price follows with their next trade, often ten seconds later.${clock?.mode === "manual"
      && " The clock is manual: move it by a minute, and the books follow."}</p>`;
}

function Tape({ calls, symbol }) {
  const [state, trades, reload] = usePolled(publicPath(`/v1/trades/${symbol}?limit_trades=${TRADES}`), 5_000);
  const call = findCall(calls, "/sandbox/trades/break");
  const [kind, setKind] = useState("full");
  const [tid, setTid] = useState("");
  const [{ answer, isBusy, question }, act] = useSending(call, reload);
  const values = { tid, kind };
  const count = part(trades ?? [], TRADES - 1).length;
  const pick = (one) => {
    setTid(String(one));
    act({ tid: String(one), kind });
  };
  return html`<form class="call" data-call=${call.path} data-method="POST" noValidate onSubmit=${(event) => {
    event.preventDefault();
    act(values);
  }}>
    <div class="call-fields"><div class="field"><label for="break-tid">Trade<span class="must" aria-hidden="true"> *</span></label>
        <input id="break-tid" name="tid" inputmode="numeric" autocomplete="off" required value=${tid}
          onInput=${({ target }) => setTid(target.value)} /></div>
      <div class="field"><label for="break-kind">How<span class="must" aria-hidden="true"> *</span></label>
        <select id="break-kind" name="kind" required value=${kind} onInput=${({ target }) => setKind(target.value)}>
          <option value="full">full: void it</option><option value="manual">manual: mark it</option></select></div></div>
    <div class="buttons"><${SendButton} type="submit" className="main" isBusy=${isBusy}>Break</${SendButton}></div>
    ${state.kind === "error" && html`<p class="soft">${state.message}</p>`}
    <div class="scroll" tabindex="0" role="group" aria-label="Latest trades"
      ...${marksOf("trades", count, trades && totalOf(trades, TRADES))}><table>
      <${Head} names=${["Trade", "Time", "Side", "Price", "Amount"]} numbers=${["Price", "Amount"]} />
      <tbody>${part(trades ?? [], TRADES - 1).map((trade) => html`<tr key=${trade.tid}>
        <td>${trade.tid}</td><td>${stamp(trade.timestampms).slice(11, 19)}</td>
        <td>${["buy", "sell"].includes(trade.type) ? html`<${Side} side=${trade.type} />` : trade.type}</td>
        <td class="number"><${Price} text=${trade.price} places=${decimalsOf(symbol)} /></td><td class="number"><${Amount} text=${trade.amount} places=${6} /></td>
        <td class="number">${trade.broken ? "broken" : html`<${SendButton} type="button" className="small"
          isBusy=${isBusy} aria-label=${`Break trade ${trade.tid}`} onClick=${() => pick(trade.tid)}>Break</${SendButton}>`}
          </td></tr>`)}</tbody></table></div>
    <${Rest} shown=${count} total=${trades ? totalOf(trades, TRADES) : count} what="trades"
      link=${{ href: url(`/trade/${symbol}`), words: "The market's page has more" }} />
    <${Curl} line=${curlOf(requestOf(call, values))} of="the break" /><${Reply} answer=${answer} isBusy=${isBusy} />${question}
  </form>`;
}

function Auction({ calls, symbol }) {
  const now = useNow();
  const moment = (minutes) => String(now - (now % 60_000) + minutes * 60_000);
  const at = (minutes) => ({ enabled: "", auction_time_ms: moment(minutes), every_seconds: "0" });
  const quick = [
    { words: "In 20 minutes", isOff: now === null, values: () => at(20) },
    { words: "End them", values: { enabled: "false", auction_time_ms: "", every_seconds: "" } },
  ];
  return html`<${CallForm} key=${symbol} call=${findCall(calls, "/sandbox/symbols/{symbol}/auctions")} isSmall words="Schedule"
    quick=${quick} only=${["symbol", "auction_time_ms", "every_seconds"]} preset=${{ symbol }} />`;
}

// A symbol in dollars, and the currency whose index it follows.
const marketOf = (symbol) => ({ symbol, currency: symbol.replace(/(usd|gusdperp)$/, "").toUpperCase() });

export function Market({ calls }) {
  const { symbols } = useNames();
  const [chosen, setChosen] = useState("btcusd");
  const [state, setState] = useState({ kind: "loading" });
  const offered = symbols.filter(({ symbol }) => /usd$/i.test(symbol)).map(({ symbol }) => symbol.toLowerCase());
  const tools = html`<label class="inline">Market <select value=${chosen} onChange=${({ target }) => setChosen(target.value)}>
    ${(offered.length ? offered : [chosen]).map((symbol) => html`<option value=${symbol}
      selected=${symbol === chosen}>${symbol}</option>`)}</select></label>`;
  const { symbol, currency } = marketOf(chosen);
  return html`<${Region} name="market" title="Market" state=${state} tools=${tools}>
    <div class="padded"><${Index} key=${symbol} calls=${calls} symbol=${symbol} currency=${currency} onState=${setState} /></div>
    <${More} title="Status of a symbol"><${CallForm} key=${symbol} call=${findCall(calls, "/sandbox/symbols/{symbol}/status")} isSmall
      words="Set"
      only=${["symbol", "status"]} preset=${{ symbol, status: "cancel_only" }} /><//>
    <${More} title="Auctions"><${Auction} calls=${calls} symbol=${symbol} /><//>
    <${More} title="Break a trade"><${Tape} key=${symbol} calls=${calls} symbol=${symbol} /><//>
    <${More} title="Halt and resume"><${CallForm} call=${findCall(calls, "/sandbox/halt")} isSmall words="Halt"
      only=${["scope", "currency", "reason"]}
        preset=${{ reason: "a drill" }} />
      <${CallForm} call=${findCall(calls, "/sandbox/resume")} isSmall words="Resume" only=${["scope", "currency", "reason"]}
        preset=${{ reason: "the drill is over" }} /><//>
    <${More} title="Positions and marks of a perpetual"><${CallForm}
      call=${findCall(calls, "/sandbox/perpetuals/{symbol}", "GET")} isSmall words="Read"
      only=${["symbol"]} preset=${{ symbol: "btcgusdperp" }} /><//>
  <//>`;
}
