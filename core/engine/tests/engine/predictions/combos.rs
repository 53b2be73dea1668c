//! Combos: what their legs decide.

use super::*;

const YES: Claim = Claim::Yes;
const NO: Claim = Claim::No;
/// The contract of the combo, after those of the three events.
const ALL: SymbolId = SymbolId::contract(3);

/// Three events without windows, and a combo that needs rain, snow and no hail, with a hundred claims of Ann's and Bob's.
fn stage() -> Stage {
    let mut stage = Stage::new();
    for (ticker, hours) in [("SNOW", 2), ("HAIL", 3)] {
        stage.listed(ticker, |new| (new.dispute, new.expiry) = (0, Time(hours * HOUR)));
    }
    assert_eq!(stage.combo("0123456789AB", &[(0, YES), (1, YES), (2, NO)]), Answer::Done);
    stage.order_on(ALL, ANN, "buy yes 100 @ 0.40").order().expect("open");
    stage.order_on(ALL, BOB, "buy no 100 @ 0.60").order().expect("open");
    stage
}

impl Stage {
    /// Resolves an event, whose window passes.
    fn ends(&mut self, event: u32, ticker: &str, outcome: Claim) {
        assert_eq!(self.resolve(event, &[(ticker, outcome)]), Answer::Done);
        let settles = self.settles(event).expect("a window");
        self.pass_to(settles.max(self.now()));
        assert_eq!(self.status(event), Status::Settled);
    }

    fn combo_has(&self, who: usize) -> [Money; 3] {
        self.has_of(ALL, self.accounts[who])
    }
}

/// Yes is paid when the last leg has settled as it must.
#[test]
fn all_legs_pay_yes() {
    let mut stage = stage();
    stage.ends(1, "SNOW", YES);
    stage.ends(0, "RAIN", YES);
    assert_eq!((stage.status(3), stage.combo_has(ANN)[1]), (Status::Active, money("100")));
    stage.ends(2, "HAIL", NO);
    stage.catch_up();
    assert_eq!(stage.status(3), Status::Settled);
    assert_eq!(stage.combo_has(ANN), ["1059.6", "0", "0"].map(money));
    assert_eq!(stage.combo_has(BOB), ["938", "0", "0"].map(money));
    stage.replays();
}

/// The first leg that fails pays no at once, before the others are known; a void leg after it changes nothing.
#[test]
fn a_failed_leg_pays_no_at_once() {
    let mut stage = stage();
    stage.ends(2, "HAIL", YES);
    stage.catch_up();
    assert_eq!(stage.status(3), Status::Settled);
    assert_eq!(stage.combo_has(BOB), ["1038", "0", "0"].map(money));
    assert_eq!(stage.void_event(1, None, false), Answer::Done);
    stage.catch_up();
    assert_eq!((stage.status(3), stage.status(1)), (Status::Settled, Status::Invalid));
    assert_eq!(stage.void_event(3, None, true), refused(Reject::Ended));
    stage.replays();
}

/// A void leg makes the combo void, and a leg that fails after it changes nothing.
#[test]
fn a_void_leg_pays_costs_back() {
    let mut stage = stage();
    stage.ends(0, "RAIN", YES);
    assert_eq!(stage.void_event(1, Some("0.5"), false), Answer::Done);
    stage.catch_up();
    assert_eq!(stage.status(3), Status::Invalid);
    assert_eq!(stage.combo_has(ANN), ["999.6", "0", "0"].map(money));
    assert_eq!(stage.combo_has(BOB), ["998", "0", "0"].map(money));
    stage.ends(2, "HAIL", YES);
    stage.catch_up();
    assert_eq!(stage.status(3), Status::Invalid);
    stage.replays();
}

/// A leg whose outcome is final and not settled yet does not count: the void of another one decides.
#[test]
fn a_void_leg_with_pushed_costs_waits_for_a_call() {
    let mut stage = stage();
    stage.order_on(ALL, ANN, "sell yes 100 @ 0.90").order().expect("open");
    stage.order_on(ALL, CAT, "buy yes 100 @ 0.90").order().expect("open");
    assert_eq!(stage.void_event(1, None, false), Answer::Done);
    stage.catch_up();
    let combo = stage.exchange.state.predictions().event(EventId(3)).expect("listed").clone();
    assert!(combo.awaits_void && combo.is_closed && combo.status == Status::Active);
    assert_eq!(stage.order_on(ALL, CAT, "sell yes 1 @ 0.90"), refused(Reject::NotOpen));
    stage.ends(2, "HAIL", YES);
    assert_eq!((stage.status(3), stage.combo_has(CAT)[1]), (Status::Active, money("100")));
    assert_eq!(stage.void_event(3, None, false), refused(Reject::CostsDiffer));
    assert_eq!(stage.void_event(3, None, true), Answer::Done);
    stage.catch_up();
    assert_eq!(stage.status(3), Status::Invalid);
    assert_eq!(stage.combo_has(CAT)[1], Money::ZERO);
    stage.replays();
}

/// Trading ends with the first leg's, and halts with any leg's.
#[test]
fn a_combo_trades_while_all_legs_do() {
    let mut stage = stage();
    let order = stage.order_on(ALL, ANN, "sell yes 10 @ 0.90").order().expect("open").id.0;
    for event in [0, 2] {
        assert_eq!(stage.halt(event, true), Answer::Done);
    }
    assert_eq!(stage.order_on(ALL, CAT, "buy yes 10 @ 0.90"), refused(Reject::NotOpen));
    assert_eq!(stage.halt(0, false), Answer::Done);
    assert_eq!(stage.order_on(ALL, CAT, "buy yes 10 @ 0.90"), refused(Reject::NotOpen));
    assert_eq!(stage.left(order), Some(1_000));
    assert_eq!(stage.halt(2, false), Answer::Done);
    stage.order_on(ALL, CAT, "buy yes 5 @ 0.90").order().expect("open");
    assert_eq!(stage.halt(3, true), refused(Reject::IsCombo));
    assert_eq!(stage.left(order), Some(500));
    stage.pass_to(HOUR);
    assert_eq!((stage.left(order), stage.status(3)), (None, Status::Active));
    assert_eq!(stage.order_on(ALL, CAT, "buy yes 10 @ 0.90"), refused(Reject::NotOpen));
    assert_eq!(stage.resolve(3, &[("SVC-CMB-1126-0123456789AB", YES)]), refused(Reject::IsCombo));
    stage.replays();
}

/// Two to six sorted legs on different events that are not over and no combos; the same legs are one combo.
#[test]
fn legs_must_fit() {
    let mut stage = stage();
    let count = stage.exchange.state.predictions().contracts().len();
    assert_eq!(stage.combo("B", &[(0, YES), (1, YES), (2, NO)]), Answer::Done);
    assert_eq!(stage.exchange.state.predictions().contracts().len(), count, "it exists");
    assert_eq!(stage.combo("B", &[(0, YES)]), refused(Reject::BadLegs));
    assert_eq!(stage.combo("B", &[(1, YES), (0, YES)]), refused(Reject::BadLegs));
    assert_eq!(stage.combo("B", &[(0, YES), (0, NO)]), refused(Reject::BadLegs));
    assert_eq!(stage.combo("B", &[(0, YES), (3, YES)]), refused(Reject::BadLegs));
    assert_eq!(stage.combo("B", &[(0, YES), (9, YES)]), refused(Reject::UnknownContract));
    assert_eq!(stage.combo("0123456789AB", &[(0, YES), (1, YES)]), refused(Reject::Taken));
    stage.pass_to(HOUR);
    assert_eq!(stage.combo("B", &[(0, YES), (1, YES)]), refused(Reject::BadLegs));
    assert_eq!(stage.combo("B", &[(1, YES), (2, YES)]), Answer::Done);
    assert_eq!(stage.combo("C", &[(1, YES), (2, NO)]), Answer::Done);
    stage.replays();
}

/// An event whose tickers look like the first parts of a combo's symbol does not keep combos out.
#[test]
fn a_combos_symbol_is_found_whole() {
    let mut stage = Stage::new();
    stage.list(event("CMB", &["1126", "X"]));
    stage.listed("SNOW", |_| {});
    assert_eq!(stage.combo("0123456789AB", &[(0, YES), (3, YES)]), Answer::Done);
    let room = stage.exchange.state.predictions();
    assert_eq!(room.find_contract("svc-cmb-1126-0123456789ab"), Some(SymbolId::contract(4)));
    assert_eq!(room.find_contract("SVC-CMB-1126"), Some(SymbolId::contract(1)));
    assert_eq!(room.find_contract("SVC-CMB-1126-"), None);
    assert_eq!(room.find_contract("SVC-RAIN"), Some(RAIN));
    assert_eq!([room.find_contract("SVC-CMB"), room.find_contract("SVC-RAIN-RAIN-X")], [None; 2]);
}
