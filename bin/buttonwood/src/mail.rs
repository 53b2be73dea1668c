//! The mail server of a venue, as the flags name it.

use crate::cli::MailFlags;
use crate::ownership;
use crate::trouble::Trouble;
use buttonwood_people::{MailServer, Outgoing};
use std::path::Path;
use zeroize::Zeroizing;

/// Reads the mail server; none where no flag names one.
pub(crate) fn server(flags: &MailFlags) -> Result<Option<MailServer>, Trouble> {
    let missing = |line: &str| Err(Trouble::Flag(line.to_owned()));
    match (&flags.smtp, &flags.mail_from, &flags.smtp_password_file) {
        (Some(url), Some(from), file) => {
            let password = file.as_deref().map(read_password).transpose()?;
            MailServer::read(url, password, from).map(Some).map_err(Trouble::Flag)
        }
        (Some(_), None, _) => missing("--smtp: who sends is missing: --mail-from ADDRESS"),
        (None, Some(_), _) => missing("--mail-from: how mail is sent is missing: --smtp URL"),
        (None, None, Some(_)) => missing("--smtp-password-file: the server is missing: --smtp URL"),
        (None, None, None) => Ok(None),
    }
}

/// Starts the thread that sends mail.
pub(crate) fn start(server: MailServer) -> Result<Outgoing, Trouble> {
    Outgoing::start(server).map_err(|error| Trouble::System(format!("cannot send mail: {error}")))
}

/// The password in a file, on one line.
fn read_password(path: &Path) -> Result<Zeroizing<String>, Trouble> {
    let wrong = |why: &str| Trouble::Flag(format!("--smtp-password-file {}: {why}", path.display()));
    let text =
        std::fs::read_to_string(path).map(Zeroizing::new).map_err(|error| wrong(&error.to_string()))?;
    let password = text.trim_end_matches(['\r', '\n']);
    if password.is_empty() || password.contains(['\r', '\n', '\0']) {
        return Err(wrong("a password on one line is wanted"));
    }
    if ownership::is_open_to_everyone(path) {
        tracing::warn!("every user may read the password {}: chmod o-r", path.display());
    }
    Ok(Zeroizing::new(password.to_owned()))
}
