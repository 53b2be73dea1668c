//! An operator's act: what was done, who did it, and why. It wraps the command that does it.
//!
//! The act and its command are one command of the journal, so neither is there without the other. The state keeps the number
//! of the latest act alone, and each act names the one before it, so a reader finds the acts from the newest to the oldest
//! without reading what lies between them.

use crate::Body;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_identity::UserId;
use buttonwood_model::{
    Effect, Named, NamedError, RoomCommand, SentBy, named, put_fields, read_fields, take_named,
};
use serde::{Deserialize, Serialize};

/// An operator's act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// Who, what and why.
    pub note: Note,
    /// The command that does it; none for an act outside the state, which is only noted.
    pub body: Option<Body>,
    /// The number of the proposed command that this act carries out, for the operator who approves it; 0 for any other act.
    pub approves: u64,
}

/// Who did what, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The user of the machine, the e-mail address of an operator who signed in, or `control` for a control call of the sandbox.
    pub who: String,
    /// The name of the command, and its arguments.
    pub what: String,
    /// The reason that the user gave; empty without one.
    pub why: String,
    /// The operator who signed in with an e-mail address; none for any other. The act has it, and its event only has `who`.
    #[serde(skip)]
    pub user: Option<UserId>,
}

/// An event of an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audit {
    /// An operator acted; the number is that of the act before, 0 if there is none.
    Acted(Note, u64),
}

named!(Audit, "operator", { Acted { 0: note, 1: before } = "acted" 1 });

/// The name of the record of an act.
const ACT: &str = "act";
/// Its version.
const VERSION: u8 = 3;

impl Named for Act {
    const ROOM: &'static str = "operator";

    fn label(&self) -> (&'static str, u8) {
        (ACT, VERSION)
    }

    /// The note, then the record of the command, if there is one, then the proposal that it carries out, then the operator's user.
    fn put_body(&self, out: &mut Vec<u8>) {
        let mut inner = Vec::new();
        if let Some(body) = &self.body {
            body.put(&mut inner);
        }
        put_fields(&(&self.note, inner, self.approves, self.note.user), out);
    }

    fn read_body(name: &str, version: u8, body: &[u8]) -> Result<Self, NamedError> {
        let full_name = || [Self::ROOM, ".", name].concat();
        if name != ACT {
            return Err(NamedError::Unknown(full_name()));
        }
        let (note, inner, approves, user): (Note, Vec<u8>, u64, Option<UserId>) =
            read_fields(Self::ROOM, name, [version, VERSION], body)?;
        let note = Note { user, ..note };
        let mut rest = inner.as_slice();
        let body = if rest.is_empty() { None } else { Some(Body::read(take_named(&mut rest)?)?) };
        match body {
            // An act of an act has no meaning, and reading it could exhaust the stack.
            Some(Body::Act(_)) => Err(NamedError::Malformed(full_name())),
            body if rest.is_empty() => Ok(Self { note, body, approves }),
            _ => Err(NamedError::Malformed(full_name())),
        }
    }
}

/// No key may send an act.
impl RoomCommand for Act {
    fn sent_by(&self) -> SentBy {
        SentBy::Anytime
    }

    fn effect(&self) -> Effect {
        let is_reducing = self.body.as_ref().is_some_and(Body::is_reducing);
        if is_reducing { Effect::Reduces } else { Effect::Neither }
    }
}

impl Body {
    /// The act of an operator who does this.
    pub fn act(note: Note, body: Option<Self>) -> Self {
        Self::approving_act(note, body, 0)
    }

    /// The act of an operator who carries out the command of a proposal, which it approves.
    pub fn approving_act(note: Note, body: Option<Self>, approves: u64) -> Self {
        Self::Act(Arc::new(Act { note, body, approves }))
    }

    /// The command itself, without the operator who sends it.
    pub fn inner(&self) -> &Self {
        if let Self::Act(act) = self { act.body.as_ref().unwrap_or(self) } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Founding;

    fn note() -> Note {
        Note { who: "alice".into(), what: "clock move".into(), why: "a test".into(), user: None }
    }

    fn written(body: &Body) -> Vec<u8> {
        let mut bytes = Vec::new();
        body.put(&mut bytes);
        bytes
    }

    fn read(mut bytes: &[u8]) -> Result<Body, NamedError> {
        Body::read(take_named(&mut bytes)?)
    }

    /// An act is read back with its command, and without one.
    #[test]
    fn an_act_carries_its_command() {
        for body in [None, Some(Founding::MoveClock.into())] {
            for approves in [0, 300] {
                for user in [None, Some(UserId(7))] {
                    let act = Body::approving_act(Note { user, ..note() }, body.clone(), approves);
                    assert_eq!(read(&written(&act)), Ok(act));
                }
            }
        }
        assert_eq!(Body::act(note(), Some(Founding::MoveClock.into())).inner(), &Founding::MoveClock.into());
    }

    /// An act of an earlier build is that of a user of the machine, and an even earlier one carries out no proposal.
    #[test]
    fn an_earlier_act_is_that_of_a_machine_s_user() {
        let act = Body::act(note(), Some(Founding::MoveClock.into()));
        let mut bytes = written(&act);
        let at = b"operator.act".len() + 1;
        for version in [2, 1] {
            assert_eq!(bytes.pop(), Some(0), "the proposal is last, and before it the user was");
            bytes[at] = version;
            bytes[at + 1] -= 1;
            assert_eq!(read(&bytes), Ok(act.clone()));
        }
    }

    /// An act within an act and surplus bytes are refused.
    #[test]
    fn only_one_command_is_in_an_act() {
        let twice = Body::act(note(), Some(Body::act(note(), None)));
        assert_eq!(read(&written(&twice)), Err(NamedError::Malformed("operator.act".into())));
    }
}
