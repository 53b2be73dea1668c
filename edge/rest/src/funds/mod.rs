//! Fund management endpoints.

pub(crate) mod account_transfer;
pub(crate) mod add_bank;
pub(crate) mod addresses;
pub(crate) mod approved;
pub(crate) mod balances;
mod balances_report;
pub(crate) mod custody_fees;
pub(crate) mod field;
pub(crate) mod issue;
pub(crate) mod networks;
pub(crate) mod notional;
mod page;
pub(crate) mod payment_methods;
pub(crate) mod reserves;
pub(crate) mod sen_withdraw;
pub(crate) mod statement;
pub(crate) mod transactions;
pub(crate) mod transfers;
pub(crate) mod withdraw;

pub(crate) use field::check_simulated;

use buttonwood_call::Face;

/// The endpoints, and the stream of balances.
pub(crate) const FACE: Face = Face {
    routes: &[
        balances::ROUTE,
        notional::ROUTE,
        account_transfer::ROUTE,
        withdraw::home::ROUTE,
        withdraw::named::ROUTE,
        withdraw::estimate::ROUTE,
        transfers::V1,
        transfers::ROUTE,
        custody_fees::ROUTE,
        custody_fees::OTHER,
        transactions::ROUTE,
        statement::ROUTE,
        networks::ASSETS,
        networks::V1,
        networks::V2,
        addresses::ROUTE,
        issue::ROUTE,
        approved::LIST,
        approved::REQUEST,
        approved::REMOVE,
        add_bank::ROUTE,
        add_bank::CANADIAN,
        payment_methods::ROUTE,
        sen_withdraw::ROUTE,
        reserves::ROUTE,
        reserves::PROOF,
    ],
    reports: &[balances_report::REPORT],
    ..Face::NONE
};
