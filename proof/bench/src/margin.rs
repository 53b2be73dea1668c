//! Benchmark 16: what spot margin costs: orders of accounts that buy with borrowed dollars, against the same orders for cash.

use crate::core::{exchange_ns, ns_on};
use crate::exchange::{Exchange, Script};
use crate::figures::Spread;
use crate::opgen::flow_of;
use crate::report::{Goal, Report, Row};
use crate::{Settings, say};

/// Both in turns, on the flow of one book.
pub(crate) fn measure(settings: &Settings, goal: Goal, report: &mut Report) {
    let flow = flow_of("B1", if settings.quick { 100_000 } else { 1_000_000 });
    let cash = Script::of(&flow);
    let records = cash.records.iter().map(|record| record.on_margin()).collect();
    let margin = Script { records, prefill: cash.prefill, symbols: cash.symbols };
    let mut borrowers = Exchange::of_borrowers();
    borrowers.apply_all(&margin.records);
    assert_eq!(borrowers.proven(), flow.expect, "on margin the same orders trade");
    let owing = borrowers.state.spot_margin().loans().after(None).count();
    assert!(owing > 0, "they borrow");
    let (mut ratios, mut detail) = (Vec::new(), String::new());
    for pair in 0..settings.pairs {
        let for_cash = exchange_ns(&flow, &cash);
        let on_margin = ns_on(Exchange::of_borrowers(), &flow, &margin);
        ratios.push(on_margin / for_cash);
        detail = format!(
            "cash {for_cash:.0}, margin {on_margin:.0} CPU ns/op ({:.2} M orders a CPU second); {owing} accounts owe at the end",
            1_000.0 / on_margin
        );
        say(&format!("pair {}: {detail}", pair + 1));
    }
    report.add(Row { number: 16, what: goal.what, goal, spread: Spread::of(ratios), detail });
}
