//! Changes of balances that nobody at the page asked for by an order.

use super::news::News;
use super::{MOST, Read, unread};
use buttonwood_call::App;
use buttonwood_engine::{About, Cause};
use buttonwood_gate::Refusal;
use buttonwood_model::AccountId;
use buttonwood_views::history::{EntriesFrom, Limit, Line, Lines};
use buttonwood_wire::contract::DecimalText;

/// Lines that are read at once, until enough of them are news; not more.
const READ: [usize; 3] = [200, 1_600, 12_800];

/// The newest changes after the line with the number `known`; of all of them with `is_all`. Payments of contracts are among them only
/// `with_payments`: to others they are news of their positions.
pub(super) async fn read(
    app: &App,
    account: AccountId,
    (known, is_all): (u64, bool),
    with_payments: bool,
) -> Result<Read, Refusal> {
    let mut found = Read::default();
    for rows in READ {
        let page = page(app, account, rows).await?;
        let is_end = page.len() < rows;
        let is_reached = is_end || page.last().is_none_or(|line| line.id <= known);
        let is_wanted = |line: &&Line| {
            is_news(line) && (with_payments || !is_payment(line)) && (is_all || line.id > known)
        };
        let news: Vec<&Line> = page.iter().filter(is_wanted).collect();
        let is_whole = if is_all { is_end } else { is_reached };
        let is_enough = is_whole || news.len() >= MOST;
        found = Read {
            last: page.first().map_or(0, |line| line.id),
            rows: news.iter().take(MOST).map(|line| row(app, line, known)).collect(),
            more: !is_whole || news.len() > MOST,
        };
        if is_enough {
            break;
        }
    }
    Ok(found)
}

/// The newest lines that are no part of a trade of a spot market, the newest first.
async fn page(app: &App, account: AccountId, rows: usize) -> Result<Vec<Line>, Refusal> {
    let lines = Lines::beside_trades(app.exchange.views().history(), account);
    let limit = Limit { rows, most: rows };
    let page =
        app.exchange.query_history(move |history| lines.page(history, EntriesFrom::Newest, limit)).await;
    page.map_err(|fault| unread(&fault))
}

/// Trades and their fees are news of their orders, and the rest of what is left out is a part of an act of the user.
fn is_news(line: &Line) -> bool {
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

/// The end of a position in a contract.
fn is_payment(line: &Line) -> bool {
    matches!((line.cause, line.about), (Cause::Payout | Cause::Refund, About::Contract(_)))
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
