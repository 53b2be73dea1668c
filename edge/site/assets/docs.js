// Shows the contract: a chapter per tag, an entry per call, and a list of the shared objects.
import { get } from "./call.js";
import "./shell.js";

const main = document.getElementById("contract");

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

// A sentence whose words between backticks are code.
const prose = (name, text) => element(name, "",
  ...(text || "").split("`").map((part, at) => (at % 2 ? element("code", part) : part)));

const named = (reference) => reference.split("/").pop();

// Paragraphs and headings of a text with an empty line after each.
const paragraphs = (text) => (text || "").split("\n\n").filter((part) => part).map((part) =>
  part.startsWith("## ") ? element("h2", part.slice(3)) : prose("p", part));

// What a value looks like, in a few words.
function shown(schema) {
  if (schema.$ref) {
    const link = element("a", named(schema.$ref));
    link.href = "#" + link.textContent;
    return [link];
  }
  if (schema.anyOf) return schema.anyOf.flatMap((one, at) => (at ? [" or ", ...shown(one)] : shown(one)));
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.type === "array") return ["array of ", ...shown(schema.items)];
  if (schema.enum) return [schema.enum.map((word) => `"${word}"`).join(", ")];
  return [[schema.type].flat().join(" or ") + (schema.format ? ` (${schema.format})` : "")];
}

function heading(scope, cell) {
  cell.scope = scope;
  return cell;
}

function table(rows) {
  const head = ["Field", "Value", "Meaning"].map((words) => heading("col", element("th", words)));
  return element("table", "", element("thead", "", element("tr", "", ...head)), element("tbody", "",
    ...rows.map(([name, schema, required, about]) => element("tr", "",
      heading("row", element("th", "", element("code", name), required ? "" : element("small", " optional"))),
      element("td", "", ...shown(schema)),
      prose("td", about)))));
}

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

function chapter(name) {
  const made = element("h2", name);
  made.id = `chapter-${name.replaceAll(" ", "-")}`;
  return made;
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
  const streams = Object.keys(contract.paths).filter((path) => contract.paths[path]["x-stream"]);
  parts.push(chapter("WebSockets"), element("p", ["/", ...streams].join(", ")));
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
    main.replaceChildren(...chapters(await get("/openapi.json", { longest: 30_000 })));
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
