// The control calls as the contract describes them: what the forms of the console are made of.
import { get } from "../call.js";
import { useEffect, useState } from "../ui.js";

const DIGITS = "^[0-9]+$";
// Calls whose effect stays, whatever is called later.
const FINAL = /\/(reorg|break|void|close|end)$/;

function kindOf(schema) {
  const types = [schema.type].flat();
  if (schema.enum) return "choice";
  if (types.includes("boolean")) return "flag";
  if (types.includes("array")) return schema.items.type === "string" ? "list" : "json";
  if (types.includes("object")) return "json";
  // A moment is a number first, a decimal a text first.
  if (schema.pattern === DIGITS || types[0] === "number") return "whole";
  if (types.includes("number")) return "decimal";
  return "text";
}

// The words that a text field takes, as far as its description has them between backticks.
function wordsOf(schema, kind) {
  if (schema.enum) return schema.enum;
  const words = [...(schema.description ?? "").matchAll(/`([a-zA-Z_-]+)`/g)].map(([, word]) => word);
  return kind === "text" && words.length > 1 ? [...new Set(words)] : [];
}

function field(name, place, schema, isRequired) {
  const kind = kindOf(schema);
  const { description: about = "", default: usual } = schema;
  return { name, place, kind, about, usual, isRequired, words: wordsOf(schema, kind), shape: schema };
}

function bodyFields(operation, schemas) {
  const schema = operation.requestBody?.content["application/json"].schema;
  if (!schema) return [];
  const { properties = {}, required = [] } = schemas[schema.$ref.split("/").pop()];
  const fields = Object.entries(properties).map(([name, one]) => field(name, "body", one, required.includes(name)));
  return [...fields.filter((one) => one.isRequired), ...fields.filter((one) => !one.isRequired)];
}

function described(method, path, operation, schemas) {
  const parameters = operation.parameters.filter((one) => one.in !== "header");
  const fields = parameters.map((one) => field(one.name, one.in, { ...one.schema, description: one.description }, one.required));
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    notes: operation.description ?? "",
    isFinal: FINAL.test(path),
    fields: [...fields, ...bodyFields(operation, schemas)],
  };
}

// Every control call of a contract, in its order.
export function controlCalls({ paths, components }) {
  const own = Object.entries(paths).filter(([path]) => path.startsWith("/sandbox/"));
  return own.flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => described(method, path, operation, components.schemas)));
}

// The state of the contract and its calls: `[state, calls]`.
export function useContract() {
  const [loaded, setLoaded] = useState([{ kind: "loading" }, []]);
  useEffect(() => {
    get("/openapi.json", { longest: 30_000 }).then(
      (contract) => setLoaded([{ kind: "live" }, controlCalls(contract)]),
      (failure) => setLoaded([{ kind: "error", message: failure.message }, []]),
    );
  }, []);
  return loaded;
}

export const findCall = (calls, path, method = "POST") => calls.find((call) => call.path === path && call.method === method);
