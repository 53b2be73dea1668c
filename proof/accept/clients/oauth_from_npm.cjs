// oauth4webapi and openid-client from npm (both MIT), unmodified, as apps of a running sandbox.
//
// Started by `cargo xtask clients` as `oauth_from_npm.cjs BASE_URL` with their folder in NODE_PATH and the path of `credentials.json` in
// BUTTONWOOD_CREDENTIALS. Each app finds the server's metadata, gets a user's consent, exchanges the code with PKCE, calls the interface,
// refreshes and revokes. The user's side, which is no part of the clients, is plain HTTP. Prints a line per check and leaves with 1 if one
// failed.
const { readFileSync } = require("node:fs");
const { pathToFileURL } = require("node:url");

// A global since node 19.
globalThis.crypto ??= require("node:crypto").webcrypto;

const base = process.argv[2].replace(/\/$/, "");
const USER = "owner@one.test";
const SCOPES = ["balances:read", "orders:read"];
const PATH = "/v1/balances";
const HEADERS = { "x-svc-payload": Buffer.from(JSON.stringify({ request: PATH })).toString("base64") };

let failed = 0;

function check(name, what, seen, wanted) {
  const [one, other] = [seen, wanted].map((value) => JSON.stringify(value));
  const holds = one === other;
  failed += holds ? 0 : 1;
  console.log(holds ? `ok     ${name}: ${what}` : `FAILED ${name}: ${what}: ${one}, wanted ${other}`);
}

// The address to which a signed-in user's consent redirects: reads the consent page and sends its form, as a browser does.
async function allow(address) {
  const signedIn = await fetch(`${base}/sandbox/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: USER }),
  });
  const { cookie } = await signedIn.json();
  const page = await (await fetch(address, { headers: { cookie } })).text();
  const plain = (text) => text.replace(/&quot;/g, '"').replace(/&#39;/g, "'").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
  const form = new URLSearchParams({ account: "primary", decision: "allow" });
  for (const [tag] of page.matchAll(/<input [^>]*>/g)) {
    const attributes = Object.fromEntries([...tag.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, plain(value)]));
    form.append(attributes.name, attributes.value);
  }
  const reply = await fetch(`${base}/auth`, { method: "POST", headers: { cookie, origin: base }, body: form, redirect: "manual" });
  if (reply.status !== 303) throw new Error(`the consent answered ${reply.status}: ${await reply.text()}`);
  return new URL(reply.headers.get("location"));
}

// oauth4webapi: each request and the reading of its answer is a function of its own.
async function oauth4webapi(oauth, app) {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(base);
  const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const client = { client_id: app.client_id };
  const shown = app.client_secret ? oauth.ClientSecretBasic(app.client_secret) : oauth.None();
  return {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    challenge: oauth.calculatePKCECodeChallenge,
    authorize(fields) {
      const address = new URL(server.authorization_endpoint);
      Object.entries({ ...client, ...fields }).forEach(([name, value]) => address.searchParams.set(name, value));
      return address;
    },
    async exchange(answer, { verifier, state, redirect_uri }) {
      const parameters = oauth.validateAuthResponse(server, client, answer, state);
      const reply = await oauth.authorizationCodeGrantRequest(server, client, shown, parameters, redirect_uri, verifier, insecure);
      return oauth.processAuthorizationCodeResponse(server, client, reply);
    },
    async refresh(token) {
      const reply = await oauth.refreshTokenGrantRequest(server, client, shown, token, insecure);
      return oauth.processRefreshTokenResponse(server, client, reply);
    },
    async revoke(token) {
      await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, shown, token, insecure));
    },
    call: (token) => oauth.protectedResourceRequest(token, "POST", new URL(base + PATH), new Headers(HEADERS), null, insecure),
  };
}

// openid-client: the same, with the metadata, the state and the verifier checked inside.
async function openidClient(oauth, app) {
  const shown = app.client_secret ? oauth.ClientSecretPost(app.client_secret) : oauth.None();
  const options = { algorithm: "oauth2", execute: [oauth.allowInsecureRequests] };
  const config = await oauth.discovery(new URL(base), app.client_id, undefined, shown, options);
  return {
    verifier: oauth.randomPKCECodeVerifier(),
    state: oauth.randomState(),
    challenge: oauth.calculatePKCECodeChallenge,
    authorize: (fields) => oauth.buildAuthorizationUrl(config, fields),
    exchange: (answer, { verifier, state }) => oauth.authorizationCodeGrant(config, answer, { pkceCodeVerifier: verifier, expectedState: state }),
    refresh: (token) => oauth.refreshTokenGrant(config, token),
    revoke: (token) => oauth.tokenRevocation(config, token),
    call: (token) => oauth.fetchProtectedResource(config, token, new URL(base + PATH), "POST", null, new Headers(HEADERS)),
  };
}

async function session(name, oauth, make, app) {
  const see = (what, seen, wanted) => check(name, what, seen, wanted);
  const client = await make(oauth, app);
  const { verifier, state } = client;
  const [redirect_uri] = app.redirect_uris;
  const error = (promise) => promise.then(() => "none", (failure) => failure.error ?? failure.cause?.error ?? `${failure}`);
  // The status of a bearer call; both clients throw at the challenge of a refused token.
  const status = (token) => client.call(token).then((reply) => reply.status, (failure) => failure.status ?? failure.response?.status ?? `${failure}`);
  const scope = SCOPES.join(" ");
  const asked = { redirect_uri, scope, state, response_type: "code", code_challenge: await client.challenge(verifier), code_challenge_method: "S256" };
  const answer = await allow(client.authorize(asked));
  const first = await client.exchange(answer, { verifier, state, redirect_uri });
  see("the token's scopes and kind", [first.scope.split(",").sort(), first.token_type.toLowerCase()], [SCOPES, "bearer"]);
  const balances = await (await client.call(first.access_token)).json();
  see("a call with the token", balances.some(({ currency }) => currency === "USD"), true);
  const second = await client.refresh(first.refresh_token);
  see("a call after a refresh", await status(second.access_token), 200);
  see("a used refresh token", await error(client.refresh(first.refresh_token)), "invalid_grant");
  see("a racing client keeps its tokens", await status(second.access_token), 200);
  await client.revoke(second.access_token);
  see("an access token is revoked alone", [await status(second.access_token), await status(first.access_token)], [401, 200]);
  await client.revoke(second.refresh_token);
  see("a refresh token takes its family along", [await status(first.access_token), await error(client.refresh(second.refresh_token))], [401, "invalid_grant"]);
  const replayed = await allow(client.authorize(asked));
  const third = await client.exchange(replayed, { verifier, state, redirect_uri });
  see("a second use of a code", await error(client.exchange(replayed, { verifier, state, redirect_uri })), "invalid_grant");
  see("ends the tokens of the first", await status(third.access_token), 401);
}

async function main() {
  const { oauth_clients } = JSON.parse(readFileSync(process.env.BUTTONWOOD_CREDENTIALS));
  const runs = [["oauth4webapi", oauth4webapi], ["openid-client", openidClient]];
  for (const [name, make] of runs) {
    for (const [app, kind] of [["native", "public"], ["app", "confidential"]]) {
      const of = `${name} of a ${kind} app`;
      try {
        const oauth = await import(pathToFileURL(require.resolve(name)));
        await session(of, oauth, make, oauth_clients.find((one) => one.name === app));
      } catch (failure) {
        check(of, "ended early", `${failure} ${failure.cause ?? ""}`, null);
      }
    }
  }
  process.exitCode = failed ? 1 : 0;
}

main();
