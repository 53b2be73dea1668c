//! A command of `buttonwood admin`: one row of data and its function.

use crate::guard;
use crate::operator::Operator;
use buttonwood_gate::{Payload, Refusal, Value};
use buttonwood_wire::contract::{Components, Field, Fields, Node, Shape};
use std::pin::Pin;
use tokio::sync::mpsc;

/// An answer that waits for the exchange.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = Result<T, Refusal>> + 'a>>;

/// A function that answers with one JSON object.
pub(crate) type Once = for<'a> fn(&'a Operator<'a>, &'a Payload) -> Later<'a, Vec<u8>>;

/// A function that answers with JSON objects, one a line.
pub(crate) type List = for<'a> fn(&'a Operator<'a>, &'a Payload, &'a Lines) -> Later<'a, ()>;

/// The function of a command.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    Once(Once),
    List(List),
}

/// The lines of a list on their way to the operator.
#[derive(Debug)]
pub struct Lines(pub(crate) mpsc::Sender<Vec<u8>>);

impl Lines {
    /// Sends a line: a JSON object. `false` when the operator has gone.
    pub async fn send(&self, object: Vec<u8>) -> bool {
        self.0.send(object).await.is_ok()
    }
}

/// How the command line gives an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// By its place.
    Place,
    /// By its place, the last one, as often as wanted.
    Places,
    /// As `--name VALUE`.
    Option,
    /// As `--name VALUE`, repeated.
    Options,
    /// As `--name`: true.
    Switch,
    /// As `--name FILE`: the file holds the value as JSON.
    File,
    /// As `--name FILE`: the path, which the command line makes absolute.
    Path,
}

/// The effect of a command, which says how many operators agree to it (D-268): each command of the catalogue names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads, and changes nothing.
    Reads,
    /// Halts, disables, cancels, refuses or ends something.
    Halts,
    /// Changes a name, which is only shown.
    Names,
    /// Makes something empty, in which a customer has a part only by an order of its own or by a command that takes two.
    Prepares,
    /// Is the second operator's consent.
    Approves,
    /// Gives money, or decides who gets it.
    Gives,
    /// Takes money, or what protects it.
    Takes,
    /// Sets terms by which money is counted, or who may do what.
    SetsTerms,
    /// Lets people, keys, apps, addresses or markets do what they could not do before, for the first time or again.
    Opens,
}

impl Effect {
    /// Its name in the contract.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Halts => "halts",
            Self::Names => "names",
            Self::Prepares => "prepares",
            Self::Approves => "approves",
            Self::Gives => "gives",
            Self::Takes => "takes",
            Self::SetsTerms => "sets_terms",
            Self::Opens => "opens",
        }
    }

    /// How many operators a command takes that does so.
    const fn guard(self) -> Guard {
        match self {
            Self::Reads | Self::Halts | Self::Names | Self::Prepares | Self::Approves => Guard::One,
            Self::Gives | Self::Takes | Self::SetsTerms | Self::Opens => Guard::Two,
        }
    }
}

/// How many operators a command takes where two are needed (D-144, D-184).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guard {
    /// One.
    #[default]
    One,
    /// Two: the command is checked and proposed as it was sent, and runs when another operator approves it.
    Two,
    /// Two: its function proposes what it does.
    Proposes,
}

/// The places that a connection takes while its command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Those of commands.
    Command,
    /// Those of commands, and a few that are kept for what halts.
    Stop,
    /// Those of lists, which last as long as their reader takes.
    List,
    /// Those of lists without an end.
    Follow,
}

/// An argument of the command line.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// The field that it sets.
    pub field: &'static str,
    /// Its name on the command line.
    pub name: &'static str,
    /// How it is given.
    pub form: Form,
}

impl Argument {
    /// An argument whose name is that of its field, with dashes.
    pub const fn new(field: &'static str, form: Form) -> Self {
        Self { field, name: field, form }
    }

    /// The same with a name of its own.
    #[must_use]
    pub const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }
}

/// A value of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A text, also of a number: the exchange reads numbers from their digits.
    Text(String),
    /// Several texts.
    Texts(Vec<String>),
    /// A switch that was given.
    True,
    /// A JSON text.
    Json(String),
}

/// A command of `buttonwood admin`.
#[derive(Clone, Copy)]
pub struct Command {
    /// Its words, with a blank between them.
    pub name: &'static str,
    /// A sentence for the help and the contract.
    pub about: &'static str,
    /// Whether it is refused without a reason.
    pub needs_reason: bool,
    /// Its arguments on the command line; a field that none of them sets is for control calls only.
    pub arguments: &'static [Argument],
    /// The fields that it reads; the first one is the parameter in the path of a control call, if that has one.
    pub fields: &'static [Field],
    /// The schema of the object, or of each object, that it answers with.
    pub gives: Option<fn(&mut Components) -> Node>,
    /// Its effect; that of the calls that do most, where some only halt.
    pub effect: Effect,
    /// How many operators it takes where two are needed.
    pub guard: Guard,
    /// Tells the calls that take one operator all the same: those that only halt something (D-184).
    pub(crate) alone: Option<fn(&Operator<'_>, &Payload) -> bool>,
    /// Whether it halts something; a few connections are kept for such commands.
    pub stops: bool,
    /// For a command that a subject of the interface adds: the one behind which it stands in the help; without it, it is among the last.
    pub(crate) after: Option<&'static str>,
    /// The switch that makes it a list without an end.
    pub(crate) follow: Option<&'static str>,
    pub(crate) run: Run,
}

impl Command {
    /// A command that answers with one object. A command that gives, takes, sets terms or opens takes two operators where two are needed: it is
    /// checked and proposed as it was sent, and its function runs when another operator approves it (D-184). The function must change
    /// nothing in a dry run.
    pub const fn once(name: &'static str, effect: Effect, run: Once) -> Self {
        Self::new(name, effect, Run::Once(run))
    }

    /// A command that answers with a list.
    pub const fn list(name: &'static str, run: List) -> Self {
        Self::new(name, Effect::Reads, Run::List(run))
    }

    const fn new(name: &'static str, effect: Effect, run: Run) -> Self {
        Self {
            name,
            about: "",
            needs_reason: false,
            arguments: &[],
            fields: &[],
            gives: None,
            effect,
            guard: effect.guard(),
            alone: None,
            stops: false,
            after: None,
            follow: None,
            run,
        }
    }

    /// Describes it in a sentence.
    #[must_use]
    pub const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// It is refused without a reason.
    #[must_use]
    pub const fn with_reason(self) -> Self {
        Self { needs_reason: true, ..self }
    }

    /// It reads these fields, which the command line gives in this form.
    #[must_use]
    pub const fn takes<T: Fields>(self, arguments: &'static [Argument]) -> Self {
        Self { fields: T::FIELDS, arguments, ..self }
    }

    /// It answers with this.
    #[must_use]
    pub const fn gives<T: Shape>(self) -> Self {
        Self { gives: Some(T::node), ..self }
    }

    /// The same command as a control call with fields and an answer of its own.
    #[must_use]
    pub const fn called<F: Fields, A: Shape>(self, run: Once) -> Self {
        Self { arguments: &[], fields: F::FIELDS, gives: Some(A::node), run: Run::Once(run), ..self }
    }

    /// Of a guarded command, these calls take one operator.
    #[must_use]
    pub const fn alone(self, alone: fn(&Operator<'_>, &Payload) -> bool) -> Self {
        Self { alone: Some(alone), ..self }
    }

    /// It takes two operators where two are needed, and its function proposes what it does.
    #[must_use]
    pub const fn proposes(self) -> Self {
        Self { guard: Guard::Proposes, ..self }
    }

    /// It halts something: it finds a place when commands take all others.
    #[must_use]
    pub const fn stops(self) -> Self {
        Self { stops: true, ..self }
    }

    /// It stands after the command of this name in the help.
    #[must_use]
    pub const fn after(self, name: &'static str) -> Self {
        Self { after: Some(name), ..self }
    }

    /// With this switch it is a list without an end.
    #[must_use]
    pub const fn follows(self, switch: &'static str) -> Self {
        Self { follow: Some(switch), ..self }
    }

    /// The places that it takes with these arguments.
    pub(crate) fn lane(&self, arguments: &Payload) -> Lane {
        let is_on = |switch| matches!(arguments.field(switch), Some(Value::Bool(true)));
        match self.run {
            Run::List(_) if self.follow.is_some_and(is_on) => Lane::Follow,
            Run::List(_) => Lane::List,
            Run::Once(_) if self.stops => Lane::Stop,
            Run::Once(_) => Lane::Command,
        }
    }

    /// Whether it answers with a list.
    pub fn is_list(&self) -> bool {
        matches!(self.run, Run::List(_))
    }

    /// Whether some of its calls take one operator where two are needed.
    pub fn has_single_calls(&self) -> bool {
        self.alone.is_some()
    }

    /// The field that an argument sets.
    pub fn field(&self, argument: &Argument) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == argument.field)
    }

    /// Runs it for an operator who signed in to a page, or proposes it where it takes two operators. It answers with one object.
    ///
    /// # Errors
    /// The refusal.
    ///
    /// # Panics
    /// If it answers with a list: no such call does.
    pub async fn act(&self, operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
        match self.run {
            Run::Once(run) => guard::run(self, run, operator, fields).await,
            Run::List(_) => panic!("'{}' answers with a list", self.name),
        }
    }

    /// Runs it for a control call, which answers with one object.
    ///
    /// # Errors
    /// The refusal.
    ///
    /// # Panics
    /// If it answers with a list: no control call does.
    pub async fn answer(&self, operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
        match self.run {
            Run::Once(run) => run(operator, fields).await,
            Run::List(_) => panic!("'{}' answers with a list", self.name),
        }
    }
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "admin {}", self.name)
    }
}
