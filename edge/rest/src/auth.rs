//! Who may call a route.

/// Who may call a route, as the contract lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    /// Any client.
    Public,
    /// A key, on the one account it names or belongs to.
    Account,
    /// A master key, on the one account it names; to any other key it is closed (D-10).
    Master,
    /// A master key, on its group; to any other key it is closed (D-10).
    Group,
    /// A key, about itself.
    Session,
    /// The sandbox's own machine.
    Control,
}
