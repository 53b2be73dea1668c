//! Compares the ladder with an ordered set of prices.
use super::*;
use alloc::collections::BTreeSet;
use buttonwood_model::Slot;
use proptest::prelude::*;

fn check(ladder: &Ladder, model: &BTreeSet<u64>) {
    let prices: Vec<u64> = ladder.prices().map(Price::ticks).collect();
    let expected: Vec<u64> = match ladder.flip {
        0 => model.iter().copied().collect(),
        _ => model.iter().rev().copied().collect(),
    };
    assert_eq!(prices, expected);
}

fn clear(ladder: &mut Ladder, ticks: u64) {
    let price = Price::from_ticks(ticks);
    let rung = ladder.rung(price).unwrap();
    ladder.shorten(price, rung, Link::NONE, Link::NONE);
}

fn price() -> impl Strategy<Value = u64> {
    prop_oneof![1u64..200, 19_000u64..21_000, 1u64..1_000_000, any::<u64>().prop_map(|ticks| ticks.max(1))]
}

proptest! {
    #[test]
    fn behaves_like_an_ordered_set(side in prop_oneof![Just(Side::Buy), Just(Side::Sell)],
                                   steps in prop::collection::vec((any::<bool>(), price()), 1..300)) {
        let mut ladder = Ladder::new(side);
        let mut model = BTreeSet::new();
        for (add, ticks) in steps {
            let price = Price::from_ticks(ticks);
            if add || model.is_empty() {
                let (_, rung) = ladder.append(price, Slot(1));
                prop_assert_eq!(ladder.rung(price), Some(rung));
                model.insert(ticks);
            } else {
                // Remove the nearest price that exists.
                let near = *model.range(ticks..).next().or_else(|| model.iter().next_back()).unwrap();
                clear(&mut ladder, near);
                model.remove(&near);
            }
            prop_assert_eq!(ladder.level(price).is_some(), model.contains(&ticks));
            let best = ladder.best().map(Price::ticks);
            prop_assert_eq!(ladder.meets(price), best.is_some_and(|best| ladder.reaches(Price::from_ticks(best), price)));
            check(&ladder, &model);
        }
    }
}

#[test]
fn a_far_price_deepens_the_tree_and_an_empty_one_starts_over() {
    let mut ladder = Ladder::new(Side::Sell);
    for ticks in [5, u64::MAX, 1 << 40] {
        ladder.append(Price::from_ticks(ticks), Slot(1));
    }
    assert_eq!(ladder.best().map(Price::ticks), Some(5));
    for ticks in [5, 1 << 40, u64::MAX] {
        clear(&mut ladder, ticks);
    }
    assert_eq!(ladder.best(), None);
    ladder.append(Price::from_ticks(7), Slot(1));
    assert_eq!(ladder.depth(), 0);
    assert_eq!(ladder.nodes.len(), ladder.free_nodes.len());
}
