//! Conversions with the house: wraps and instant orders.

pub(crate) mod execute;
pub(crate) mod quote;
pub(crate) mod wrap;

use buttonwood_call::{App, Call, Face, core_refusal};
use buttonwood_engine::Reject;
use buttonwood_gate::Refusal;
use buttonwood_wire::convert;

/// The endpoints.
pub(crate) const FACE: Face =
    Face { routes: &[wrap::ROUTE, quote::ROUTE, quote::BY_PATH, execute::ROUTE], ..Face::NONE };

/// The text in a refusal for a field that is absent.
const MISSING: &str = "(missing)";

/// The refusal of a conversion; `sought` is the name of the symbol and what the client wants to convert.
fn refusal(app: &App, call: &Call, sought: (&str, &str), reject: Reject) -> Refusal {
    if let Reject::Convert(reject) = reject {
        convert::refusal(sought, call.payload(), reject)
    } else {
        core_refusal(app, call, reject)
    }
}
