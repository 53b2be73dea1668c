//! The list of commands. A command is a file with its `COMMAND`, and one line here; those of a subject of the interface stand in its face.

use crate::command::Command;
use crate::{apps, audit, banks, breaks, customers, deposits, fees, funds, fx, keys, lists, people, venue};

/// The commands of no subject, in the order of the help.
const COMMANDS: &[Command] = &[
    // Customers
    customers::group::ADD,
    customers::group::SET,
    customers::approve::COMMAND,
    customers::addresses::MULTI_USER,
    lists::directory::GROUPS,
    customers::account::ADD,
    customers::close::COMMAND,
    customers::risk::COMMAND,
    funds::fee_override::COMMAND,
    lists::directory::ACCOUNTS,
    customers::addresses::APPROVE,
    customers::addresses::REJECT,
    lists::balances::COMMAND,
    // Currencies and symbols
    venue::currency::COMMAND,
    venue::listing::COMMAND,
    venue::network::NETWORK,
    venue::network::ASSET,
    venue::status::COMMAND,
    lists::symbols::COMMAND,
    venue::auction::SCHEDULE,
    venue::auction::END,
    lists::orders::LIST,
    lists::orders::CANCEL,
    venue::spot_margin::COMMAND,
    venue::credit::COIN,
    venue::credit::COLLATERAL,
    venue::instant::COMMAND,
    venue::funding::COMMAND,
    venue::index::PIN,
    venue::index::UNPIN,
    venue::halt::HALT,
    venue::halt::RESUME,
    venue::approval::APPROVE,
    venue::approval::PROPOSALS,
    // Keys
    keys::add::COMMAND,
    keys::change::DISABLE,
    keys::change::ENABLE,
    keys::change::END,
    keys::change::ROLES,
    keys::change::RENAME,
    keys::nonces::RESET,
    keys::change::FROM,
    keys::list::KEYS,
    keys::list::SESSIONS,
    keys::restrict::GROUP,
    keys::rotate::COMMAND,
    // Users and apps
    people::add::COMMAND,
    people::change::DISABLE,
    people::change::ENABLE,
    people::factors::RESET,
    people::operator::COMMAND,
    people::list::COMMAND,
    apps::review::COMMAND,
    apps::list::COMMAND,
    // Funds
    funds::credit::COMMAND,
    funds::debit::COMMAND,
    funds::house::COMMAND,
    funds::limits::COMMAND,
    funds::remedy::REBUILD,
    funds::remedy::VOID,
    deposits::unclaimed::COMMAND,
    deposits::assign::COMMAND,
    lists::transfers::COMMAND,
    banks::wire::COMMAND,
    banks::settle::COMMAND,
    banks::limit::COMMAND,
    // Fees
    fees::set::COMMAND,
    fees::schedule::COMMAND,
    fees::promote::COMMAND,
    lists::fees::COMMAND,
    // Rates and trades
    fx::COMMAND,
    breaks::COMMAND,
    // The audit
    audit::COMMAND,
];

/// A list with further rows, each after the one whose name it gives; those that give none are the last. A name of no row is a fault, which
/// tests find.
pub fn placed<T: Copy>(
    mut all: Vec<T>,
    mut added: Vec<T>,
    name: impl Fn(&T) -> &'static str,
    after: impl Fn(&T) -> Option<&'static str>,
) -> Vec<T> {
    // Of two behind the same row, the later one is inserted first.
    added.reverse();
    let mut left = added.len() + 1;
    while added.len() < left {
        left = added.len();
        added.retain(|row| {
            let before = all.iter().position(|known| Some(name(known)) == after(row));
            before.inspect(|before| all.insert(before + 1, *row)).is_none()
        });
    }
    debug_assert!(
        added.iter().all(|row| after(row).is_none()),
        "a row stands behind one that does not exist"
    );
    all.extend(added.into_iter().rev());
    all
}

/// All commands of `buttonwood admin`, in the order of its help.
#[derive(Debug)]
pub struct Catalogue(Vec<&'static Command>);

impl Catalogue {
    /// The commands of this crate, and those that subjects of the interface add, each after the one that it names.
    pub fn new(added: impl IntoIterator<Item = &'static Command>) -> Self {
        let name = |command: &&'static Command| command.name;
        Self(placed(COMMANDS.iter().collect(), added.into_iter().collect(), name, |command| command.after))
    }

    /// The commands, in the order of the help.
    pub fn all(&self) -> &[&'static Command] {
        &self.0
    }

    /// The command of this name.
    pub fn find(&self, name: &str) -> Option<&'static Command> {
        self.0.iter().copied().find(|command| command.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows stand behind those that they name, in the order in which they came, also where these are added too.
    #[test]
    fn rows_are_placed() {
        let row = |(name, _): &(&'static str, Option<&'static str>)| *name;
        let all = [("a", None), ("b", None)].to_vec();
        let added =
            [("a1", Some("a")), ("a2", Some("a")), ("a11", Some("a1")), ("z", None), ("y", None)].to_vec();
        let placed = placed(all, added, row, |(_, after)| *after);
        let names: Vec<_> = placed.iter().map(row).collect();
        assert_eq!(names, ["a", "a1", "a11", "a2", "b", "z", "y"]);
    }
}
