//! The direction of dependencies between rooms: the layers of ARCHITECTURE.md, checked against `cargo metadata`.
//!
//! A room may use every room of a lower layer, and none of its own layer or above. The exceptions (rooms outside the
//! layers, and rooms that a layer must not use) are listed below, room by room. The document is compared with the layers.

mod map;

use crate::Done;
use crate::metadata::{self, Dependency, Package};
use crate::repo::Repo;

/// The layers, lowest first. Rooms of one layer are siblings and do not know each other.
const LAYERS: &[&[&str]] = &[
    &["core/num"],
    &["core/model"],
    &["core/ledger", "core/book", "core/auction", "core/access", "core/rates"],
    &["core/index"],
    &["core/trading", "core/risk", "core/leave"],
    &["core/room"],
    &[
        "core/convert",
        "core/spot",
        "core/perp",
        "core/prediction",
        "core/clearing",
        "core/staking",
        "core/identity",
        "core/funds",
    ],
    // Spot trading on credit: what it does not borrow for is what spot does.
    &["core/spot-margin"],
    &["core/engine"],
    &["store/disk", "run/metrics"],
    &["store/journal", "store/views", "store/vault"],
    &["store/tables"],
    &["run/sequencer"],
    &["edge/address"],
    &["edge/gate", "edge/http", "edge/custody", "edge/feeds"],
    &["edge/wire", "edge/driver"],
    &["edge/people"],
    &["edge/operate"],
    &["edge/call"],
    // The subjects of the interface: rooms of calls do not know each other.
    &["edge/clearing", "edge/prediction", "edge/staking"],
    &["edge/rest", "edge/stream", "edge/oauth", "edge/site"],
    &["run/sandbox"],
    &["bin/buttonwood"],
];

/// Rooms outside the layers, each with all the rooms that it may use. Other rooms use them only by a row of this table
/// or of [`TEST_ROOMS`].
const OUTSIDE: &[(&str, &[&str])] = &[
    ("client", &["core/num", "core/model"]),
    (
        "proof/accept",
        &["bin/buttonwood", "client", "proof/checker", "proof/testing", "core/num", "core/model"],
    ),
    ("proof/bench", &["client", "*"]),
    ("proof/corpus", &["proof/accept", "proof/oracle", "*"]),
    ("proof/fuzz", &["proof/oracle", "proof/sim", "*"]),
    ("proof/checker", &[]),
    ("proof/testing", &[]),
    ("proof/oracle", &["core/engine", "core/model", "core/num"]),
    ("proof/sim", &["client", "proof/oracle", "*"]),
    ("proof/faults", &["proof/accept"]),
    ("proof/hostile", &["client"]),
    ("xtask", &[]),
];

/// Uses of a lower layer that are forbidden nevertheless: user, used room, reason.
const BARRED: &[(&str, &str, &str)] =
    &[("edge/", "store/journal", "the edge reads views, never the journal")];

/// Rooms that the tests of every room may use as well.
const TEST_ROOMS: &[&str] = &["client", "proof/oracle", "proof/testing"];

/// The foreign crates that the core may use: data structures and formats that need no operating system, and the
/// instruction that prefetches a line of memory.
const PURE: &[&str] = &["arrayvec", "hashbrown", "itoa", "postcard", "safe_arch", "serde", "siphasher"];

pub(crate) fn run(repo: &Repo) -> Done {
    let packages = metadata::packages(repo)?;
    let mut violations = Vec::new();
    for package in &packages {
        violations.extend(judge(package, &packages));
        if package.folder.starts_with("core/") {
            let lib = format!("{}/src/lib.rs", package.folder);
            if !repo.read(&lib)?.lines().any(|line| line.trim() == "#![no_std]") {
                violations.push(format!("{lib} does not open with #![no_std]"));
            }
        }
    }
    violations.extend(map::check(repo, &built(&packages), &packages)?);
    if violations.is_empty() {
        println!("layers: {} crates, every dependency points down", packages.len());
        return Ok(());
    }
    for violation in &violations {
        println!("layers: {violation}");
    }
    Err(format!("{} breaches of the house's layers", violations.len()))
}

/// All violations in the dependencies of one crate.
fn judge(package: &Package, all: &[Package]) -> Vec<String> {
    let room = package.folder.as_str();
    if !known(room) {
        return vec![format!("{room} has no place in the house: give it a layer in xtask/src/layers.rs")];
    }
    package
        .dependencies
        .iter()
        .filter_map(|dependency| {
            let why = refusal(room, dependency, all)?;
            let kind = if dependency.dev { " (dev)" } else { "" };
            Some(format!("{} -> {}{kind}: {why}", package.name, dependency.name))
        })
        .collect()
}

fn refusal(room: &str, dependency: &Dependency, all: &[Package]) -> Option<String> {
    if !dependency.ours {
        let impure =
            room.starts_with("core/") && !dependency.dev && !PURE.contains(&dependency.name.as_str());
        return impure.then(|| format!("the core uses alloc and {} alone", PURE.join(", ")));
    }
    let Some(used) = all.iter().find(|package| package.name == dependency.name) else {
        return Some("a path outside the workspace".to_owned());
    };
    let used = used.folder.as_str();
    if used == room || (dependency.dev && TEST_ROOMS.contains(&used)) {
        return None;
    }
    may_use(room, used).err()
}

/// Whether `room` may use `used`. The error names the rule that forbids it.
fn may_use(room: &str, used: &str) -> Result<(), String> {
    if let Some((_, allowed)) = OUTSIDE.iter().find(|(name, _)| *name == room) {
        let everywhere = allowed.contains(&"*") && layer(used).is_some() && used != "bin/buttonwood";
        return if everywhere || allowed.contains(&used) {
            Ok(())
        } else {
            Err(format!("{room} may use only: {}", allowed.join(", ")))
        };
    }
    if let Some((_, _, why)) = BARRED.iter().find(|(from, to, _)| room.starts_with(from) && used == *to) {
        return Err((*why).to_owned());
    }
    match (layer(room), layer(used)) {
        (Some(here), Some(there)) if there < here => Ok(()),
        (Some(here), Some(there)) if there == here => Err("siblings do not know each other".to_owned()),
        (Some(_), Some(_)) => Err(format!("{used} is above {room}")),
        _ => Err(format!("nothing in the house depends on {used}")),
    }
}

/// The layers, with the rooms that exist.
fn built(all: &[Package]) -> Vec<Vec<&'static str>> {
    let exists = |room: &&str| all.iter().any(|package| package.folder == *room);
    let layers = LAYERS.iter().map(|rooms| rooms.iter().copied().filter(exists).collect::<Vec<_>>());
    layers.filter(|rooms| !rooms.is_empty()).collect()
}

fn known(room: &str) -> bool {
    layer(room).is_some() || OUTSIDE.iter().any(|(name, _)| *name == room)
}

fn layer(room: &str) -> Option<usize> {
    LAYERS.iter().position(|rooms| rooms.contains(&room))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(room: &str, used: &str) -> String {
        may_use(room, used).expect_err("this use breaks the layers")
    }

    #[test]
    fn the_house_as_drawn_is_allowed() {
        let drawn = [
            ("core/model", "core/num"),
            ("core/spot", "core/ledger"),
            ("core/spot", "core/trading"),
            ("core/engine", "core/spot"),
            ("store/journal", "core/engine"),
            ("run/sequencer", "store/journal"),
            ("edge/custody", "edge/address"),
            ("edge/wire", "edge/gate"),
            ("edge/rest", "edge/wire"),
            ("edge/rest", "edge/http"),
            ("edge/rest", "store/views"),
            ("bin/buttonwood", "run/sandbox"),
            ("bin/buttonwood", "store/journal"),
            ("run/sandbox", "core/engine"),
            ("proof/accept", "bin/buttonwood"),
            ("proof/faults", "proof/accept"),
            ("proof/bench", "core/book"),
        ];
        for (room, used) in drawn {
            assert_eq!(may_use(room, used), Ok(()), "{room} -> {used}");
        }
    }

    #[test]
    fn back_siblings_and_barred_rooms_are_refused() {
        assert!(refused("core/num", "core/model").contains("above"));
        assert!(refused("core/engine", "store/journal").contains("above"));
        assert!(refused("core/spot", "core/perp").contains("siblings"));
        assert!(refused("store/views", "store/journal").contains("siblings"));
        assert!(refused("edge/http", "edge/gate").contains("siblings"));
        assert!(refused("edge/wire", "edge/rest").contains("above"));
        assert!(refused("edge/rest", "store/journal").contains("never the journal"));
        assert!(refused("edge/site", "client").contains("nothing in the house"));
        assert!(refused("run/sandbox", "client").contains("nothing in the house"));
        assert!(refused("bin/buttonwood", "proof/bench").contains("nothing in the house"));
        assert!(refused("proof/bench", "bin/buttonwood").contains("may use only"));
        assert!(refused("proof/checker", "core/num").contains("may use only"));
        assert!(refused("proof/bench", "proof/accept").contains("may use only"));
        assert!(refused("proof/faults", "store/journal").contains("may use only"));
        assert!(refused("xtask", "core/num").contains("may use only"));
    }

    #[test]
    fn the_core_names_pure_crates_only_but_its_tests_may_name_more() {
        let foreign = |name: &str, dev| Dependency { name: name.to_owned(), dev, ours: false };
        assert!(refusal("core/num", &foreign("tokio", false), &[]).is_some());
        assert!(refusal("core/num", &foreign("proptest", true), &[]).is_none());
        assert!(refusal("core/num", &foreign("serde", false), &[]).is_none());
        assert!(refusal("edge/rest", &foreign("tokio", false), &[]).is_none());
    }

    #[test]
    fn a_room_without_a_layer_is_named() {
        let package =
            Package { name: "buttonwood-attic".into(), folder: "core/attic".into(), dependencies: vec![] };
        assert_eq!(judge(&package, &[]).len(), 1);
    }
}
