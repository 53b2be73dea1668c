//! Who may call a route.

/// Who may call a route, as the contract lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    /// Any client.
    Public,
    /// A key, an access token or a browser, on the one account it names or belongs to, or that the browser's user chose.
    Account,
    /// A master key or a browser, on the one account it names; to any other caller it is closed (D-10).
    Master,
    /// A master key or a browser, on its group; an access token too where the route has a scope, on the one account that granted it
    /// (OAUTH-023). To any other caller it is closed (D-10).
    Group,
    /// A key, an access token or a browser, about itself.
    Session,
    /// An access token, about itself; to keys and browsers it is closed (OAUTH-025).
    Token,
    /// The sandbox's own machine.
    Control,
}

impl Auth {
    /// Its name in the contract.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Account => "account",
            Self::Master => "master",
            Self::Group => "group",
            Self::Session => "session",
            Self::Token => "token",
            Self::Control => "control",
        }
    }
}
