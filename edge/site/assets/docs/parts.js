// Parts of the page of the contracts: prose, tables of fields, chapters.

export function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

// A sentence whose words between backticks are code.
export const prose = (name, text) => element(name, "",
  ...(text || "").split("`").map((part, at) => (at % 2 ? element("code", part) : part)));

export const named = (reference) => reference.split("/").pop();

// Paragraphs and headings of a text with an empty line after each.
export const paragraphs = (text) => (text || "").split("\n\n").filter((part) => part).map((part) =>
  part.startsWith("## ") ? element("h2", part.slice(3)) : prose("p", part));

// What a value looks like, in a few words.
export function shown(schema) {
  if (schema.$ref) {
    const link = element("a", named(schema.$ref));
    link.href = "#" + link.textContent;
    return [link];
  }
  if (schema.anyOf) return schema.anyOf.flatMap((one, at) => (at ? [" or ", ...shown(one)] : shown(one)));
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.type === "array") return ["array of ", ...shown(schema.items)];
  if (schema.enum) return [schema.enum.map((word) => `"${word}"`).join(", ")];
  return [[schema.type ?? "any value"].flat().join(" or ") + (schema.format ? ` (${schema.format})` : "")];
}

function heading(scope, cell) {
  cell.scope = scope;
  return cell;
}

export function table(rows) {
  const head = ["Field", "Value", "Meaning"].map((words) => heading("col", element("th", words)));
  return element("table", "", element("thead", "", element("tr", "", ...head)), element("tbody", "",
    ...rows.map(([name, schema, required, about]) => element("tr", "",
      heading("row", element("th", "", element("code", name), required ? "" : element("small", " optional"))),
      element("td", "", ...shown(schema)),
      prose("td", about)))));
}

export function chapter(name) {
  const made = element("h2", name);
  made.id = `chapter-${name.replaceAll(" ", "-")}`;
  return made;
}
