//! The events that a sandbox is given once: of three categories, with one contract and with several, one that trades later, and a combo; and
//! the money that rewards are paid from.

use crate::operate::combo::name as combo_name;
use buttonwood_engine::prediction::{Leg, NewCombo, NewContract, NewEvent, Strike, StrikeKind, combo_grid};
use buttonwood_engine::{Body, PROMO, PredictionCommand, State};
use buttonwood_model::{Claim, CurrencyId, Day, Time};
use buttonwood_num::{MONEY_DECIMALS, Money};
use std::sync::Arc;

/// The dollars that rewards are paid from.
const REWARDS: i128 = 1_000_000;
/// The window for disputes, in seconds.
const DISPUTE: u64 = 3_600;

/// An event of a sandbox.
struct Sample {
    ticker: &'static str,
    title: &'static str,
    category: &'static str,
    /// Tickers and labels; none for a lone contract.
    contracts: &'static [(&'static str, &'static str)],
    is_exclusive: bool,
    /// Days until trading begins.
    starts: u64,
    /// Days until trading ends.
    ends: u64,
    /// The dollars above which the outcome is yes.
    above: Option<&'static str>,
}

const SAMPLES: [Sample; 6] = [
    Sample {
        ticker: "DEMOBTC",
        title: "Bitcoin ends the half-year above 150,000 dollars",
        category: "crypto",
        contracts: &[],
        is_exclusive: false,
        starts: 0,
        ends: 180,
        above: Some("150000"),
    },
    Sample {
        ticker: "DEMOETH",
        title: "Ether within a year",
        category: "crypto",
        contracts: &[
            ("UPGRADE", "The upgrade ships"),
            ("FUND", "A fund stakes it"),
            ("RECORD", "A record price"),
        ],
        is_exclusive: false,
        starts: 0,
        ends: 365,
        above: None,
    },
    Sample {
        ticker: "DEMOCUP",
        title: "The winner of the harbour cup",
        category: "sports",
        contracts: &[("NORTH", "North"), ("EAST", "East"), ("SOUTH", "South"), ("WEST", "West")],
        is_exclusive: true,
        starts: 0,
        ends: 120,
        above: None,
    },
    Sample {
        ticker: "DEMOVOTE",
        title: "The next mayor of the sandbox",
        category: "politics",
        contracts: &[("ADAMS", "Adams"), ("BAKER", "Baker"), ("CLARK", "Clark")],
        is_exclusive: true,
        starts: 0,
        ends: 270,
        above: None,
    },
    Sample {
        ticker: "DEMORATE",
        title: "The central bank cuts its rate within half a year",
        category: "economics",
        contracts: &[],
        is_exclusive: false,
        starts: 0,
        ends: 180,
        above: None,
    },
    Sample {
        ticker: "DEMOFINAL",
        title: "The home team wins the final",
        category: "sports",
        contracts: &[],
        is_exclusive: false,
        starts: 30,
        ends: 150,
        above: None,
    },
];

/// The contracts of the combo, and the outcomes that they must have.
const LEGS: [(&str, Claim); 2] = [("DEMOBTC", Claim::Yes), ("DEMORATE", Claim::No)];

/// The commands that list the events, and give the money of rewards if there is none.
pub fn samples(state: &State, prefix: &str, now: Time) -> Vec<Body> {
    let events = SAMPLES.iter().filter_map(|sample| event(sample, prefix, now));
    rewards(state).into_iter().chain(events).collect()
}

/// Whether an event or a combo was listed after these.
pub fn has_more_than_samples(state: &State) -> bool {
    let events = state.predictions().events();
    let is_sample = |ticker: &str| SAMPLES.iter().any(|sample| sample.ticker == ticker);
    events.len() != SAMPLES.len() || !events.iter().all(|event| is_sample(&event.ticker))
}

fn rewards(state: &State) -> Option<Body> {
    let house = state.ledger().house(PROMO.name)?;
    let dollar: CurrencyId = state.ledger().dollar()?;
    let amount = Money::from_units(REWARDS * 10_i128.pow(u32::from(MONEY_DECIMALS)));
    (state.ledger().balance(house, dollar).available == Money::ZERO)
        .then(|| Body::credit(house, vec![(dollar, amount)]))
}

fn event(sample: &Sample, prefix: &str, now: Time) -> Option<Body> {
    let (grid, qty_min) = combo_grid()?;
    let in_days = |days: u64| now.plus(days.saturating_mul(Day::MICROS));
    let lone = [(sample.ticker, sample.title)];
    let contracts = if sample.contracts.is_empty() { &lone } else { sample.contracts };
    let contract = |(ticker, label): &(&str, &str)| NewContract {
        ticker: (*ticker).to_owned(),
        label: (*label).to_owned(),
    };
    let strike = sample.above.map(|value| Strike {
        kind: StrikeKind::Above,
        value: Some(value.to_owned()),
        available: now,
    });
    let event = NewEvent {
        prefix: prefix.to_owned(),
        ticker: sample.ticker.to_owned(),
        title: sample.title.to_owned(),
        category: sample.category.to_owned(),
        contracts: contracts.iter().map(contract).collect(),
        is_exclusive: sample.is_exclusive,
        start: (sample.starts > 0).then(|| in_days(sample.starts)),
        expiry: in_days(sample.ends),
        dispute: DISPUTE * Time::SECOND,
        strike,
        grid,
        qty_min,
        closed_to: Vec::new(),
        source: None,
    };
    Some(PredictionCommand::ListEvent(Arc::new(event)).into())
}

/// The command that lists the combo, of contracts that were listed.
pub fn sample_combo(state: &State, prefix: &str, now: Time) -> Option<Body> {
    let room = state.predictions();
    let leg = |(ticker, required): (&str, Claim)| {
        let contract = room.event(room.find_event(ticker)?)?.contracts().next()?;
        Some(Leg { contract, required })
    };
    let mut legs: Vec<Leg> = LEGS.into_iter().filter_map(leg).collect();
    legs.sort_unstable();
    let labels = legs.iter().filter_map(|leg| room.contract(leg.contract));
    let title = labels.map(|contract| contract.label.as_str()).collect::<Vec<_>>().join(" + ");
    let (grid, qty_min) = combo_grid()?;
    let name = combo_name(prefix, now, &legs);
    Some(PredictionCommand::ListCombo(Arc::new(NewCombo { name, title, legs, grid, qty_min })).into())
}
