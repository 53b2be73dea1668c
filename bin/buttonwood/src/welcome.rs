//! The text that a new user sees: addresses, two ready keys, three snippets to paste.

use crate::doors::Urls;
use crate::say;
use buttonwood_engine::State;
use buttonwood_vault::{Opened, Secret};
use std::fmt::Write;
use std::path::Path;
use zeroize::Zeroizing;

/// The data of a sandbox's welcome.
pub(crate) struct Welcome<'a> {
    pub(crate) urls: &'a Urls,
    pub(crate) data: &'a Path,
    pub(crate) credentials: &'a Path,
    pub(crate) seed: u64,
}

/// Writes the welcome of a sandbox to standard error; it is no log, so it may show the two keys' secrets.
pub(crate) fn sandbox(about: &Welcome<'_>, state: &State, vault: &Opened) {
    let key = |name: &str| {
        let found = state.access().sessions().iter().find(|session| session.key.name == name)?;
        let secret = vault.get(&found.key.api_key).ok().flatten()?;
        Some((found.key.api_key.clone(), secret))
    };
    let (Some(trader), Some(counterparty)) = (key("trader"), key("counterparty")) else { return };
    let Welcome { urls, data, credentials, seed } = about;
    let (base_url, places) = (&urls.base, places(urls));
    let (data, credentials) = (data.display(), credentials.display());
    say(format_args!(
        "
Buttonwood sandbox
{places}
  data             {data}   (seed {seed})
  all keys         {credentials}
  sign in          {}/signin has a button for each test user (from this machine)

Two ready keys, of two accounts with test funds
  trader           {}   {}
  counterparty     {}   {}

Paste
  curl '{base_url}/v1/book/btcusd?limit_bids=3&limit_asks=3'

  python3 -c \"
{}\"
      (needs: pip install ccxt)

  {}/docs    every call with its fields and answers
  less docs/SANDBOX.md    the market, the limits and every control call
",
        urls.auth,
        trader.0,
        trader.1.text(),
        counterparty.0,
        counterparty.1.text(),
        snippet(base_url, &trader).as_str(),
        urls.auth
    ));
}

/// The lines with the addresses.
fn places(Urls { base, auth, .. }: &Urls) -> String {
    if base == auth {
        format!("  pages and REST   {base}")
    } else {
        format!("  REST             {base}\n  pages            {auth}")
    }
}

/// Python that places an order with stock ccxt and cancels it, in lines that fit a terminal. Its price is far from the market.
fn snippet(base_url: &str, (api_key, secret): &(String, Secret)) -> Zeroizing<String> {
    // Reserved at once: a text that grows leaves a copy behind.
    let mut text = Zeroizing::new(String::with_capacity(2_048));
    let written = write!(
        text,
        "import ccxt; x = ccxt.gemini(); x.apiKey = '{api_key}'
x.secret = '{}'
x.urls['api'] = dict.fromkeys(x.urls['api'], '{base_url}')
order = x.create_order('BTC/USD', 'limit', 'buy', 0.01, 20000)
print(order['info'], x.cancel_order(order['id'])['info'])",
        secret.text()
    );
    written.expect("text takes every write");
    text
}

/// Prints where a venue is, and how to operate it.
pub(crate) fn venue(urls: &Urls, data: &Path) {
    let places = places(urls);
    say(format_args!(
        "
Buttonwood venue
{places}
  data             {}

  operate it with  buttonwood admin --data {} … (docs/OPERATING.md; buttonwood admin --help)

This exchange takes no deposits and pays no withdrawals: it is connected to no chain and no bank. Money enters with
`admin credit`. It speaks plain HTTP: a proxy in front of it speaks TLS.
",
        data.display(),
        data.display()
    ));
}
