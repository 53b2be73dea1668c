//! The commands and their socket in the contract.

use crate::catalogue::Catalogue;
use crate::command::{Command, Guard};
use crate::guard;
use crate::reason::REASON_MAX;
use crate::socket::SOCKET;
use buttonwood_wire::contract::{Components, Field, Node, object_of};

/// How the socket is spoken to.
const ABOUT: &str = "\
`buttonwood admin` speaks to a running exchange through a Unix socket in its data directory. A request is one line with a JSON \
object. The reply is one line with a JSON object for each object of the answer, then an empty line. A refusal is an Error as its only \
or last object, and nothing was changed. Where two operators are needed, a command with `needs_two` is only proposed: its answer is \
`proposed`, or has a `proposal`, and it takes effect when another user sends `approve`. The user of the connecting process is who acts. While a list is followed, the client keeps \
its side open.";

/// The description of all commands.
pub fn describe(catalogue: &Catalogue, components: &mut Components) -> Node {
    let commands: Node = catalogue.all().iter().map(|command| command_node(command, components)).collect();
    let proposed = guard::node(components);
    Node::object()
        .with("description", ABOUT)
        .with("socket", SOCKET)
        .with("request", request())
        .with("proposed", proposed)
        .with("commands", commands)
}

fn request() -> Node {
    let command = Node::of_type("string").with("description", "The name of the command.");
    let arguments =
        Node::of_type("object").with("description", "The arguments of the command; none without it.");
    let reason =
        Node::of_type("string").with("maxLength", u64::try_from(REASON_MAX).unwrap_or(u64::MAX)).with(
            "description",
            "Why, for the audit; without control and format characters, no blank at either end.",
        );
    let dry_run = Node::of_type("boolean").with(
        "description",
        "Whether the command is only checked; the answer then has `dry_run` and nothing is changed.",
    );
    object_of(vec![
        ("command", true, command),
        ("arguments", false, arguments),
        ("reason", false, reason),
        ("dry_run", false, dry_run),
    ])
}

fn command_node(command: &Command, components: &mut Components) -> Node {
    let answer = command.gives.map_or_else(Node::object, |gives| gives(components));
    Node::object()
        .with("command", command.name)
        .with("description", command.about)
        .with("needs_reason", command.needs_reason)
        .with("effect", command.effect.name())
        .with("needs_two", command.guard != Guard::One)
        .with("arguments", object_of(command.fields.iter().map(Field::described).collect()))
        .with(if command.is_list() { "lines" } else { "answer" }, answer)
}
