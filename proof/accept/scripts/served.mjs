// Hooks of node's loader: the modules of the site under the names by which its pages import them (`edge/site/build.rs`).

const ASSETS = new URL("../../../edge/site/assets/", import.meta.url).href;
// Libraries: the name under which each is served, and its file.
const LIBRARIES = { "htm.js": "htm/htm.mjs", "hooks.js": "preact/hooks.mjs", "preact.js": "preact/preact.mjs" };

const isOfSite = (url) => url?.startsWith(ASSETS);

// A page's own query marks its modules, so that each page of a test has instances of its own.
export async function resolve(specifier, context, next) {
  if (!isOfSite(context.parentURL)) return next(specifier, context);
  const parent = new URL(context.parentURL);
  const name = specifier === "preact" ? "preact.js" : new URL(specifier, parent).href.substring(ASSETS.length);
  return { url: ASSETS + (LIBRARIES[name] ?? name) + parent.search, format: "module", shortCircuit: true };
}

// The site's files end in `.js` and are modules, as `<script type="module">` loads them.
export const load = (url, context, next) => next(url, isOfSite(url) ? { ...context, format: "module" } : context);
