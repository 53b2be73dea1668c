//! The commands of operators as a whole.

use super::*;
use buttonwood_operate::{Command, Effect, Guard};

/// Each command has a name of its own, a sentence about itself, and arguments among its fields.
#[test]
fn every_command_describes_itself() {
    let catalogue = TABLE.catalogue();
    for command in catalogue.all() {
        assert_eq!(
            catalogue.all().iter().filter(|other| other.name == command.name).count(),
            1,
            "{command:?}"
        );
        assert!(command.about.ends_with('.') && command.gives.is_some(), "{command:?}");
        assert!(command.guard == Guard::One || !command.is_list(), "{command:?}: a list is never proposed");
        assert!(
            command.guard == Guard::One || !command.stops || command.has_single_calls(),
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
    const ALONE: [&str; 5] = ["app review", "event halt", "group approve", "staking terms", "user operator"];
    let catalogue = TABLE.catalogue();
    let once = || catalogue.all().iter().filter(|command| !command.is_list());
    assert!(catalogue.all().iter().all(|command| command.is_list() == (command.effect == Effect::Reads)));
    let takes_two = |command: &Command| {
        matches!(command.effect, Effect::Gives | Effect::Takes | Effect::SetsTerms | Effect::Opens)
    };
    for command in catalogue.all() {
        assert_eq!(command.guard != Guard::One, takes_two(command), "{command:?}");
    }
    let mut single: Vec<_> =
        once().filter(|command| !takes_two(command)).map(|command| (command.name, command.effect)).collect();
    single.sort_unstable_by_key(|(name, _)| *name);
    assert_eq!(single, ONE);
    let mut alone: Vec<_> =
        once().filter(|command| command.has_single_calls()).map(|command| command.name).collect();
    alone.sort_unstable();
    assert_eq!(alone, ALONE);
}
