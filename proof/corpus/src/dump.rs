//! A state as text: what a person would compare. Fields that later builds add appear only where they are set, so that the
//! dump of an older directory never changes.

mod clearing;
mod funds;
mod identity;
mod perps;
mod predictions;
mod staking;

use buttonwood_engine::{
    Account, Auctions, FeeSchedule, Fees, Finding, FxPair, Group, GroupTerms, Hand, Mode, OrderState, Owner,
    Proposal, Quote, Rates, Schedule, Standing, State, Terms,
};
use buttonwood_model::{
    AccountId, AssetId, Claim, Currency, CurrencyId, CurrencyKind, Desk, GroupId, OrderKind, Product, Role,
    Symbol, SymbolId,
};
use buttonwood_num::{Grid, MONEY_DECIMALS, Money, Price, Qty};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The text of a state: number and time, opening, balances, live orders, symbols with their auctions, groups, accounts,
/// sessions, fees, currencies, exchange rates, funds, perpetuals, clearing, staking, prediction markets, people and apps, a halt.
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
    breaks(state, &mut text);
    symbols(state, &mut text);
    accounts(state, &mut text);
    sessions(state, &mut text);
    fees(state.fees(), state, &mut text);
    currencies(state, &mut text);
    conversions(state, &mut text);
    rates(state.rates(), &mut text);
    funds::funds(state, &mut text);
    perps::perps(state, &mut text);
    clearing::clearing(state, &mut text);
    staking::staking(state, &mut text);
    predictions::predictions(state, &mut text);
    identity::identity(state, &mut text);
    if let Some(halt) = state.operations().halt() {
        text.line(&format!("halted since {} by {}: {}", halt.since.0, halt.who, halt.why));
    }
    for (connection, open) in state.floor().open_connections() {
        let live: Vec<_> = open.live(state.orders()).map(|(_, order)| order.0.to_string()).collect();
        let account = account_name(state, open.account);
        let (connection, session) = (connection.0, open.session.0);
        text.line(&format!(
            "connection {connection} of session {session} for {account}: orders [{}]",
            live.join(" ")
        ));
    }
    for proposal in state.operations().proposals(state.stamp().time) {
        let Proposal { id, what, time, who, why, text: sent, user, os_user } = proposal;
        let user = user.map_or(String::new(), |user| format!(" of user {} as '{os_user}'", user.0));
        text.line(&format!("proposal {id} since {} by {who}{user}: {what:?} '{sent}' '{why}'", time.0));
    }
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

fn digits(push: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    push(&mut out);
    String::from_utf8(out).expect("digits")
}

fn money(amount: Money) -> String {
    digits(|out| amount.push_floored(out, MONEY_DECIMALS))
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

/// The terms of instant orders where they were set, and the quotes that may be executed.
fn conversions(state: &State, text: &mut Text) {
    let terms = state.conversions().terms();
    if terms != Terms::default() {
        text.line(&format!("instant fee {} exposure {}", terms.fee.0, money(terms.exposure)));
    }
    if terms.depth != Money::ZERO {
        text.line(&format!("instant depth {}", money(terms.depth)));
    }
    for currency in (0..state.currencies().len()).map(CurrencyId::from_index) {
        if let Some(given) = state.conversions().given(currency) {
            text.line(&format!("instant stock {} {}", asset_name(state, currency.into()), money(given)));
        }
    }
    for quote in state.conversions().quotes() {
        let (account, symbol) =
            (account_name(state, quote.account), state.symbol(quote.symbol).expect("listed"));
        text.line(&format!(
            "quote {} {account} {} {:?} {} @ {} fee {} at {}",
            quote.id.0,
            symbol.name,
            quote.side,
            digits(|out| symbol.grid.push_qty(out, quote.qty)),
            digits(|out| symbol.grid.push_price(out, quote.price)),
            money(quote.fee),
            quote.time.0
        ));
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
        let (whole, symbol) =
            (OrderState::live(state.floor(), slot), state.symbol(order.symbol).expect("a symbol"));
        let grid = &symbol.grid;
        let qty = |qty| digits(|out| grid.push_qty(out, qty));
        let mut line = format!(
            "order {} {} {} {:?} {} {} of {} notional {} placed {} session {}",
            order.id.0,
            account_name(state, order.account),
            symbol.name,
            order.side(),
            digits(|out| grid.push_price(out, order.price)),
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
            (
                whole.stop.is_some(),
                whole.stop.map_or_else(String::new, |stop| {
                    let waits = if order.is_untriggered() { "waits for" } else { "triggered at" };
                    format!("{waits} {}", digits(|out| grid.push_price(out, stop)))
                }),
            ),
            (class.claim() != Claim::Yes, format!("{:?}", class.claim())),
            (class.desk() != Desk::new(0), format!("desk {}", class.desk().number())),
            (rates != FeeSchedule::default(), schedule(rates)),
            (whole.broken > Qty::ZERO, format!("broken {}", qty(whole.broken))),
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

fn breaks(state: &State, text: &mut Text) {
    for (symbol, trade, kind) in state.floor().breaks.all() {
        let symbol = state.symbol(symbol).expect("a symbol");
        text.line(&format!("broken {} {} {}", trade.0, symbol.name, kind.name()));
    }
}

fn symbols(state: &State, text: &mut Text) {
    for (id, symbol) in (0..state.symbols().len()).map(SymbolId::from_index).zip(state.symbols()) {
        let Symbol { name, base, quote, grid, qty_min, product, status, wrap_enabled, closed_to } = symbol;
        let [base, quote] = [base, quote].map(|id| &state.currency(*id).expect("a currency").code);
        let mut line = format!(
            "symbol {name} {} {product:?} {base}/{quote} tick {} lot {} least {}",
            status.name(),
            digits(|out| grid.push_tick(out)),
            digits(|out| grid.push_lot(out)),
            digits(|out| grid.push_qty(out, *qty_min))
        );
        if *wrap_enabled {
            line.push_str(" wraps");
        }
        if !closed_to.is_empty() {
            write!(line, " closed to {}", closed_to.join(", ")).expect("a string");
        }
        if let Some(last) = state.orders().last(id) {
            write!(line, " last {}", digits(|out| grid.push_price(out, last))).expect("a string");
        }
        if let Some(auctions) = state.auctions(id) {
            self::auctions(auctions, grid, &mut line);
        }
        text.line(&line);
    }
}

fn auctions(auctions: &Auctions, grid: &Grid, line: &mut String) {
    write!(line, " auction {}", auctions.number()).expect("a string");
    if let Some(schedule) = auctions.schedule() {
        let Schedule { time, every, opens, indicates, indicates_every, last_cancel } = *schedule;
        write!(
            line,
            " at {} every {every} opens {opens} indicates {indicates} each {indicates_every}",
            time.0
        )
        .expect("a string");
        write!(line, " last cancel {last_cancel}").expect("a string");
    }
    if let Some(time) = auctions.next_indication() {
        write!(line, " next indication {}", time.0).expect("a string");
    }
    if let Some(settling) = auctions.settling() {
        let Finding { bid, ask, collar, price, qty, beyond } = settling.finding;
        let price_of = |price: Option<Price>| {
            price.map_or_else(|| "none".to_owned(), |price| digits(|out| grid.push_price(out, price)))
        };
        let collar = collar.map_or_else(
            || "none".to_owned(),
            |collar| digits(|out| grid.push_half_ticks(out, collar.half_ticks())),
        );
        write!(line, " settling below order {}", settling.before.0).expect("a string");
        write!(line, " bid {} ask {} collar {collar}", price_of(bid), price_of(ask)).expect("a string");
        let [qty, beyond] = [qty, beyond].map(|qty| digits(|out| grid.push_qty(out, qty)));
        write!(line, " price {} traded {qty} beyond {beyond}", price_of(price)).expect("a string");
    }
}

fn accounts(state: &State, text: &mut Text) {
    for (place, Group { name, terms, addresses }) in state.access().groups().iter().enumerate() {
        let mut line = format!("group {name}");
        if *terms != GroupTerms::default() {
            let GroupTerms { accounts_max, custody } = terms;
            write!(line, " accounts at most {accounts_max} custody {custody}").expect("a string");
        }
        for range in addresses {
            write!(line, " from {range}").expect("a string");
        }
        if !state.access().is_approved(GroupId::from_index(place)) {
            line.push_str(" unapproved");
        }
        text.line(&line);
    }
    for (at, account) in state.access().accounts().iter().enumerate() {
        let Account { counterparty_id, jurisdiction, broker, opened, kind, display_name, .. } = account;
        let name = account_name(state, AccountId::from_index(at));
        let mut line = format!("account {name} {} opened {}", kind.name(), opened.0);
        for (what, value) in
            [("counterparty", counterparty_id), ("in", jurisdiction), ("named", display_name)]
        {
            if !value.is_empty() {
                write!(line, " {what} {value}").expect("a string");
            }
        }
        if *broker {
            line.push_str(" broker");
        }
        if state.access().is_closed(AccountId::from_index(at)) {
            line.push_str(" closed");
        }
        text.line(&line);
    }
}

fn currencies(state: &State, text: &mut Text) {
    for Currency { code, name, decimals, kind, networks } in state.currencies() {
        let kind = match kind {
            CurrencyKind::Crypto => "crypto",
            CurrencyKind::Fiat => "fiat",
        };
        let mut line = format!("currency {code} {kind} decimals {decimals} named {name}");
        if !networks.is_empty() {
            write!(line, " networks {}", networks.join(", ")).expect("a string");
        }
        text.line(&line);
    }
}

/// The provider of the sample rates, which are the same in every sandbox. Older dumps leave them out, so later ones do too.
const SAMPLES: &str = "sandbox-sample";

/// For each pair and provider the number, the first, the last and the sum of its rates.
fn rates(rates: &Rates, text: &mut Text) {
    for pair in FxPair::ALL {
        let mut providers: BTreeMap<&str, Vec<Quote<'_>>> = BTreeMap::new();
        for quote in rates.of(pair).filter(|quote| quote.provider != SAMPLES) {
            providers.entry(quote.provider).or_default().push(quote);
        }
        for (provider, quotes) in providers {
            let sum: u64 = quotes.iter().map(|quote| quote.rate.units()).sum();
            let shown = |quote: Option<&Quote<'_>>| {
                let quote = quote.expect("a provider has a rate");
                format!("{} at {}", digits(|out| quote.rate.push(out)), quote.time.0)
            };
            let (first, last) = (shown(quotes.first()), shown(quotes.last()));
            let (name, count) = (pair.name(), quotes.len());
            text.line(&format!("rates {name} of {provider} {count} from {first} to {last} sum {sum}"));
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
        if session.standing() != Standing::Enabled {
            write!(line, " {:?}", session.standing()).expect("a string");
        }
        // Older dumps know of operators alone.
        if let Some(by @ (Hand::User | Hand::Administrator)) = session.disabled_by() {
            write!(line, " by {by:?}").expect("a string");
        }
        for range in &key.addresses {
            write!(line, " from {range}").expect("a string");
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
    for product in [Product::Spot, Product::Swap, Product::Contract] {
        // Older dumps have no line of contracts.
        if product != Product::Contract || fees.is_set(product) {
            text.line(&format!("{product:?} {}", schedule(fees.of_product(product))));
        }
    }
    for (account, product, own) in fees.of_accounts() {
        text.line(&format!("{product:?} of {} {}", account_name(state, account), schedule(own)));
    }
    for product in [Product::Spot, Product::Swap] {
        for tier in fees.tiers_of(product) {
            text.line(&format!("{product:?} tier from {} {}", money(tier.from), schedule(tier.rates)));
        }
    }
    if let Some(promotion) = fees.promotion() {
        let names = fees.symbols_promoted().filter_map(|id| Some(state.symbol(id)?.name.as_str()));
        text.line(&format!("promotion of {} {}", names.collect::<Vec<_>>().join(", "), schedule(promotion)));
    }
    volumes(state, text);
}

/// Totals are computed by a command that earlier builds did not have.
fn volumes(state: &State, text: &mut Text) {
    for account in (0..state.ledger().accounts()).map(AccountId) {
        let total = state.volumes().total(account);
        if total > Money::ZERO {
            text.line(&format!("volume of {} {}", account_name(state, account), money(total)));
        }
    }
}
