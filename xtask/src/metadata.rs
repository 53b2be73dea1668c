//! The workspace according to `cargo metadata`: its crates and their dependencies.

use serde_json::Value;

use crate::repo::Repo;

/// One crate of the workspace.
pub(crate) struct Package {
    pub(crate) name: String,
    /// Its folder below the root, such as `core/num`.
    pub(crate) folder: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a `[dependencies]` table or a similar one.
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Whether it is in `[dev-dependencies]`.
    pub(crate) dev: bool,
    /// Whether it is a crate of this workspace.
    pub(crate) ours: bool,
}

/// Reads all crates of the workspace, sorted by folder.
pub(crate) fn packages(repo: &Repo) -> Result<Vec<Package>, String> {
    let text = repo.cargo(["metadata", "--format-version", "1", "--no-deps"]).stdout()?;
    let metadata: Value = serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    let root = field(&metadata, "workspace_root")?;
    let listed = metadata.get("packages").and_then(Value::as_array);
    let mut packages = listed
        .ok_or("cargo metadata names no packages")?
        .iter()
        .map(|package| read_package(package, root))
        .collect::<Result<Vec<_>, _>>()?;
    packages.sort_by(|one, other| one.folder.cmp(&other.folder));
    Ok(packages)
}

fn read_package(package: &Value, root: &str) -> Result<Package, String> {
    let manifest = field(package, "manifest_path")?;
    let folder = manifest
        .strip_prefix(root)
        .and_then(|path| path.strip_prefix('/')?.strip_suffix("/Cargo.toml"))
        .ok_or_else(|| format!("{manifest} is no crate below {root}"))?;
    let mut dependencies = Vec::new();
    for line in package.get("dependencies").and_then(Value::as_array).into_iter().flatten() {
        dependencies.push(Dependency {
            name: field(line, "name")?.to_owned(),
            dev: line.get("kind").and_then(Value::as_str) == Some("dev"),
            ours: line.get("path").is_some_and(Value::is_string),
        });
    }
    Ok(Package { name: field(package, "name")?.to_owned(), folder: folder.to_owned(), dependencies })
}

fn field<'a>(value: &'a Value, name: &str) -> Result<&'a str, String> {
    value.get(name).and_then(Value::as_str).ok_or_else(|| format!("cargo metadata gives no `{name}`"))
}
