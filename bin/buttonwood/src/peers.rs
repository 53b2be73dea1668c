//! Whether this process can see which users connect to the operators' socket.
//!
//! In a user namespace of its own, the kernel shows every user that is not mapped there as one and the same. Two operators then look alike,
//! and the audit cannot name them.

use crate::trouble::Trouble;
use std::io::ErrorKind;

/// How many users there are: all numbers but the last one, which stands for none.
const USERS: u64 = 4_294_967_295;

/// Refuses two approvals where two operators may look the same.
///
/// # Errors
/// [`Trouble::Flag`].
pub(crate) fn check(approvals: u8) -> Result<(), Trouble> {
    if approvals < 2 {
        return Ok(());
    }
    let sees_all = match std::fs::read_to_string("/proc/self/uid_map") {
        Ok(map) => mapped(&map) >= USERS,
        // A kernel without user namespaces hides no user.
        Err(error) => {
            error.kind() == ErrorKind::NotFound && std::path::Path::new("/proc/self/status").exists()
        }
    };
    if sees_all {
        return Ok(());
    }
    Err(Trouble::Flag(
        "--approvals 2: this process cannot see which users connect to it, since it runs in a user namespace of its own: run it without \
         one (PrivateUsers=no under systemd), or with approvals = 1"
            .to_owned(),
    ))
}

/// How many users a map of a namespace has: lines of `inside outside count`.
fn mapped(map: &str) -> u64 {
    let counts = map.lines().filter_map(|line| line.split_whitespace().nth(2)?.parse::<u64>().ok());
    counts.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The machine's own namespace has all users, any other only some.
    #[test]
    fn only_the_machine_s_own_namespace_has_all_users() {
        assert_eq!(mapped("         0          0 4294967295\n"), USERS);
        for (map, count) in
            [("", 0), ("0 1000 1\n", 1), ("0 0 1\n998 998 1\n", 2), ("0 100000 65536\n", 65_536)]
        {
            assert_eq!(mapped(map), count);
        }
        assert!(check(1).is_ok());
    }
}
