//! Reports: streams of the newest socket about an account, which a subject adds.

use crate::app::App;
use buttonwood_model::{AccountId, Role, Scope};
use buttonwood_num::Money;
use buttonwood_views::{PositionPaid, Views};
use buttonwood_wire::contract::{Components, Integer, Node, Property, Shape, frame_of, tag};
use std::collections::BTreeMap;

/// A right over a socket: the roles of which a key needs one, and the scope that a token needs.
#[derive(Clone, Copy, Debug)]
pub struct SocketRight {
    /// The roles.
    pub roles: &'static [Role],
    /// The scope.
    pub scope: Scope,
}

/// Rows of an account, each a JSON object under the number of what it is about.
pub type AccountRows = BTreeMap<u64, Vec<u8>>;

/// A stream about an account. Its first frame has all rows, each later one those that have changed: after a command that changed a balance,
/// a position or an order of the account, or whose fold says so (`Sink::touched`).
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// The name by which it is subscribed, such as `balances@account`; with `@1s` behind it, its frames come once a second at most (D-152).
    pub name: &'static str,
    /// The right to read it.
    pub right: SocketRight,
    /// The name of its frames: their field `e`.
    pub frame: &'static str,
    /// The frame's sense, in a sentence.
    pub about: &'static str,
    /// The field that lists the rows.
    pub list: &'static str,
    /// Whether a frame has the number of the account, in the field `A`.
    pub names_account: bool,
    /// The rows as they are now.
    pub rows: fn(&App, &Views, AccountId) -> AccountRows,
    /// The schema of a row.
    pub row_schema: fn(&mut Components) -> Node,
    /// How the last row of what is gone is made; none where that is not told.
    pub ended: Option<Ended>,
}

/// The last row of what is gone.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// The number of the row of a position that was paid.
    pub key: fn(&PositionPaid) -> u64,
    /// The row, with the money that was paid.
    pub row: fn(&App, u64, Option<Money>) -> Option<Vec<u8>>,
}

impl Report {
    /// The schema of a frame; `fast_account::report` of the streams writes it.
    pub fn schema(&self) -> Node {
        const NANOS: &[&str] = &["Nanoseconds."];
        let mut components = Components::default();
        let field = |name, about, schema| Property { name, about, optional: false, schema };
        let mut fields = vec![tag("e", self.frame)];
        fields.extend(["E", "u"].map(|name| field(name, NANOS, Integer::node(&mut components))));
        if self.names_account {
            fields.push(field("A", &["The number of the account."], Integer::node(&mut components)));
        }
        let rows = Node::of_type("array").with("items", (self.row_schema)(&mut components));
        fields.push(field(self.list, &[], rows));
        frame_of(fields)
    }
}
