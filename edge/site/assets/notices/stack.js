// Notices as they come: a stack that fades, and banners that stay. Screen readers get the same words.
import { onSessionEnd } from "../call.js";
import { short } from "../decimal.js";
import { dollars } from "../figures.js";
import { Rest, marksOf, newest, part } from "../lists.js";
import { signInUrl, url } from "../page.js";
import { announce, html, render, useEffect, useReducer, useRef, warn } from "../ui.js";
import { closeLiquidations, liquidations, marginOf, onFresh, onShort, onWithdrawn, say, start as startFeed, useNews, withdraw } from "./feed.js";
import { start as startSession } from "./session.js";
import { signal } from "./signals.js";
import { WHY_LIQUIDATED, leftOf, pathOf, wordsOf } from "./words.js";

// How long a notice is seen, and how many at once: of more, their number.
const [LASTS, MOST] = [9_000, 4];
// Trades of liquidations that the banner names.
const LINES = 5;

let toasts = [];
let drawToasts = () => {};
function keepToasts(isKept) {
  toasts = toasts.filter(isKept);
  drawToasts();
}
const remove = (id) => keepToasts((toast) => toast.id !== id);

// Rows that say the same of another hour, the steps of one liquidation, and the fills of another account in a market count as one.
function sameAs({ id, kind, reason, currency, forced, symbol, account }) {
  if (kind === "money") return `${reason} ${currency}`;
  if (forced) return `${forced} ${symbol} ${account?.number ?? ""}`;
  return kind === "fill" && account ? `fill ${symbol} ${account.number}` : id;
}

function push(rows) {
  // A liquidation takes the place of the warning before it.
  for (const row of rows) if (row.forced === "liquidation") withdraw(marginOf(row.account));
  const kinds = new Map();
  for (const row of rows) kinds.set(sameAs(row), [...(kinds.get(sameAs(row)) ?? []), row]);
  const found = [...kinds.values()].map((alike) => {
    const { title, words, tone = "", act, isSticky = false } = wordsOf(alike.at(-1));
    const more = alike.length > 1 ? ` And ${alike.length - 1} more like it.` : "";
    const isGrave = isSticky || alike.at(-1).forced === "liquidation";
    return { id: alike.at(-1).id, path: pathOf(alike.at(-1)), title, words: words + more, tone, act, isSticky, isGrave };
  });
  // Of very many the grave ones come first.
  found.sort((one, other) => Number(one.isGrave) - Number(other.isGrave));
  for (const { title, words, isGrave } of newest(found, MOST)) (isGrave ? warn : announce)(`${title}. ${words}`);
  const left = found.length - MOST;
  if (left > 0) {
    const rest = { id: `more-${found[0].id}`, title: `${left} more notices`, words: "They are in the list of notices.", tone: "" };
    announce(`${rest.title}. ${rest.words}`);
    toasts.push(rest);
  }
  const all = [...toasts, ...newest(found, MOST)];
  // What stays until somebody closes it is not pushed out by what fades.
  toasts = [...all.filter(({ isSticky }) => isSticky), ...newest(all.filter(({ isSticky }) => !isSticky), MOST + 1)];
  drawToasts();
  signal(rows);
}

function Toast({ toast }) {
  const timer = useRef(0);
  const begin = () => {
    clearTimeout(timer.current);
    if (!toast.isSticky) timer.current = setTimeout(() => remove(toast.id), LASTS);
  };
  useEffect(() => {
    begin();
    return () => clearTimeout(timer.current);
  }, []);
  const hold = () => clearTimeout(timer.current);
  const act = () => {
    remove(toast.id);
    toast.act.run();
  };
  return html`<li class="toast notice ${toast.tone}" data-notice=${toast.id} onPointerEnter=${hold} onPointerLeave=${begin} onFocusIn=${hold}
    onFocusOut=${begin}>
    <p><b>${toast.path ? html`<a href=${url(toast.path)}>${toast.title}</a>` : toast.title}</b> ${toast.words}
      ${toast.act && html` <button type="button" class="small" onClick=${act}>${toast.act.words}</button>`}</p>
    <button type="button" class="quiet small" aria-label=${`Close: ${toast.title}`} onClick=${() => remove(toast.id)}>×</button></li>`;
}

function Toasts() {
  const [, drawAgain] = useReducer((count) => count + 1, 0);
  useEffect(() => void (drawToasts = drawAgain), []);
  return toasts.length > 0 && html`<aside aria-label="New notices"><ul class="toasts">${toasts.map((toast) => html`<${Toast} key=${toast.id}
    toast=${toast} />`)}</ul></aside>`;
}

// The accounts of rows, each once; none for the page's own.
const accountsOf = (rows) => [...new Map(rows.map(({ account }) => [account?.number, account])).values()];
const statementOf = (account) => url(account ? `/account/statement?account=${account.number}` : "/account/statement");
const inAccount = ({ account }) => (account ? ` in account ${account.name}` : "");

function Liquidation() {
  useNews();
  const rows = liquidations();
  const accounts = accountsOf(rows);
  const whose = accounts.map((account) => (account ? `account ${account.name}` : "this account")).join(" and ");
  // The rest of each market, as the newest of its rows says.
  const left = new Map([...rows].reverse().map((row) => [row.symbol + inAccount(row), `${row.symbol}${inAccount(row)}: ${leftOf(row)}`]));
  return rows.length > 0 && html`<div class="notice bad banner" data-banner="liquidation" role="region" aria-label="Liquidation"><div><p><b>The exchange closed positions of ${whose}.</b> ${WHY_LIQUIDATED}</p>
    <ul ...${marksOf("liquidations", part(rows, LINES).length, rows.length)}>${part(rows, LINES).map((row) =>
      html`<li key=${row.id}>${wordsOf(row).line}${row.account && ` Account ${row.account.name}.`}</li>`)}</ul>
    <${Rest} shown=${part(rows, LINES).length} total=${rows.length} what="trades of it"
      link=${{ href: statementOf(accounts[0]), words: "The statement has all" }} />
    <p>${[...left.values()].join(", ")}.</p></div>
    <span class="buttons">${accounts.map((account) => html`<a key=${account?.number} class="button"
      href=${statementOf(account)}>${account ? `Statement of ${account.name}` : "Statement"}</a>`)}
      <button type="button" onClick=${closeLiquidations}>I have read this</button></span></div>`;
}

const Ended = () => html`<div class="notice bad banner" data-banner="session" role="alert"><p><b>Your session has ended.</b> What this page shows of
  your account is from before. Your orders stay in the book.</p>
  <a class="button main" href=${signInUrl()}>Sign in and come back</a></div>`;

// A place above the page's main part.
function above(name) {
  const place = document.createElement("div");
  place.id = name;
  document.getElementById("main").before(place);
  return place;
}

function sayShort({ account, margin: { assets, needed, fall } }) {
  const words = needed ? `The account has ${dollars(assets)} dollars, and is liquidated below ${dollars(needed)}.`
    : `A fall of all prices by ${short(String(Number(fall) * 100), 2)} % liquidates the account.`;
  say({ id: `${marginOf(account)}-${Date.now()}`, account, title: "Margin is getting short", tone: "bad", isSticky: true,
    words: `${words} Bring money, or close a part of what is open.` });
}

// Begins to tell.
export function start() {
  const stack = document.createElement("div");
  stack.id = "toasts";
  document.body.append(stack);
  render(html`<${Toasts} />`, stack);
  render(html`<${Liquidation} />`, above("liquidations"));
  const end = above("session-end");
  onSessionEnd(() => {
    document.body.dataset.session = "ended";
    render(html`<${Ended} />`, end);
  });
  onFresh(push);
  onShort(sayShort);
  onWithdrawn((name) => keepToasts(({ id }) => !id.startsWith(`${name}-`)));
  startSession();
  startFeed();
}
