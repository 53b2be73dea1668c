// Shows the contracts: a chapter per tag, an entry per call, and a list of the shared objects; then sockets and their frames.
import { get } from "./call.js";
import { chapter, element, named, paragraphs, prose, shown, table } from "./docs/parts.js";
import { streams } from "./docs/streams.js";
import "./shell.js";

const main = document.getElementById("contract");

function fields(schema) {
  const required = schema.required || [];
  const rows = Object.entries(schema.properties || {}).map(([name, field]) =>
    [name, field, required.includes(name), field.description]);
  const others = schema.additionalProperties;
  if (others) rows.push(["…", others, false, others.description]);
  return table(rows);
}

function request(operation, schemas) {
  const shownParameters = operation.parameters.filter((one) => one.in !== "header");
  const parts = [];
  if (shownParameters.length) {
    parts.push(element("h3", "Parameters"), table(shownParameters.map((one) =>
      [`${one.name} (${one.in})`, one.schema, one.required, one.description])));
  }
  const body = operation.requestBody?.content["application/json"].schema;
  const object = operation["x-payload"] || body;
  if (object) {
    parts.push(element("h3", body ? "JSON body" : "Payload"), fields(schemas[named(object.$ref)]));
  }
  return parts;
}

function call(method, path, operation, schemas) {
  const verb = element("span", `${method.toUpperCase()} `);
  verb.className = "method";
  const anchor = element("details", "", element("summary", "", element("code", "", verb, path), " ", prose("small", operation.summary)));
  anchor.id = operation.operationId;
  anchor.append(...paragraphs(operation.description));
  const roles = operation["x-roles"] || [];
  if (roles.length) anchor.append(element("p", `Roles: ${roles.join(", ")}.`));
  const scopes = operation["x-scopes"] || [];
  if (scopes.length) anchor.append(element("p", `Scopes: ${scopes.join(", ")}.`));
  anchor.append(...request(operation, schemas));
  // A report is a file of another type.
  const success = Object.keys(operation.responses).find((status) => status.startsWith("2"));
  const [[type, { schema }]] = Object.entries(operation.responses[success].content);
  anchor.append(element("h3", "Answer"), element("p", "", ...(type === "application/json" ? shown(schema) : [type])));
  const refusals = Object.keys(operation.responses).filter((status) => status !== success);
  anchor.append(element("p", `Refusals: ${refusals.join(", ")}.`));
  return anchor;
}

function chapters(contract) {
  const schemas = contract.components.schemas;
  const calls = Object.entries(contract.paths).filter(([, item]) => !item["x-stream"]).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })));
  const parts = paragraphs(contract.info.description);
  for (const tag of contract.tags) {
    parts.push(chapter(tag.name), element("p", tag.description));
    for (const { method, path, operation } of calls.filter((one) => one.operation.tags.includes(tag.name))) {
      parts.push(call(method, path, operation, schemas));
    }
  }
  parts.push(chapter("Objects"));
  for (const [name, schema] of Object.entries(schemas).filter(([name]) => !/(Payload|Body)$/.test(name))) {
    const entry = element("details", "", element("summary", "", element("code", name), " ",
      prose("small", schema.description)), fields(schema));
    entry.id = name;
    parts.push(entry);
  }
  return parts;
}

// Links to the chapters.
function listChapters() {
  const heads = [...main.querySelectorAll("h2[id]")];
  document.getElementById("chapters").replaceChildren(...heads.map((head) => {
    const link = element("a", head.textContent);
    link.href = `#${head.id}`;
    return element("li", "", link);
  }));
}

// Hides a chapter's texts, and its heading too if no entry of it is shown.
function hideTexts(isHidden) {
  let head = null;
  for (const part of main.children) {
    const isEntry = part.localName === "details";
    if (part.localName === "h2") head = part;
    if (!isEntry) part.hidden = isHidden;
    if (isEntry && !part.hidden && head) head.hidden = false;
  }
}

// Shows the entries whose heads have every word.
function filter(typed) {
  const words = typed.toLowerCase().split(/\s+/).filter((word) => word);
  const entries = [...main.querySelectorAll("details")];
  for (const entry of entries) {
    const head = entry.firstElementChild.textContent.toLowerCase();
    entry.hidden = !words.every((word) => head.includes(word));
  }
  hideTexts(words.length > 0);
  const count = entries.filter((entry) => !entry.hidden).length;
  document.getElementById("found").textContent = words.length ? `${count || "No"} ${count === 1 ? "entry has" : "entries have"} this.` : "";
}

// A link to an entry opens it.
function open() {
  const entry = document.getElementById(location.hash.slice(1));
  if (!main.contains(entry)) return;
  document.getElementById("filter").value = "";
  filter("");
  if (entry instanceof HTMLDetailsElement) entry.open = true;
  entry.scrollIntoView();
}

async function show() {
  try {
    const [calls, events] = await Promise.all(["/openapi.json", "/asyncapi.json"].map((path) => get(path, { longest: 30_000 })));
    main.replaceChildren(...chapters(calls), ...streams(events));
    listChapters();
    open();
  } catch (failure) {
    console.error(failure);
    main.replaceChildren(element("p", failure.message));
  }
}
document.getElementById("filter").addEventListener("input", ({ target }) => filter(target.value));
addEventListener("hashchange", open);
show();
