//! Small markets to trade in, each with its own difficulty.

use buttonwood_engine::FeeSchedule;
use buttonwood_num::Bps;

/// A symbol and the range of its orders.
#[derive(Clone, Copy)]
pub struct Range {
    /// Base and quote.
    pub pair: [&'static str; 2],
    /// Minimum, lot and tick.
    pub steps: [&'static str; 3],
    /// Jurisdictions it is closed to.
    pub closed_to: &'static [&'static str],
    /// The price that orders are placed around, in ticks.
    pub mid: u64,
    /// The distance within which most of them are placed.
    pub span: u64,
    /// The step of most quantities, in hundredths of a lot.
    pub qty_step: u128,
    /// Most steps of a quantity.
    pub qty_steps: u64,
    /// Whether its currencies wrap each other, one for one.
    pub wraps: bool,
}

/// A world to trade in.
#[derive(Clone, Copy)]
pub struct World {
    /// Fee rates.
    pub fees: FeeSchedule,
    /// The symbols.
    pub ranges: &'static [Range],
    /// Largest credit in units of money (10⁻¹⁹), per currency code.
    pub credits: &'static [(&'static str, i128)],
    /// Number of live orders above which cancels are more frequent.
    pub crowd: usize,
    /// One in this many orders crosses the middle.
    pub across: u64,
    /// One in this many limit orders of a symbol with auctions waits for an auction.
    pub waiting: u64,
    /// Number of accounts; the last one is in a jurisdiction that some symbols are closed to.
    pub traders: usize,
    /// One in this many commands is about transfers; none with 0.
    pub funds: u64,
}

/// Money units of one tick times one hundredth of a lot, computed from the printed steps.
pub(crate) fn exchange_unit(range: &Range) -> i128 {
    let [_, lot, tick] = range.steps.map(units);
    tick * lot / 10i128.pow(19) / 100
}

/// A printed decimal in units of 10⁻¹⁹.
pub(crate) fn units(text: &str) -> i128 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    assert!(fraction.len() <= 19, "at most 19 decimals: {text}");
    let digits = format!("{whole}{fraction:0<19}");
    digits.parse().unwrap()
}

/// Rates in basis points.
const fn rates(maker: u16, taker: u16, auction: u16) -> FeeSchedule {
    FeeSchedule { maker: Bps(maker), taker: Bps(taker), auction: Bps(auction) }
}

/// The specification's majors at its default rates; the auction rate differs from both.
pub static MAJORS: World = World {
    fees: rates(20, 40, 30),
    ranges: &[
        Range {
            pair: ["BTC", "USD"],
            steps: ["0.00001", "0.00000001", "0.01"],
            closed_to: &[],
            mid: 3_000_000,
            span: 12,
            qty_step: 100_000,
            qty_steps: 60,
            wraps: false,
        },
        Range {
            pair: ["ETH", "USD"],
            steps: ["0.001", "0.000001", "0.01"],
            closed_to: &[],
            mid: 2_000,
            span: 60,
            qty_step: 100_000,
            qty_steps: 40,
            wraps: false,
        },
        Range {
            pair: ["ETH", "BTC"],
            steps: ["0.001", "0.000001", "0.00001"],
            closed_to: &["US-NY"],
            mid: 6_666,
            span: 5,
            qty_step: 100_000,
            qty_steps: 20,
            wraps: true,
        },
    ],
    credits: &[
        ("BTC", 1_000_000_000_000_000_000),
        ("USD", 20_000_000_000_000_000_000_000),
        ("ETH", 1_000_000_000_000_000_000),
    ],
    crowd: 40,
    across: 3,
    waiting: 6,
    traders: 8,
    funds: 0,
};

/// Increments whose products end at the very last decimal, and quantities of a few lots, so that every fee is
/// rounded.
pub static FINE: World = World {
    fees: rates(20, 40, 10),
    ranges: &[
        Range {
            pair: ["DOGE", "BTC"],
            steps: ["0.00000001", "0.00000001", "0.000000001"],
            closed_to: &[],
            mid: 41,
            span: 3,
            qty_step: 100,
            qty_steps: 12,
            wraps: true,
        },
        Range {
            pair: ["ELON", "USD"],
            steps: ["0.000001", "0.000001", "0.00000000001"],
            closed_to: &["US-NY"],
            mid: 7_001,
            span: 40,
            qty_step: 100,
            qty_steps: 9,
            wraps: false,
        },
    ],
    credits: &[
        ("DOGE", 10_000_000_000_000),
        ("BTC", 6_000_000),
        ("ELON", 200_000_000_000_000),
        ("USD", 90_000_000),
    ],
    crowd: 40,
    across: 3,
    waiting: 6,
    traders: 8,
    funds: 0,
};

/// Rates that always leave a remainder, equal for all parties, so that a buyer's last fee meets the end of its hold.
pub static ODD: World = World {
    fees: rates(37, 37, 37),
    ranges: &[
        Range {
            pair: ["DOGE", "BTC"],
            steps: ["0.00000001", "0.00000001", "0.000000001"],
            closed_to: &[],
            mid: 3,
            span: 1,
            qty_step: 1,
            qty_steps: 300,
            wraps: true,
        },
        Range {
            pair: ["DOGE", "USD"],
            steps: ["0.1", "0.000001", "0.00001"],
            closed_to: &[],
            mid: 8_123,
            span: 30,
            qty_step: 10_000_100,
            qty_steps: 30,
            wraps: false,
        },
    ],
    credits: &[("DOGE", 100_000_000_000_000_000_000), ("BTC", 50_000), ("USD", 4_000_000_000_000_000_000)],
    crowd: 40,
    across: 3,
    waiting: 3,
    traders: 8,
    funds: 0,
};

/// Many accounts with much money and only one symbol: more than a hundred live orders, and an order may trade with
/// dozens. Makers pay more than takers.
pub static DEEP: World = World {
    fees: rates(40, 20, 30),
    ranges: &[Range {
        pair: ["SOL", "USD"],
        steps: ["0.001", "0.000001", "0.001"],
        closed_to: &["US-NY"],
        mid: 150_000,
        span: 40,
        qty_step: 100_000,
        qty_steps: 25,
        wraps: false,
    }],
    credits: &[("SOL", 1_000_000_000_000_000_000_000), ("USD", 150_000_000_000_000_000_000_000)],
    crowd: 140,
    across: 12,
    waiting: 6,
    traders: 40,
    funds: 0,
};

/// Few prices and few sizes, so that an auction often has several equally good prices. Most orders wait for an
/// auction.
pub static CALLS: World = World {
    fees: rates(10, 30, 20),
    ranges: &[
        Range {
            pair: ["ZEC", "USD"],
            steps: ["1", "1", "0.01"],
            closed_to: &[],
            mid: 100,
            span: 8,
            qty_step: 100,
            qty_steps: 5,
            wraps: false,
        },
        Range {
            pair: ["ZEC", "BTC"],
            steps: ["0.5", "0.5", "0.0001"],
            closed_to: &["US-NY"],
            mid: 61,
            span: 4,
            qty_step: 50,
            qty_steps: 7,
            wraps: true,
        },
    ],
    credits: &[
        ("ZEC", 1_000_000_000_000_000_000_000),
        ("USD", 1_000_000_000_000_000_000_000),
        ("BTC", 10_000_000_000_000_000_000),
    ],
    crowd: 60,
    across: 3,
    waiting: 2,
    traders: 20,
    funds: 0,
};

/// The first two majors and a dollar token, with accounts of every kind, whose owners move little money often.
pub static FUNDS: World = World {
    fees: rates(20, 40, 30),
    ranges: &[
        MAJORS.ranges[0],
        MAJORS.ranges[1],
        Range {
            pair: ["GUSD", "USD"],
            steps: ["0.01", "0.000001", "0.0001"],
            closed_to: &[],
            mid: 10_000,
            span: 3,
            qty_step: 100_000_000,
            qty_steps: 40,
            wraps: true,
        },
    ],
    credits: &[
        ("BTC", 1_000_000_000_000_000_000),
        ("USD", 20_000_000_000_000_000_000_000),
        ("ETH", 1_000_000_000_000_000_000),
        ("GUSD", 2_000_000_000_000_000_000_000),
    ],
    crowd: 40,
    across: 3,
    waiting: 6,
    traders: 6,
    funds: 3,
};

/// A network of the world of transfers.
pub(crate) struct Net {
    pub(crate) name: &'static str,
    /// Confirmations that make a payment final.
    pub(crate) confirmations: u32,
    /// Whether all accounts share an address and differ in the memo.
    pub(crate) memo: bool,
    /// The network whose addresses it uses; empty where it has its own.
    pub(crate) parent: &'static str,
}

/// The networks, each parent before its children.
pub(crate) const NETS: [Net; 4] = [
    Net { name: "bitcoin", confirmations: 3, memo: false, parent: "" },
    Net { name: "ethereum", confirmations: 2, memo: false, parent: "" },
    Net { name: "base", confirmations: 4, memo: false, parent: "ethereum" },
    Net { name: "cosmos", confirmations: 1, memo: true, parent: "" },
];

/// A currency on a network.
pub(crate) struct Coin {
    pub(crate) network: &'static str,
    pub(crate) code: &'static str,
    pub(crate) decimals: u8,
    /// The fee of a withdrawal that is not free, and the least amount of one.
    pub(crate) fee: &'static str,
    pub(crate) minimum: &'static str,
}

/// The currencies of the networks; a currency's home is its first one.
pub(crate) const COINS: [Coin; 5] = [
    Coin { network: "bitcoin", code: "BTC", decimals: 8, fee: "0.0001", minimum: "0.00001" },
    Coin { network: "ethereum", code: "ETH", decimals: 18, fee: "0.002", minimum: "0.0001" },
    Coin { network: "base", code: "ETH", decimals: 18, fee: "0.0003", minimum: "0.0001" },
    Coin { network: "ethereum", code: "GUSD", decimals: 2, fee: "1.5", minimum: "0.1" },
    Coin { network: "cosmos", code: "ETH", decimals: 6, fee: "0.001", minimum: "0.01" },
];
