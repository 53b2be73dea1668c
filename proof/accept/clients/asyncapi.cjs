// The contract of the streams, as a running sandbox serves it, read by AsyncAPI's own parser. Started by `cargo xtask clients` as
// `asyncapi.cjs BASE_URL`. Leaves with 1 if the parser finds an error.
"use strict";

const { Parser } = require("@asyncapi/parser");

(async () => {
  const answer = await fetch(`${process.argv[2]}/asyncapi.json`);
  const { document, diagnostics } = await new Parser().parse(await answer.text());
  // 0 is an error, 1 a warning.
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 0);
  for (const error of errors) console.log("FAILED", error.path.join("/"), error.message);
  const channels = document ? document.channels().all().length : 0;
  const messages = document ? document.components().messages().all().length : 0;
  console.log(errors.length === 0 ? "ok" : "FAILED", `${channels} channels, ${messages} messages`);
  process.exitCode = errors.length === 0 && channels === 5 && messages > 0 ? 0 : 1;
})();
