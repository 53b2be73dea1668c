//! A state as text: what a person would compare. What later builds add appears only where it is set, so that the dump of an
//! older directory never changes.

use buttonwood_engine::{FeeSchedule, Fees, Mode, OrderState, Owner, State};
use buttonwood_model::{AccountId, AssetId, Claim, CurrencyId, Desk, OrderKind, Product, Role, SymbolId};
use buttonwood_num::{MONEY_DECIMALS, Money};
use std::fmt::Write;

/// The text of a state: number and time, opening, balances, live orders, statuses, auctions, display names, sessions, fees.
pub fn dump(state: &State) -> String {
    let mut text = Text::default();
    let stamp = state.stamp();
    text.line(&format!("command {} at {}", stamp.seq.0, stamp.time.0));
    if let Some(opening) = state.opening() {
        let mode = match opening.mode {
            Mode::Sandbox => "sandbox",
            Mode::Venue => "venue",
        };
        text.line(&format!("opening {mode} seed {} hash key {}", opening.seed, opening.hash_key));
    }
    balances(state, &mut text);
    orders(state, &mut text);
    symbols(state, &mut text);
    accounts(state, &mut text);
    sessions(state, &mut text);
    fees(state.fees(), state, &mut text);
    text.0
}

#[derive(Default)]
struct Text(String);

impl Text {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }
}

fn money(amount: Money) -> String {
    let mut digits = Vec::new();
    amount.push_floored(&mut digits, MONEY_DECIMALS);
    String::from_utf8(digits).expect("digits")
}

/// `group/account`, or the name of a house account.
fn account_name(state: &State, id: AccountId) -> String {
    if let Some(house) = state.ledger().houses().iter().find(|house| house.account == id) {
        let sign = if house.may_be_negative { " (may be negative)" } else { "" };
        return format!("house {}{sign}", house.name);
    }
    let account = state.access().account(id).expect("an open account");
    let group = account.group.and_then(|group| state.access().group(group));
    format!("{}/{}", group.map_or("", |group| &group.name), account.short_name)
}

fn asset_name(state: &State, asset: AssetId) -> String {
    match asset.currency() {
        Some(currency) => state.currency(currency).expect("a listed currency").code.clone(),
        None => format!("claim {}", asset.number()),
    }
}

fn balances(state: &State, text: &mut Text) {
    for id in (0..state.ledger().accounts()).map(AccountId) {
        let name = account_name(state, id);
        let currencies = state.ledger().balances_of(id).map(|(currency, balance)| (currency.into(), balance));
        for (asset, balance) in currencies.chain(state.ledger().claims_of(id)) {
            let (free, held) = (money(balance.available), money(balance.held));
            text.line(&format!("balance {name} {} {free} held {held}", asset_name(state, asset)));
        }
    }
}

fn orders(state: &State, text: &mut Text) {
    let orders = state.orders();
    let accounts = (0..state.ledger().accounts()).map(AccountId);
    let mut all: Vec<_> = accounts.flat_map(|account| orders.of_account(account)).collect();
    all.sort_by_key(|(_, order)| order.id);
    for (slot, order) in all {
        let (whole, symbol) = (OrderState::live(orders, slot), state.symbol(order.symbol).expect("a symbol"));
        let grid = &symbol.grid;
        let mut price = Vec::new();
        grid.push_price(&mut price, order.price);
        let qty = |qty| {
            let mut digits = Vec::new();
            grid.push_qty(&mut digits, qty);
            String::from_utf8(digits).expect("digits")
        };
        let mut line = format!(
            "order {} {} {} {:?} {} {} of {} notional {} placed {} session {}",
            order.id.0,
            account_name(state, order.account),
            symbol.name,
            order.side(),
            String::from_utf8(price).expect("digits"),
            qty(whole.remaining),
            qty(whole.original),
            money(whole.notional),
            whole.placed.0,
            whole.session.0
        );
        let class = order.class();
        let rates = state.fees().get(order.rates);
        for (is_set, what) in [
            (whole.kind != OrderKind::Limit, format!("{:?}", whole.kind)),
            (whole.option.is_some(), whole.option.map_or_else(String::new, |option| format!("{option:?}"))),
            (class.claim() != Claim::Yes, format!("{:?}", class.claim())),
            (class.desk() != Desk::new(0), format!("desk {}", class.desk().number())),
            (rates != FeeSchedule::default(), schedule(rates)),
        ] {
            if is_set {
                write!(line, " {what}").expect("a string");
            }
        }
        if let Some(client_id) = whole.client_id {
            write!(line, " as {}", String::from_utf8_lossy(client_id.as_bytes())).expect("a string");
        }
        text.line(&line);
    }
}

fn symbols(state: &State, text: &mut Text) {
    for (id, symbol) in (0..state.symbols().len()).map(SymbolId::from_index).zip(state.symbols()) {
        let mut line = format!("symbol {} {}", symbol.name, symbol.status.name());
        if let Some(last) = state.orders().last(id) {
            let mut price = Vec::new();
            symbol.grid.push_price(&mut price, last);
            write!(line, " last {}", String::from_utf8(price).expect("digits")).expect("a string");
        }
        if let Some(auctions) = state.auctions(id) {
            write!(line, " auction {}", auctions.number()).expect("a string");
            if let Some(schedule) = auctions.schedule() {
                write!(line, " at {} every {}", schedule.time.0, schedule.every).expect("a string");
            }
            if let Some(settling) = auctions.settling() {
                write!(line, " settling below order {}", settling.before.0).expect("a string");
            }
        }
        text.line(&line);
    }
}

/// The accounts with a name besides the short one.
fn accounts(state: &State, text: &mut Text) {
    for (at, account) in state.access().accounts().iter().enumerate() {
        if !account.display_name.is_empty() {
            let id = account_name(state, AccountId::from_index(at));
            text.line(&format!("account {id} named {}", account.display_name));
        }
    }
}

fn sessions(state: &State, text: &mut Text) {
    for session in state.access().sessions() {
        let key = &session.key;
        let owner = match key.owner {
            Owner::Account(account) => account_name(state, account),
            Owner::Group(group) => format!("group {}", state.access().group(group).expect("a group").name),
        };
        let roles: Vec<_> = key.roles.iter().map(Role::name).collect();
        let mut line = format!("session {} {} of {owner} roles {}", key.name, key.api_key, roles.join(", "));
        if key.require_heartbeat {
            line.push_str(" heartbeat");
        }
        if key.time_based_nonce {
            line.push_str(" time-based");
        }
        write!(line, " nonce {:?}", session.highest_nonce()).expect("a string");
        text.line(&line);
    }
}

fn schedule(schedule: FeeSchedule) -> String {
    let FeeSchedule { maker, taker, auction } = schedule;
    format!("fees {} {} {}", maker.0, taker.0, auction.0)
}

fn fees(fees: &Fees, state: &State, text: &mut Text) {
    for product in [Product::Spot, Product::Swap] {
        text.line(&format!("{product:?} {}", schedule(fees.of_product(product))));
    }
    for (account, product, own) in fees.of_accounts() {
        text.line(&format!("{product:?} of {} {}", account_name(state, account), schedule(own)));
    }
    let currencies = (0..state.currencies().len()).map(CurrencyId::from_index);
    text.line(&format!("{} currencies", currencies.count()));
}
