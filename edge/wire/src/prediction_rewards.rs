//! The answers about rewards of prediction markets (PM-029 to PM-034). Their names are in snake case, unlike those of the rest of the chapter.

use crate::contract::{DecimalNumber, DecimalText, IsoTime, Label, Nullable};
use crate::{answer, words};

words! {
    /// The order of a list of events with rewards.
    pub struct RewardSortName: "daily_pool_desc", "daily_pool_asc", "ends_soonest", "ends_latest", "title_asc", "title_desc",
        "category_asc", "category_desc", "competition_asc", "competition_desc"
}

words! {
    /// Whether a rebate was paid.
    pub struct RebateStatusName: "PAID", "PENDING"
}

words! {
    /// Whether the reward of a day was paid.
    pub struct RewardStatusName: "PENDING", "PAID", "ZERO_AMOUNT"
}

words! {
    /// By what the pool of an event was set.
    pub struct PoolSourceName: "event_override", "category_default", "unspecified"
}

answer! {
    /// The parts of maker fees that are given back.
    pub struct RebateRules {
        /// The rules.
        pub rate_rules: Vec<RebateRule>,
    }
}

answer! {
    /// The part of maker fees that is given back.
    pub struct RebateRule {
        /// The number of the rule.
        pub id: u64,
        /// The part of the fee, in basis points.
        pub rebate_multiplier_bps: u64,
        /// When it began.
        pub effective_from: IsoTime,
        /// The category that it is for; absent for all.
        pub category: Option<Label>,
        /// When another rule replaced it.
        pub effective_to: Option<IsoTime>,
    }
}

answer! {
    /// The rebates of an account.
    pub struct RebatePayouts {
        /// The rebates, the newest first.
        pub payouts: Vec<RebatePayout>,
    }
}

answer! {
    /// A rebate of maker fees.
    pub struct RebatePayout {
        /// Its number.
        pub id: u64,
        /// What the account traded as maker, in dollars.
        pub total_volume_usd: DecimalText,
        /// The rebate, in dollars.
        pub total_rebate_usd: DecimalText,
        /// How many fills it is for.
        pub total_fill_count: u64,
        /// Whether it was paid.
        pub status: RebateStatusName,
        /// When it was paid.
        pub paid_at: Nullable<IsoTime>,
        /// When it was due.
        pub created_at: IsoTime,
    }
}

answer! {
    /// The sum of an account's rebates.
    pub struct RebateTotal {
        /// The rebates, in dollars.
        pub total_earned_usd: DecimalText,
        /// How many fills they are for.
        pub total_fill_count: u64,
        /// What the account traded as maker, in dollars.
        pub total_volume_usd: DecimalText,
        /// How many rebates there were.
        pub payout_count: u64,
        /// The day of the first.
        pub first_payout_date: Nullable<String>,
        /// The day of the last.
        pub last_payout_date: Nullable<String>,
    }
}

answer! {
    /// How liquidity is rewarded.
    pub struct RewardConfig {
        /// Whether it is.
        pub enabled: bool,
        /// How far from the middle an order may be, in cents; absent while rewards are off.
        pub max_spread_cents: Option<u64>,
        /// The least reward of a day that is paid, in dollars; absent while rewards are off.
        pub min_payout_threshold_usd: Option<DecimalText>,
    }
}

answer! {
    /// Events with rewards.
    pub struct RewardEvents {
        /// The events.
        pub events: Vec<RewardEvent>,
        /// The place of the page.
        pub pagination: RewardPagination,
        /// The last day that was scored; `null` before the first.
        pub last_score_date: Nullable<String>,
    }
}

answer! {
    /// The place of a page in a list of events.
    pub struct RewardPagination {
        /// How many events the page may have.
        pub limit: u64,
        /// How many events were left out before it.
        pub offset: u64,
        /// How many events there are.
        pub total: u64,
    }
}

answer! {
    /// An event with rewards.
    pub struct RewardEvent {
        /// Its ticker.
        pub event_ticker: String,
        /// Its title.
        pub title: Label,
        /// Its category.
        pub category: Label,
        /// The pool of a day, in dollars.
        pub daily_pool_usd: DecimalText,
        /// By what the pool was set.
        pub pool_source: PoolSourceName,
        /// When its trading ends.
        pub ends_at: IsoTime,
        /// How many makers qualified on the last day that was scored.
        pub qualifying_maker_count: u64,
    }
}

answer! {
    /// The days of an account's rewards.
    pub struct RewardDays {
        /// The days, the newest first.
        pub daily_summaries: Vec<RewardDay>,
    }
}

answer! {
    /// The reward of a day.
    pub struct RewardDay {
        /// The day.
        pub payout_date: String,
        /// The reward, in dollars.
        pub total_reward_usd: DecimalText,
        /// Whether it was paid.
        pub payout_status: RewardStatusName,
        /// When it was paid.
        pub paid_at: Nullable<IsoTime>,
        /// Its parts.
        pub events: Vec<RewardPart>,
    }
}

answer! {
    /// The reward of a day for one event.
    pub struct RewardPart {
        /// The number of the event.
        pub event_id: String,
        /// Its title.
        pub event_name: Label,
        /// Its category.
        pub category_name: Label,
        /// The account's share of all scores.
        pub normalized_score: DecimalNumber,
        /// How many snapshots the account scored in.
        pub snapshot_count: u64,
        /// How many snapshots the day had.
        pub total_snapshots: u64,
        /// The reward, in dollars.
        pub event_reward_usd: DecimalText,
    }
}

answer! {
    /// The sum of an account's rewards.
    pub struct RewardTotal {
        /// The rewards, in dollars.
        pub total_earned_usd: DecimalText,
        /// How many payouts there were.
        pub payout_count: u64,
        /// The day of the first.
        pub first_payout_date: Nullable<String>,
        /// The day of the last.
        pub last_payout_date: Nullable<String>,
    }
}
