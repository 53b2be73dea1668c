// Answers of the interface as its contract describes them (`contract/openapi.json`).
import type { components, paths } from "contract";

// The schema of an answer with a name, such as `Order`.
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

type Body<Operation> = Operation extends { responses: { 200: { content: { "application/json": infer Value } } } } ? Value : any;

// The answer to a private call with a path, such as `Reply<"/v1/orders">`.
export type Reply<Path extends string> = Path extends keyof paths ? Body<paths[Path]["post"]> : any;
