//! `GET /v1/prediction-markets/volume/{date}` and `/volume/{date}/hourly`: the contracts traded on a day, by category (beyond the clauses).

use super::SCANNED;
use buttonwood_call::{App, Asked, Later, Route, not_current};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Day, SymbolId, Time};
use buttonwood_num::{Money, Qty};
use buttonwood_wire::contract::{DecimalText, IsoTime, Label};
use buttonwood_wire::time::{day, iso_millis};
use buttonwood_wire::{answer, json};
use std::collections::BTreeMap;
use std::num::NonZeroU64;

/// The oldest day that is answered, counted back from today.
const DAYS_MAX: u64 = 365;
/// Milliseconds of a day, and of an hour.
const DAY_MS: NonZeroU64 = NonZeroU64::new(24 * 3_600_000).expect("a day has milliseconds");
const HOUR_MS: NonZeroU64 = NonZeroU64::new(3_600_000).expect("an hour has milliseconds");

/// Anybody.
pub(crate) const DAY: Route = Route::public_recalling("/v1/prediction-markets/volume/{date}", of_day)
    .coded()
    .about("Reports how many contracts were traded on a day, by category.")
    .notes(NOTES)
    .gives::<Vec<CategoryVolume>>();

/// Anybody.
pub(crate) const HOURLY: Route =
    Route::public_recalling("/v1/prediction-markets/volume/{date}/hourly", by_hour)
        .coded()
        .about("Reports how many contracts were traded in each hour of a day, by category.")
        .notes(NOTES)
        .gives::<Vec<HourVolume>>();

const NOTES: &[&str] = &[
    "The date is a day of UTC that is over, as yyyy-mm-dd, and at most a year ago. Categories without trades are left out. A contract \
     that was traded counts once, for its taker.",
];

answer! {
    /// The contracts of a category that were traded on a day.
    struct CategoryVolume {
        /// The category.
        category_path as "categoryPath": Vec<Label>,
        /// How many contracts takers traded.
        volume: DecimalText,
    }
}

answer! {
    /// The contracts of a category that were traded in an hour.
    struct HourVolume {
        /// When the hour begins.
        period_start as "periodStart": IsoTime,
        /// The category.
        category_path as "categoryPath": Vec<Label>,
        /// How many contracts takers traded.
        volume: DecimalText,
    }
}

fn of_day<'a>(app: &'a App, asked: &'a Asked<'a>) -> Later<'a> {
    Box::pin(async move {
        let rows = volumes(app, asked.parameter, DAY_MS).await?.into_iter();
        let shown = rows.map(|((_, category), volume)| CategoryVolume {
            category_path: vec![Label(category)],
            volume: DecimalText::exact(volume),
        });
        Ok(Reply::json(json::body(&shown.collect::<Vec<_>>())))
    })
}

fn by_hour<'a>(app: &'a App, asked: &'a Asked<'a>) -> Later<'a> {
    Box::pin(async move {
        let rows = volumes(app, asked.parameter, HOUR_MS).await?.into_iter();
        let shown = rows.map(|((start, category), volume)| HourVolume {
            period_start: IsoTime(iso_millis(Time(start.saturating_mul(1_000)))),
            category_path: vec![Label(category)],
            volume: DecimalText::exact(volume),
        });
        Ok(Reply::json(json::body(&shown.collect::<Vec<_>>())))
    })
}

/// The contracts that were traded on a day, by period and category.
async fn volumes(
    app: &App,
    date: &str,
    period: NonZeroU64,
) -> Result<BTreeMap<(u64, String), Money>, Refusal> {
    let day = wanted(app, date)?;
    let [from, to] = [day, day.plus(1)].map(|day| day.start().millis());
    let rows = app.exchange.query_tables(move |tables| tables.taken_volumes(from, to, period)).await;
    let rows: Vec<(u64, SymbolId, Qty)> = rows.map_err(|fault| not_current(&fault))?;
    let mut sums: BTreeMap<(u64, String), Money> = BTreeMap::new();
    for some in rows.chunks(SCANNED) {
        {
            let views = app.exchange.views();
            let state = views.state();
            for (start, contract, qty) in some {
                let event = state.predictions().event_of(*contract);
                let traded = state.symbol(*contract).and_then(|symbol| symbol.grid.base(*qty));
                let Some(((_, event), traded)) = event.zip(traded) else { continue };
                let sum = sums.entry((*start, event.category.clone())).or_insert(Money::ZERO);
                *sum = sum.capped_add(traded);
            }
        }
        tokio::task::yield_now().await;
    }
    Ok(sums)
}

/// The day of a path.
///
/// # Errors
/// 400 if it is no date, is not over, or is more than a year ago.
fn wanted(app: &App, date: &str) -> Result<Day, Refusal> {
    let misfit = |expected: &str| Refusal::misfit("Path parameter", "date", expected, date);
    let wanted = day(date).ok_or_else(|| misfit("a day from 1970 on, as yyyy-mm-dd"))?;
    let today = Day::of(app.now_of(&app.exchange.views()));
    if wanted >= today {
        return Err(misfit("a day of UTC that is over"));
    }
    if today.0.saturating_sub(wanted.0) > DAYS_MAX {
        return Err(misfit("a day of the last year"));
    }
    Ok(wanted)
}
