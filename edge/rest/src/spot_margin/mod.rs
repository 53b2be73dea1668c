//! Spot margin: what an account that borrows has, owes and pays.

pub(crate) mod account;
pub(crate) mod preview;
pub(crate) mod rates;
mod summary;

use buttonwood_call::Face;

/// The endpoints.
pub(crate) const FACE: Face = Face { routes: &[account::ROUTE, rates::ROUTE, preview::ROUTE], ..Face::NONE };
