// Keeps the front page's market table current while the page is visible.
import { get, showing } from "./failure.js";

const body = document.getElementById("markets");
for (const origin of document.getElementsByClassName("origin")) origin.textContent = location.origin;

// Assistive technology reads a status aloud, so it is written only when it changes.
function show(id, text) {
  const element = document.getElementById(id);
  if (element.textContent !== text) element.textContent = text;
}

function newLine(symbol) {
  const line = document.createElement("tr");
  const [head, link] = [document.createElement("th"), document.createElement("a")];
  head.scope = "row";
  link.href = `/markets/${symbol}`;
  link.textContent = symbol;
  head.append(link);
  line.append(head, ...["last", "change", "bid", "ask"].map(() => document.createElement("td")));
  return line;
}

// A line stays the same element, so that a link keeps the focus of the keyboard.
function fill(line, row) {
  ["last", "change", "bid", "ask"].forEach((name, at) => {
    const cell = line.cells[at + 1];
    if (cell.textContent !== row[name]) cell.textContent = row[name];
    if (name === "change" && row[name]) cell.className = row[name].startsWith("-") ? "down" : "up";
  });
  return line;
}

function fillTable(rows) {
  const lines = new Map([...body.rows].map((line) => [line.cells[0].textContent, line]));
  const wanted = rows.map((row) => fill(lines.get(row.symbol) || newLine(row.symbol), row));
  for (const line of [...body.rows]) if (!wanted.includes(line)) line.remove();
  wanted.forEach((line, at) => { if (body.rows[at] !== line) body.insertBefore(line, body.rows[at] || null); });
}

function showTable(text) {
  const { now_ms, rows } = JSON.parse(text);
  show("clock", new Date(now_ms).toISOString().replace("T", " ").slice(0, 19) + " UTC");
  if (rows.length) fillTable(rows);
}

async function refresh() {
  if (document.hidden) return;
  try {
    showing(showTable, await get("/site/market.json"));
    show("status", "");
  } catch (failure) {
    console.error(failure);
    show("status", failure.message);
  }
}
refresh();
setInterval(refresh, 2000);
document.addEventListener("visibilitychange", refresh);
