// The list of events: by category and status, with a search, live prices, and countdowns by the exchange's clock.
import { getPublic } from "../call.js";
import { count } from "../figures.js";
import { Rest, marksOf } from "../lists.js";
import { url } from "../page.js";
import { Region, html, useEffect, useLoaded, useMemo, useState } from "../ui.js";
import { useExchangeTime } from "./clock.js";
import { EventRows } from "./event.js";
import { useQuotes, useStatusChanges } from "./quotes.js";

const PAGE = 40;
// The most that the exchange answers with.
const MOST = 500;
const REFRESH = 10_000;
const TYPING = 250;

// Groups of statuses, as people ask for them.
const GROUPS = [
  { id: "open", words: "Open", statuses: ["active"] },
  { id: "upcoming", words: "Upcoming", statuses: ["approved"] },
  { id: "resolving", words: "Being resolved", statuses: ["closed", "under_review"] },
  { id: "settled", words: "Settled", statuses: ["settled", "invalid"] },
  { id: "all", words: "All", statuses: [] },
];
const group = (id) => GROUPS.find((one) => one.id === id) ?? GROUPS[0];

// The filters stand in the address, so that a view can be kept and sent.
function readFilters() {
  const query = new URLSearchParams(location.search);
  return { status: group(query.get("status")).id, category: query.get("category") ?? "", search: query.get("search") ?? "" };
}

function keepFilters({ status, category, search }) {
  const query = new URLSearchParams();
  if (status !== GROUPS[0].id) query.set("status", status);
  if (category) query.set("category", category);
  if (search) query.set("search", search);
  const words = query.toString();
  history.replaceState(null, "", url(location.pathname + (words ? `?${words}` : "")));
}

function listPath({ status, category, search }, limit) {
  const query = new URLSearchParams({ limit: String(limit) });
  for (const one of group(status).statuses) query.append("status", one);
  if (category) query.append("category", category);
  if (search.trim()) query.append("search", search.trim());
  return `/v1/prediction-markets/events?${query}`;
}

// A value that follows another one once that has stood still for a moment.
function useSettled(value, pause) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function useRefresh(reload) {
  useEffect(() => {
    const again = () => document.hidden || reload();
    const timer = setInterval(again, REFRESH);
    document.addEventListener("visibilitychange", again);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", again);
    };
  }, [reload]);
}

function Filters({ filters, change }) {
  const [, found] = useLoaded(() => getPublic("/v1/prediction-markets/categories"));
  const categories = found?.categories ?? [];
  const shown = filters.category && !categories.includes(filters.category) ? [filters.category, ...categories] : categories;
  return html`<form class="filters" role="search" onSubmit=${(event) => event.preventDefault()}>
    <div class="field search"><label for="search">Search</label>
      <input id="search" name="search" type="search" value=${filters.search} placeholder="A part of the title" autocomplete="off"
        maxlength="100" onInput=${(event) => change({ search: event.currentTarget.value })} /></div>
    <div class="field"><label for="category">Category</label>
      <select id="category" name="category" value=${filters.category}
        onChange=${(event) => change({ category: event.currentTarget.value })}>
        <option value="">All categories</option>
        ${shown.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}
      </select></div>
    <div class="choice" role="group" aria-label="Status">${GROUPS.map(({ id, words }) => html`<button type="button" key=${id} name="status"
      value=${id}
      aria-pressed=${filters.status === id} onClick=${() => change({ status: id })}>${words}</button>`)}</div>
  </form>`;
}

function Empty({ filters, change }) {
  const isFiltered = filters.search || filters.category;
  if (isFiltered) {
    return html`<p>No event fits these filters.</p>
      <p><button type="button" onClick=${() => change({ search: "", category: "", status: "all" })}>Show all events</button></p>`;
  }
  return html`<p>Events stand here with the prices of their contracts. None is ${group(filters.status).words.toLowerCase()} now.</p>
    ${filters.status === "all" ? html`<p class="note">An operator lists events; in a sandbox the console does.</p>`
      : html`<p><button type="button" onClick=${() => change({ status: "all" })}>Show events of every status</button></p>`}`;
}

const COLUMNS = ["Chance", "Buy yes", "Buy no", "Spread", "Last"];

function Table({ events, total, quotes }) {
  const now = useExchangeTime();
  return html`<table class="events" role="table" aria-label="Events and their contracts" ...${marksOf("events", events.length, total)}>
    <thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Contract</th>
      ${COLUMNS.map((name) => html`<th scope="col" class="number" key=${name} role="columnheader">${name}</th>`)}</tr></thead>
    ${events.map((event) => html`<${EventRows} key=${event.ticker} event=${event} now=${now} quotes=${quotes} />`)}
  </table>`;
}

const openSymbols = (events) =>
  events.flatMap((event) => event.contracts).filter((one) => one.marketState === "open").map((one) => one.instrumentSymbol);

// The whole tab of events. An error of the list wins over the socket's state, and so does a list that is not there yet.
export function Events() {
  const [filters, setFilters] = useState(readFilters);
  const [limit, setLimit] = useState(PAGE);
  const asked = useSettled(filters.search, TYPING);
  const path = listPath({ ...filters, search: asked }, limit);
  const [loaded, value, reload] = useLoaded(() => getPublic(path), [path]);
  useRefresh(reload);
  useStatusChanges(reload);
  const events = value?.data ?? [];
  const symbols = useMemo(() => openSymbols(events), [value]);
  const [quotes, streamed] = useQuotes(symbols);
  const change = (part) => {
    const next = { ...filters, ...part };
    setFilters(next);
    setLimit(PAGE);
    keepFilters(next);
  };
  const total = value?.pagination.total ?? 0;
  return html`<${Filters} filters=${filters} change=${change} />
    <${Region} name="events" title="Events" state=${loaded.kind === "live" ? streamed : loaded} retry=${reload}
      empty=${value && events.length === 0 && html`<${Empty} filters=${filters} change=${change} />`}
      tools=${value && html`<p class="note" role="status">${count(events.length)} of ${count(total)}</p>`}>
      ${value ? html`<${Table} events=${events} total=${total} quotes=${quotes} />` : html`<${Skeleton} />`}
      ${value && html`<${Rest} shown=${events.length} total=${total} what="events" ...${limit < MOST
        ? { onMore: () => setLimit(limit + PAGE) } : { link: { href: "#search", words: "Search for the others" } }} />`}
    <//>`;
}

// Keeps the place of the list until it is there.
const Skeleton = () =>
  html`<div class="waiting" aria-hidden="true">${Array.from({ length: 8 }, (_, at) => html`<span class="skeleton" key=${at}></span>`)}
    </div>`;
