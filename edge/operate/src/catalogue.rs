//! The one list of commands. A command is a file with its `COMMAND`, and one line here.

use crate::command::Command;
use crate::{
    apps, audit, banks, breaks, clearing, customers, deposits, fees, funds, fx, keys, lists, people,
    predictions, venue,
};

/// Every command of `buttonwood admin`, in the order of its help.
pub const COMMANDS: &[Command] = &[
    // Customers
    customers::group::ADD,
    customers::group::SET,
    customers::approve::COMMAND,
    customers::addresses::MULTI_USER,
    lists::directory::GROUPS,
    customers::account::ADD,
    customers::close::COMMAND,
    customers::risk::COMMAND,
    customers::broker::COMMAND,
    clearing::alias::COMMAND,
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
    venue::staking::COMMAND,
    venue::index::PIN,
    venue::index::UNPIN,
    venue::halt::HALT,
    venue::halt::RESUME,
    venue::approval::APPROVE,
    venue::approval::PROPOSALS,
    // Prediction markets
    predictions::event::COMMAND,
    predictions::life::COMMAND,
    predictions::strike::COMMAND,
    predictions::resolve::RESOLVE,
    predictions::resolve::DISPUTE,
    predictions::void::COMMAND,
    predictions::combo::COMMAND,
    predictions::terms::COMMAND,
    predictions::fees::COMMAND,
    predictions::rewards::COMMAND,
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
    clearing::fee::COMMAND,
    lists::fees::COMMAND,
    // Rates and trades
    fx::COMMAND,
    breaks::COMMAND,
    // The audit
    audit::COMMAND,
];

/// The command of this name.
pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Effect, Guard};

    /// Each command has a name of its own, a sentence about itself, and arguments among its fields.
    #[test]
    fn every_command_describes_itself() {
        for command in COMMANDS {
            assert_eq!(COMMANDS.iter().filter(|other| other.name == command.name).count(), 1, "{command:?}");
            assert!(command.about.ends_with('.') && command.gives.is_some(), "{command:?}");
            assert!(
                command.guard == Guard::One || !command.is_list(),
                "{command:?}: a list is never proposed"
            );
            assert!(
                command.guard == Guard::One || !command.stops || command.alone.is_some(),
                "{command:?}: what stops takes one operator"
            );
            for argument in command.arguments {
                assert!(command.field(argument).is_some(), "{command:?} has no field '{}'", argument.field);
            }
        }
    }

    /// Walks the catalogue: what gives, takes, sets terms or opens takes two operators, what halts takes one, and all that takes one is
    /// written here (D-268).
    #[test]
    fn every_command_says_who_must_agree() {
        const ONE: [(&str, Effect); 16] = [
            ("account add", Effect::Prepares),
            ("account close", Effect::Halts),
            ("address reject", Effect::Halts),
            ("approve", Effect::Approves),
            ("auction end", Effect::Halts),
            ("auction schedule", Effect::Prepares),
            ("clearing alias", Effect::Names),
            ("currency add", Effect::Prepares),
            ("event dispute", Effect::Halts),
            ("group add", Effect::Prepares),
            ("halt", Effect::Halts),
            ("key disable", Effect::Halts),
            ("key end", Effect::Halts),
            ("key rename", Effect::Names),
            ("order cancel", Effect::Halts),
            ("user disable", Effect::Halts),
        ];
        // These take two, but for the calls that only halt.
        const ALONE: [&str; 5] =
            ["app review", "event halt", "group approve", "staking terms", "user operator"];
        let once = || COMMANDS.iter().filter(|command| !command.is_list());
        assert!(COMMANDS.iter().all(|command| command.is_list() == (command.effect == Effect::Reads)));
        let takes_two = |command: &Command| {
            matches!(command.effect, Effect::Gives | Effect::Takes | Effect::SetsTerms | Effect::Opens)
        };
        for command in COMMANDS {
            assert_eq!(command.guard != Guard::One, takes_two(command), "{command:?}");
        }
        let mut single: Vec<_> = once()
            .filter(|command| !takes_two(command))
            .map(|command| (command.name, command.effect))
            .collect();
        single.sort_unstable_by_key(|(name, _)| *name);
        assert_eq!(single, ONE);
        let mut alone: Vec<_> =
            once().filter(|command| command.alone.is_some()).map(|command| command.name).collect();
        alone.sort_unstable();
        assert_eq!(alone, ALONE);
    }
}
