//! The faces of all subjects: the one list that the table of routes is made from. An endpoint is a file with its `ROUTE`, and one line of
//! its subject's face; streams have their rows in `buttonwood_call`.

use crate::{account, convert, derivatives, funds, market, orders, sandbox, spot_margin};
use buttonwood_call::Table;
use buttonwood_face_clearing as clearing;
use buttonwood_face_prediction as prediction;
use buttonwood_face_staking as staking;

/// The table of routes.
pub static TABLE: Table = Table::new(&[
    orders::FACE,
    prediction::FACE,
    convert::FACE,
    funds::FACE,
    clearing::FACE,
    spot_margin::FACE,
    staking::FACE,
    derivatives::FACE,
    prediction::EVENTS,
    account::FACE,
    market::FACE,
    sandbox::FACE,
]);

/// The contract as a JSON text.
pub fn openapi() -> &'static str {
    TABLE.openapi()
}

#[cfg(test)]
mod commands;
#[cfg(test)]
mod tests;
