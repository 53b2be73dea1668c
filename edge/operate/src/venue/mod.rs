//! Currencies, symbols and networks, and whether they trade.

pub(crate) mod approval;
pub(crate) mod auction;
pub(crate) mod credit;
pub(crate) mod currency;
pub(crate) mod funding;
pub(crate) mod halt;
pub(crate) mod index;
pub(crate) mod instant;
pub(crate) mod listing;
pub(crate) mod network;
pub(crate) mod spot_margin;
pub(crate) mod status;
