// The sockets of the contract of streams: an entry for each with its query and its frames, and one for each frame and method with its fields.
import { chapter, element, named, paragraphs, prose, shown, table } from "./parts.js";

const messageId = (name) => `frame-${name}`;

// The types of a field, without the fields of objects within it, which have rows of their own.
const typed = (schema) => (schema.items && !schema.items.$ref ? { ...schema, items: inner(schema.items) } : inner(schema));
const inner = (schema) => (schema.type || schema.anyOf || schema.enum || schema.const !== undefined ? schema : { type: "any value" });

// The rows of an object's fields, those of objects and arrays in it after their own.
function rowsOf(schema, path = "") {
  if (schema.anyOf) return schema.anyOf.flatMap((one) => rowsOf(one, path));
  if (schema.type === "array") return rowsOf(schema.items ?? {}, `${path}[]`);
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const place = path ? `${path}.${name}` : name;
    return [[place, typed(field), required.includes(name), field.description], ...rowsOf(field, place)];
  });
}

const linkTo = (name) => {
  const link = element("a", name);
  link.href = `#${messageId(name)}`;
  return link;
};

function listed(words, names) {
  if (!names.length) return [];
  return [element("h3", words), element("p", "", ...names.flatMap((name, at) => (at ? [", ", linkTo(name)] : [linkTo(name)])))];
}

// The frames that a socket's operation names.
const framesOf = (contract, id, action) => Object.values(contract.operations)
  .filter((one) => one.action === action && named(one.channel.$ref) === id).flatMap(({ messages }) => messages.map(({ $ref }) => named($ref)));

function socket(contract, [id, channel]) {
  const entry = element("details", "", element("summary", "", element("code", channel.address), " ", prose("small", channel.description)));
  entry.id = `socket-${id}`;
  const parameters = Object.entries(channel.parameters ?? {}).map(([name, one]) =>
    [`${name} (path)`, { type: "string" }, true, one.description]);
  const { query, headers } = channel.bindings?.ws ?? {};
  const described = (place, schema) => Object.entries(schema?.properties ?? {}).map(([name, one]) =>
    [`${name} (${place})`, one, (schema.required ?? []).includes(name), one.description]);
  const rows = [...parameters, ...described("header", headers), ...described("query", query)];
  if (rows.length) entry.append(element("h3", "Parameters"), table(rows));
  entry.append(...listed("Frames that it sends", framesOf(contract, id, "send")),
    ...listed("Frames that it takes", framesOf(contract, id, "receive")));
  return entry;
}

function frame([name, { summary, payload }]) {
  const entry = element("details", "", element("summary", "", element("code", name), " ", prose("small", summary)));
  entry.id = messageId(name);
  const rows = rowsOf(payload);
  entry.append(...paragraphs(payload.description));
  if (payload.type === "array") entry.append(element("p", "An array of objects with these fields."));
  entry.append(rows.length ? table(rows) : element("p", "", ...shown(payload)));
  return entry;
}

// The chapters of the contract of streams.
export const streams = (contract) => [
  chapter("WebSockets"), ...paragraphs(contract.info.description),
  ...Object.entries(contract.channels).map((one) => socket(contract, one)),
  chapter("Frames and methods"), element("p", "The fields of each frame, and of each request that a socket takes."),
  ...Object.entries(contract.components.messages).map(frame),
];
