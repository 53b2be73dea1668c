//! Users: what they are, and what a change ends.

use super::{Judged, People, Person, no};
use buttonwood_engine::Access;
use buttonwood_engine::identity::{NewUser, UserChange, UserId};
use buttonwood_model::{GroupId, Roles};

/// A user has a group and roles, and an operator neither.
fn check_kind(access: &Access, group: Option<GroupId>, roles: Roles, is_operator: bool) -> Judged {
    if is_operator {
        return if group.is_none() && roles == Roles::NONE { Ok(()) } else { no("BadRoles") };
    }
    if group.is_none_or(|group| access.group(group).is_none()) {
        return no("UnknownGroup");
    }
    if roles.is_valid() { Ok(()) } else { no("BadRoles") }
}

impl People {
    pub(super) fn add_user(&mut self, access: &Access, new: &NewUser) -> Judged {
        if self.persons.iter().any(|person| person.login == new.login) {
            return no("Taken");
        }
        check_kind(access, new.group, new.roles, new.is_operator)?;
        self.persons.push(Person {
            login: new.login,
            group: new.group,
            roles: new.roles,
            is_operator: new.is_operator,
            os_user: String::new(),
            before: None,
            is_disabled: new.is_disabled,
            credential: new.credential,
            factor: new.factor,
            step: 0,
            recovery: Vec::new(),
            failures: Vec::new(),
            reset: None,
            passkeys: Vec::new(),
            preferences: String::new(),
            preferred: Vec::new(),
        });
        Ok(())
    }

    pub(super) fn change_user(&mut self, access: &Access, id: UserId, change: &UserChange) -> Judged {
        let at = id.index();
        let Some(person) = self.persons.get_mut(at) else { return no("UnknownUser") };
        let is_operator = change.is_operator.unwrap_or(person.is_operator);
        let (mut group, mut roles) = (person.group, person.roles);
        let mut before = person.before;
        if is_operator {
            if !person.is_operator {
                before = group.map(|group| (group, roles));
            }
            (group, roles) = (None, Roles::NONE);
        } else {
            if let Some(home) = before.take().filter(|_| person.is_operator) {
                (group, roles) = (Some(home.0), home.1);
            }
            (group, roles) = (change.group.or(group), change.roles.unwrap_or(roles));
        }
        let may_no_more = person.is_operator && !is_operator && group.is_none();
        let is_disabled = change.is_disabled.unwrap_or(person.is_disabled || may_no_more);
        if is_operator || !is_disabled || group.is_some() {
            check_kind(access, group, roles, is_operator)?;
        } else if roles != Roles::NONE {
            return no("BadRoles");
        }
        if roles != person.roles {
            self.counts.note("roles changed");
        }
        // The link of a new user that sets the first password goes on where the user becomes an operator.
        let keeps_links = !is_disabled
            && is_operator
            && !person.is_operator
            && (person.credential, change.credential) == (0, None);
        let ends = is_disabled || is_operator != person.is_operator || group != person.group;
        (person.group, person.roles, person.is_operator) = (group, roles, is_operator);
        (person.is_disabled, person.before) = (is_disabled, before);
        if !is_operator {
            person.os_user.clear();
        } else if let Some(os_user) = &change.os_user {
            person.os_user.clone_from(os_user);
        }
        if let Some(factor) = change.factor {
            (person.factor, person.step) = (factor, 0);
            person.recovery.clear();
        }
        if let Some(credential) = change.credential {
            person.credential = credential;
            self.end_links(at);
        }
        if ends {
            self.end_all(at);
            if !keeps_links {
                self.end_links(at);
            }
        }
        Ok(())
    }

    /// All second factors are gone, and no browser is signed in any more.
    pub(super) fn reset_factors(&mut self, at: usize) -> Judged {
        let Some(person) = self.persons.get_mut(at) else { return no("UnknownUser") };
        self.counts.note("factors reset");
        (person.factor, person.step) = (0, 0);
        person.recovery.clear();
        person.failures.clear();
        person.passkeys.clear();
        self.windows.iter_mut().filter(|it| it.person == at).for_each(|it| it.has_ended = true);
        Ok(())
    }

    /// Browsers, families and codes of a user end for good.
    fn end_all(&mut self, at: usize) {
        self.counts.note("all ended of a user");
        self.windows.iter_mut().filter(|it| it.person == at).for_each(|it| it.has_ended = true);
        self.families.iter_mut().filter(|it| it.person == at).for_each(|it| it.has_ended = true);
        self.slips.iter_mut().filter(|it| it.person == at).for_each(|it| it.has_ended = true);
    }

    pub(super) fn end_links(&mut self, at: usize) {
        self.links.iter_mut().filter(|it| it.person == at).for_each(|it| it.has_ended = true);
    }
}
