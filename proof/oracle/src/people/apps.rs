//! Apps.

use super::{Family, Judged, People, Program, Slip, no};
use buttonwood_engine::identity::{AppId, NewApp};

impl People {
    pub(super) fn program(&self, id: AppId) -> Option<&Program> {
        self.programs.iter().find(|program| program.id == id)
    }

    pub(super) fn add_app(&mut self, new: &NewApp) -> Judged {
        if self.person(new.owner).is_none_or(|owner| owner.is_disabled) {
            return no("UnknownUser");
        }
        if self.program(new.id).is_some() {
            return no("Taken");
        }
        if new.scopes.is_empty() || new.redirect_uris.is_empty() || new.is_public == new.secret.is_some() {
            return no("BadApp");
        }
        let owner = new.owner.index();
        if self.programs.iter().filter(|it| it.owner == owner).count() >= 20 {
            return no("TooManyApps");
        }
        self.programs.push(Program {
            id: new.id,
            owner,
            scopes: new.scopes,
            is_public: new.is_public,
            is_reviewed: false,
            is_implicit: false,
        });
        Ok(())
    }

    pub(super) fn set_secret(&mut self, id: AppId) -> Judged {
        let Some(program) = self.program(id) else { return no("UnknownApp") };
        if program.is_public { no("BadApp") } else { Ok(()) }
    }

    pub(super) fn delete_app(&mut self, id: AppId) -> Judged {
        if self.program(id).is_none() {
            return no("UnknownApp");
        }
        self.end_families(|family| family.app == id);
        self.end_slips(|slip| slip.app == id);
        self.programs.retain(|it| it.id != id);
        self.counts.note("app deleted");
        Ok(())
    }

    /// Without a review an app acts for its owner alone; without the implicit flow its tokens end.
    pub(super) fn review_app(&mut self, id: AppId, is_reviewed: bool, is_implicit: bool) -> Judged {
        let program = self.programs.iter_mut().find(|it| it.id == id);
        let Some(program) = program else { return no("UnknownApp") };
        let before = (program.is_reviewed, program.is_implicit);
        (program.is_reviewed, program.is_implicit) = (is_reviewed, is_implicit);
        let owner = program.owner;
        if before.0 && !is_reviewed {
            self.counts.note("review withdrawn");
            self.end_families(|family| family.app == id && family.person != owner);
            self.end_slips(|slip| slip.app == id && slip.person != owner);
        }
        if before.1 && !is_implicit {
            let had = self.families.iter().any(|it| it.app == id && it.refresh.is_none() && !it.has_ended);
            if had {
                self.counts.note("implicit switched off");
            }
            self.end_families(|family| family.app == id && family.refresh.is_none());
        }
        Ok(())
    }

    pub(super) fn end_families(&mut self, is_one: impl Fn(&Family) -> bool) {
        self.families.iter_mut().filter(|it| is_one(it)).for_each(|it| it.has_ended = true);
    }

    pub(super) fn end_slips(&mut self, is_one: impl Fn(&Slip) -> bool) {
        self.slips.iter_mut().filter(|it| is_one(it)).for_each(|it| it.has_ended = true);
    }
}
