//! Preferences of users, written by the sequencer alone.

use super::identity::Writer;
use super::started;
use buttonwood_engine::identity::{Command as Own, PREFERENCES_APART};
use std::path::Path;
use std::sync::Arc;

/// A user who sets preferences twice, and one who has none.
pub(super) fn pages(data: &Path) {
    started(data).kill9();
    let mut writer = Writer::of(data);
    writer.add_user("ann", 1);
    writer.add_user("bob", 1);
    let ann = writer.user(0);
    writer.open((ann, 1), "a-1", true);
    for value in ["{}", "{\"theme\":\"dark\",\"keys\":{\"B\":null},\"of\":\"\u{e4}\"}"] {
        let session = writer.session("a-1");
        writer.send(Own::SetPreferences(session, Arc::new(value.to_owned())));
        writer.now = writer.now.plus(PREFERENCES_APART);
    }
}
