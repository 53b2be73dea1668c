//! Runs of perpetuals, of spot margin, of clearing and staking, and of prediction markets: the bytes are the dice of the simulator's runs,
//! over crashes.
//!
//! The first byte selects the product. Orders, index pins that move marks, hours of funding and interest, liquidations, transfers and other
//! conditions follow, or settlements, accruals and redemptions, or fills, courses of events, payouts and rewards; a naive model judges every
//! command, every law must hold, and each recovery must lead to the state of the journal.

use buttonwood_sim::margin::Margin;
use buttonwood_sim::offbook::OffBook;
use buttonwood_sim::perps::Perps;
use buttonwood_sim::predictions::PredictionMarkets;

/// Most steps, so that no input takes long.
const STEPS: u64 = 60;

/// About as many bytes choose a step.
const BYTES: u64 = 8;

/// The first of the bytes that select clearing and staking; among the lower ones the even select perpetuals.
const OFF_BOOK: u8 = 128;

/// The first of the bytes that select prediction markets.
const PREDICTIONS: u8 = 192;

/// Runs one sequence.
pub fn run(bytes: &[u8]) {
    let Some((product, bytes)) = bytes.split_first() else { return };
    let steps = u64::try_from(bytes.len()).map_or(STEPS, |bytes| (bytes / BYTES).min(STEPS));
    let ended = if *product >= PREDICTIONS {
        PredictionMarkets::of_bytes(bytes).run(steps).map(drop)
    } else if *product >= OFF_BOOK {
        OffBook::of_bytes(bytes).run(steps).map(drop)
    } else if product.is_multiple_of(2) {
        Perps::of_bytes(bytes).run(steps).map(drop)
    } else {
        Margin::of_bytes(bytes).run(steps).map(drop)
    };
    if let Err(finding) = ended {
        panic!("{finding}");
    }
}
