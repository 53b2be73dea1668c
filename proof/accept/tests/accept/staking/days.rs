//! Interest: a month of it to the last digit, changed rates, days that wait for money, days that were missed.

use super::*;
use buttonwood_accept::laws;

/// The interest rows of an account, oldest first: time in milliseconds and amount in units.
fn accruals(x: &Exchange, key: &str) -> Vec<(u64, i128)> {
    let rows = transactions(&x.as_(key), &json!({ "interestOnly": true, "sortAsc": true, "limit": 500 }));
    let row = |row: &Value| {
        assert_eq!(row["transactionType"], "Interest");
        (row["dateTime"].as_str().unwrap().parse().unwrap(), units(Dec::wire(&row["amount"])))
    };
    rows.iter().map(row).collect()
}

/// The milliseconds of the accrual of a day, counted from 0.
fn accrual(day: u64) -> u64 {
    START + (day * DAY + ACCRUES) * 1_000
}

/// A month of interest equals what a pencil gives, with stakes and redemptions in between, each cut to its whole second; the sums of rewards,
/// history and balance agree to the last digit. Proves STK-020, STK-021.
#[test]
fn a_month_of_interest_is_exact() {
    let x = exchange();
    let rewards = house(&x, "ETH", "staking_rewards");
    let mut pencil = Pencil::new();
    let mut expected = Vec::new();
    // Day, second of the day, and what changes.
    let changes: [(u64, u64, i128); 6] = [
        (0, 7_201, 1_234_567_890_123_456_789),
        (0, 71_999, 5 * COIN),
        (3, 72_000, COIN / 3),
        (10, 0, -2 * COIN),
        (10, 43_210, -1),
        (20, 86_399, 7 * COIN),
    ];
    let mut now = 0;
    for day in 0..31 {
        let of_day = |is_before: bool| {
            let own =
                changes.iter().filter(move |(on, second, _)| *on == day && (*second < ACCRUES) == is_before);
            own.map(move |(_, second, amount)| (day * DAY + second, *amount))
        };
        let mut change = |pencil: &mut Pencil, (second, amount): (u64, i128)| {
            x.advance(second - now);
            now = second;
            pencil.change(second, amount);
            let text = of_units(amount.abs()).to_string();
            if amount > 0 {
                stake(&x, "trader", AT_ONCE, &text)
            } else {
                unstake(&x, "trader", AT_ONCE, &text)
            };
        };
        of_day(true).for_each(|next| change(&mut pencil, next));
        let interest = pencil.accrue(day * DAY + ACCRUES, 540);
        expected.push((accrual(day), interest));
        of_day(false).for_each(|next| change(&mut pencil, next));
    }
    x.advance(31 * DAY - now);
    assert_eq!(accruals(&x, "trader"), expected);
    assert_eq!(units(sums(&x, "trader").0), pencil.amount);
    assert_eq!(house(&x, "ETH", "staking_pool"), of_units(pencil.amount));
    assert_eq!(house(&x, "ETH", "staking_rewards"), rewards - of_units(pencil.total));
    let params = json!({ "since": "2026-01-01T00:00:00Z" });
    let rewards = exact(&x.as_("auditor").call(REWARDS, params));
    let own = &rewards[AT_ONCE]["ETH"];
    assert_eq!(units(Dec::wire(&own["accrualTotal"])), pencil.total);
    assert_eq!(own["ratePeriods"].as_array().unwrap().len(), 1);
    assert_eq!(own["ratePeriods"][0]["numberOfAccruals"], "31");
    assert_eq!(own["ratePeriods"][0]["accrualTotal"], own["accrualTotal"]);
    // The next stake shows the same sum.
    let answer = stake(&x, "trader", AT_ONCE, "1");
    assert_eq!(units(Dec::wire(&answer["accrualTotal"])), pencil.total);
    assert_eq!(stake(&x, "trader", WEEK, "1")["accrualTotal"], "0");
    laws::check(&x);
}

/// A changed rate counts after the next accrual, the first rate of a pair at once; a rate that returns is a period of its own. Proves STK-018,
/// STK-019.
#[test]
fn rates_change_after_the_next_accrual() {
    let x = exchange();
    terms(&x, AT_ONCE, "ETH", "365", 0);
    // Nothing was staked with the pair yet, but its day runs with the first rate.
    let mut pencil = Pencil::new();
    stake(&x, "trader", AT_ONCE, "10");
    pencil.change(0, 10 * COIN);
    // Shown at once, counted from the second day on.
    let rates = [540, 730, 730, 365, 365, 365];
    let set = [("730", 1), ("365", 3)];
    for (day, rate) in (0..).zip(rates) {
        if let Some((rate, _)) = set.iter().find(|(_, on)| *on == day + 1) {
            terms(&x, AT_ONCE, "ETH", rate, 0);
            let shown = exact(&x.get("/v1/staking/rates"));
            assert_eq!(shown[AT_ONCE]["ETH"]["rate"], *rate);
        }
        x.advance(if day == 0 { ACCRUES } else { DAY });
        pencil.accrue(day * DAY + ACCRUES, rate);
    }
    assert_eq!(units(sums(&x, "trader").0), pencil.amount);
    let rewards = exact(&x.as_("trader").call(REWARDS, json!({ "since": "2026-01-01T00:00:00Z" })));
    let own = &rewards[AT_ONCE]["ETH"];
    let periods = own["ratePeriods"].as_array().unwrap();
    let shown: Vec<[&str; 5]> = periods
        .iter()
        .map(|period| {
            ["ratePct", "apyPct", "numberOfAccruals", "firstAccrualAt", "lastAccrualAt"]
                .map(|name| period[name].as_str().unwrap())
        })
        .collect();
    let time = |day: u64| format!("2026-01-{day:02}T20:00:00.000Z");
    let [first, second, third, fourth, last] = [1, 2, 3, 4, 6].map(time);
    assert_eq!(
        shown,
        [
            ["5.4", "5.55", "1", &first, &first],
            ["7.3", "7.57", "2", &second, &third],
            ["3.65", "3.72", "3", &fourth, &last],
        ]
    );
    let sum: Dec = periods.iter().map(|period| Dec::wire(&period["accrualTotal"])).sum();
    assert_eq!((sum, Dec::wire(&own["accrualTotal"])), (of_units(pencil.total), of_units(pencil.total)));
    // A range cuts the periods.
    let params =
        json!({ "since": "2026-01-03T21:00:00+01:00", "until": "2026-01-05T20:00:00Z", "currency": "eth" });
    let cut = exact(&x.as_("trader").call(REWARDS, params));
    let counts: Vec<&str> = cut[AT_ONCE]["ETH"]["ratePeriods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|period| period["numberOfAccruals"].as_str().unwrap())
        .collect();
    assert_eq!(counts, ["1", "2"]);
    laws::check(&x);
}

/// Interest of a stake that was redeemed goes to the balance; an amount too small for interest has no row. Proves STK-013.
#[test]
fn interest_follows_the_stake() {
    let x = exchange();
    stake(&x, "trader", AT_ONCE, "10");
    stake(&x, "counterparty", AT_ONCE, "0.0000000000000000001");
    x.advance(1_000);
    unstake(&x, "trader", AT_ONCE, "10");
    let before = balance(&x, "trader", "ETH");
    trade(&x, "ethusd", "2050.5");
    let before = before - (before - balance(&x, "trader", "ETH"));
    x.advance(ACCRUES - 1_000);
    let interest = of_units(10 * COIN * 1_000 * 540 / (10_000 * 365 * 86_400));
    assert_eq!(balance(&x, "trader", "ETH"), before + interest);
    assert_eq!(staked(&x, "trader", "ETH"), None);
    let row = transactions(&x.as_("trader"), &json!({}))[0].clone();
    let time = accrual(0).to_string();
    assert_eq!(
        [&row["transactionType"], &row["amountCurrency"], &row["amount"], &row["dateTime"]],
        [&json!("Interest"), &json!("ETH"), &json!(interest), &json!(time)]
    );
    assert_eq!((&row["priceCurrency"], &row["priceAmount"]), (&json!("USD"), &json!("2050.5")));
    assert_eq!(accruals(&x, "counterparty"), Vec::new());
    laws::check(&x);
}

/// A day that the rewards cannot pay whole waits, and is paid with its own date as soon as the money is there; later days compound as if it had
/// been in time.
#[test]
fn days_wait_for_money() {
    let x = Exchange::start();
    trade(&x, "btcusd", "20000");
    terms(&x, AT_ONCE, "BTC", "1000", 0);
    let coins = |amount: &str| json!({ "providerId": AT_ONCE, "currency": "BTC", "amount": amount });
    x.as_("trader").call(STAKE, coins("4")).ok();
    x.as_("counterparty").call(STAKE, coins("1")).ok();
    let (mut one, mut two) = (Pencil::new(), Pencil::new());
    one.change(0, 4 * COIN);
    two.change(0, COIN);
    assert_eq!(house(&x, "BTC", "staking_rewards"), Dec::ZERO);
    x.advance(3 * DAY);
    assert_eq!(accruals(&x, "trader"), Vec::new());
    let mut days = Vec::new();
    for day in 0..3 {
        let second = day * DAY + ACCRUES;
        days.push((one.accrue(second, 1_000), two.accrue(second, 1_000)));
    }
    let fund = |units: i128| {
        let body = json!({ "currency": "BTC", "amount": of_units(units) });
        x.control("/sandbox/staking/fund", &body).ok();
    };
    // One unit less than the first day: it waits whole, also the part of the smaller stake.
    fund(days[0].0 + days[0].1 - 1);
    assert_eq!((accruals(&x, "trader"), accruals(&x, "counterparty")), (Vec::new(), Vec::new()));
    fund(1);
    assert_eq!(accruals(&x, "trader"), [(accrual(0), days[0].0)]);
    assert_eq!(accruals(&x, "counterparty"), [(accrual(0), days[0].1)]);
    assert_eq!(house(&x, "BTC", "staking_rewards"), Dec::ZERO);
    // The others at once, in order.
    fund(COIN);
    let all: Vec<(u64, i128)> =
        (0..3).map(|day| (accrual(day), days[usize::try_from(day).unwrap()].0)).collect();
    assert_eq!(accruals(&x, "trader"), all);
    x.restart();
    assert_eq!(accruals(&x, "trader"), all);
    let row = staked(&x, "trader", "BTC").unwrap();
    assert_eq!(units(Dec::wire(&row["balance"])), one.amount);
    laws::check(&x);
}

/// Days that were missed while the exchange was down are accrued at the start, each once, with the amounts of their own times. A kill between
/// the steps changes nothing.
#[test]
fn missed_days_accrue_once() {
    let x = exchange();
    stake(&x, "trader", AT_ONCE, "10");
    let mut pencil = Pencil::new();
    pencil.change(0, 10 * COIN);
    x.kill9();
    x.restart();
    let mut expected = Vec::new();
    for day in 0..3 {
        x.advance(if day == 0 { ACCRUES } else { DAY });
        expected.push((accrual(day), pencil.accrue(day * DAY + ACCRUES, 540)));
        x.kill9();
        x.restart();
    }
    x.advance(5 * DAY);
    for day in 3..8 {
        expected.push((accrual(day), pencil.accrue(day * DAY + ACCRUES, 540)));
    }
    x.kill9();
    x.restart();
    assert_eq!(accruals(&x, "trader"), expected);
    assert_eq!(units(sums(&x, "trader").0), pencil.amount);
    laws::check(&x);
}
