//! Those who attack: groups that own accounts of every kind, with a key for each, and master keys.

use crate::prices;
use crate::server::Server;
use buttonwood_client::{Client, Credentials};
use serde_json::{Value, json};

/// The groups that act, and one that only receives sums beyond every measure.
pub(crate) const GROUPS: [&str; 3] = ["hostile-a", "hostile-b", "hostile-c"];

/// The group that receives what would make another so rich that no limit touches it; it makes no call.
pub(crate) const SPARE: &str = "hostile-spare";

/// An account that every group opens: name, kind, and what it is given.
type Opened = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// The accounts of a group.
pub(crate) const ACCOUNTS: [Opened; 5] = [
    (
        "front",
        "exchange",
        &[("USD", "20000"), ("BTC", "0.5"), ("ETH", "5"), ("LINK", "100"), ("GUSD", "2000")],
    ),
    ("back", "exchange", &[("USD", "5000"), ("BTC", "0.1"), ("USDC", "1000")]),
    ("lender", "margin", &[("USD", "10000"), ("BTC", "0.05")]),
    ("swapper", "derivatives", &[("GUSD", "10000")]),
    ("vault", "custody", &[("BTC", "0.2"), ("ETH", "1")]),
];

/// An address of each network that withdrawals go to, approved for every group.
pub(crate) const PAYEES: [(&str, &str); 2] = [
    ("bitcoin", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
    ("ethereum", "0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe"),
];

/// Eight days: every approval's hold has ended.
const HOLD_SECONDS: u64 = 8 * 86_400;

/// A key that acts.
pub(crate) struct Key {
    /// Its place in [`People::groups`].
    pub(crate) group: usize,
    /// Its account; none for a master key.
    pub(crate) account: Option<&'static str>,
    /// The kind of its account; empty for a master key.
    pub(crate) kind: &'static str,
    pub(crate) roles: &'static [&'static str],
    credentials: Credentials,
    pub(crate) client: Client,
}

/// A group and its accounts.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    /// The short names of its accounts, as last listed.
    pub(crate) accounts: Vec<String>,
    /// A master key that only reads.
    pub(crate) reader: Key,
}

/// Everyone.
pub(crate) struct People {
    /// The groups that act, and last the spare one.
    pub(crate) groups: Vec<Group>,
    /// The keys that act.
    pub(crate) keys: Vec<Key>,
}

impl People {
    /// Opens all groups, accounts and keys, pins every price, funds the accounts and the insurance fund.
    pub(crate) fn settle(server: &Server) -> Result<Self, String> {
        prices::pin(server)?;
        server.control("/sandbox/ledger/insurance", &json!({ "currency": "GUSD", "amount": "20000" }))?;
        let mut people = Self { groups: Vec::new(), keys: Vec::new() };
        for name in GROUPS {
            people.open(server, name)?;
        }
        people.open_spare(server)?;
        people.list_accounts(server)?;
        server.control("/sandbox/clock/advance", &json!({ "seconds": HOLD_SECONDS }))?;
        Ok(people)
    }

    fn open(&mut self, server: &Server, name: &'static str) -> Result<(), String> {
        server.admin(&["group", "add", name, "--max-accounts", "20", "--custody-terms"])?;
        let group = self.groups.len();
        for (account, kind, funds) in ACCOUNTS {
            server.control("/sandbox/accounts", &json!({ "group": name, "name": account, "kind": kind }))?;
            for (currency, amount) in funds {
                let body =
                    json!({ "group": name, "account": account, "currency": currency, "amount": amount });
                server.control("/sandbox/accounts/credit", &body)?;
            }
            let roles: &[&str] =
                if kind == "custody" { &["Fund Manager"] } else { &["Trader", "Fund Manager"] };
            self.keys.push(Key::make(server, (group, name), Some((account, kind)), roles)?);
        }
        self.keys.push(Key::make(server, (group, name), Some(("front", "exchange")), &["Auditor"])?);
        // A bank that payments can go to.
        let bank =
            json!({ "accountnumber": "123456789", "routing": "021000021", "type": "checking", "name": name });
        if let Some(front) = self.keys.iter().find(|key| key.group == group && key.account == Some("front")) {
            server.call(&front.client, "/v1/payments/addbank", bank)?;
        }
        let wire = json!({
            "group": name, "account": "front", "currency": "USD", "amount": "10", "method": "Wire",
            "accountnumber": "123456789", "routing": "021000021",
        });
        server.control("/sandbox/banks/wire", &wire)?;
        let master = Key::make(server, (group, name), None, &["Administrator", "Trader", "Fund Manager"])?;
        for (network, address) in PAYEES {
            let fields = json!({ "address": address, "label": "payee" });
            server.call(&master.client, &format!("/v1/approvedAddresses/{network}/request"), fields)?;
        }
        self.keys.push(master);
        let reader = Key::make(server, (group, name), None, &["Administrator", "Trader", "Fund Manager"])?;
        self.groups.push(Group { name, accounts: Vec::new(), reader });
        Ok(())
    }

    fn open_spare(&mut self, server: &Server) -> Result<(), String> {
        server.admin(&["group", "add", SPARE])?;
        server
            .control("/sandbox/accounts", &json!({ "group": SPARE, "name": "front", "kind": "exchange" }))?;
        let group = (self.groups.len(), SPARE);
        let reader = Key::make(server, group, None, &["Administrator", "Trader", "Fund Manager"])?;
        self.groups.push(Group { name: SPARE, accounts: Vec::new(), reader });
        Ok(())
    }

    /// Lists the accounts of every group again: they are created, renamed and closed.
    pub(crate) fn list_accounts(&mut self, server: &Server) -> Result<(), String> {
        for group in &mut self.groups {
            let rows =
                server.call(&group.reader.client, "/v1/account/list", json!({ "limit_accounts": 500 }))?;
            let rows = rows.as_array().into_iter().flatten();
            let open = rows.filter(|row| row.get("status").and_then(Value::as_str) == Some("open"));
            let mut names: Vec<String> =
                open.filter_map(|row| row.get("account")?.as_str()).map(str::to_owned).collect();
            names.sort_unstable();
            group.accounts = names;
        }
        Ok(())
    }

    /// Connects every key to the exchange after a restart.
    pub(crate) fn reconnect(&mut self, base_url: &str) -> Result<(), String> {
        let readers = self.groups.iter_mut().map(|group| &mut group.reader);
        self.keys.iter_mut().chain(readers).try_for_each(|key| key.connect(base_url))
    }
}

impl Key {
    fn make(
        server: &Server,
        (group, name): (usize, &str),
        account: Option<(&'static str, &'static str)>,
        roles: &'static [&'static str],
    ) -> Result<Self, String> {
        let mut body = json!({ "group": name, "roles": roles });
        if let (Some((account, _)), Some(fields)) = (account, body.as_object_mut()) {
            fields.insert("account".to_owned(), account.into());
        }
        let made = server.control("/sandbox/keys", &body)?;
        let text = |field: &str| made.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let credentials = Credentials::new(text("api_key"), text("api_secret"));
        let client = connected(&server.base_url, &credentials)?;
        let (account, kind) = account.map_or((None, ""), |(account, kind)| (Some(account), kind));
        Ok(Self { group, account, kind, roles, credentials, client })
    }

    fn connect(&mut self, base_url: &str) -> Result<(), String> {
        self.client = connected(base_url, &self.credentials)?;
        Ok(())
    }

    /// The id of the key.
    pub(crate) fn api_key(&self) -> &str {
        &self.credentials.api_key
    }

    /// Its name in a report.
    pub(crate) fn name(&self) -> String {
        format!(
            "{}/{} [{}]",
            GROUPS.get(self.group).unwrap_or(&SPARE),
            self.account.unwrap_or("*"),
            self.roles.join(", ")
        )
    }
}

fn connected(base_url: &str, credentials: &Credentials) -> Result<Client, String> {
    let client = Client::new(base_url).map_err(|error| error.to_string())?;
    Ok(client.with_key(credentials.clone()))
}
