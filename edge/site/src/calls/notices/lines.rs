//! Changes of balances that nobody at the page asked for by an order.

use super::news::News;
use super::{MOST, Read, unread};
use buttonwood_engine::{About, Cause};
use buttonwood_gate::Refusal;
use buttonwood_model::AccountId;
use buttonwood_rest::App;
use buttonwood_views::history::{EntriesFrom, Limit, Line, Lines};
use buttonwood_wire::contract::DecimalText;

/// The newest changes; those after the line with the number `known` are new.
pub(super) async fn read(app: &App, account: AccountId, known: u64) -> Result<Read, Refusal> {
    let lines = {
        let views = app.exchange.views();
        Lines::of(views.state(), views.history(), account, None)
    };
    let limit = Limit { rows: MOST, most: MOST };
    let page =
        app.exchange.query_history(move |history| lines.page(history, EntriesFrom::Newest, limit)).await;
    let page = page.map_err(|fault| unread(&fault))?;
    let oldest_is_new = page.last().is_some_and(|line| line.id > known);
    let more = page.len() == MOST && oldest_is_new;
    let last = page.first().map_or(0, |line| line.id);
    let told = page.iter().filter(|line| is_told(line));
    Ok(Read { last, rows: told.map(|line| row(app, line, known)).collect(), more })
}

/// Trades and their fees are told with their orders, and the rest of what is left out is a part of an act of the user.
fn is_told(line: &Line) -> bool {
    !matches!(
        line.cause,
        Cause::Trade
            | Cause::Fee
            | Cause::Conversion
            | Cause::Loan
            | Cause::Realised
            | Cause::Stake
            | Cause::Netting
    )
}

fn row(app: &App, line: &Line, known: u64) -> News {
    let names = app.current_names();
    let blank = News::blank(format!("m{}", line.id), line.time.millis(), line.id > known, "money");
    let symbol = match line.about {
        About::Contract(contract) => Some(names.symbol(contract).name.to_ascii_uppercase()),
        About::Nothing
        | About::Order(_)
        | About::Trade(..)
        | About::Transfer(_)
        | About::Clearing(..)
        | About::Staking(_) => None,
    };
    News {
        symbol,
        currency: Some(names.currency(line.currency).code.clone()),
        amount: Some(DecimalText::exact(line.amount)),
        reason: Some(line.cause.name().to_owned()),
        ..blank
    }
}
