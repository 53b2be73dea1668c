//! The notes of control calls that are commands of operators.

/// `/sandbox/accounts`.
pub(super) const OPEN_ACCOUNT: &[&str] =
    &["The first character of a name is a letter or a digit. The short name is the name in lower case with \
     `-` for each space. With the same seed, ids of accounts repeat, whatever the order of calls."];

/// `/sandbox/accounts/close`.
pub(super) const CLOSE: &[&str] =
    &["An account closes without live orders, transfers under way and money; the refusal names what is \
     left, to the last decimal. A closed account is read, listed and renamed. Its orders and incoming \
     transfers are refused with 400 `AccountClosed`."];

/// `/sandbox/groups/addresses`.
pub(super) const GROUP_FROM: &[&str] =
    &["At most 100 addresses or blocks, IPv4 or IPv6. A block whose address has bits beyond its prefix is \
     refused. A call must fit the group's list and the key's."];

/// `/sandbox/keys`.
pub(super) const ADD_KEY: &[&str] =
    &["Administrator is for master keys. A name must be unique among the keys of the group that have not \
     ended."];

/// `/sandbox/keys/disable`.
pub(super) const DISABLE: &[&str] =
    &["The change holds for every call that is not yet admitted, and refusals use no nonce. Orders stay \
     unless `cancel_orders` is true; those of a key with `require_heartbeat` are cancelled 30 seconds \
     after its last accepted call."];

/// `/sandbox/keys/end`.
pub(super) const END: &[&str] = &["An ended key stays ended, and its secret is removed."];

/// `/sandbox/keys/addresses`.
pub(super) const KEY_FROM: &[&str] =
    &["At most 100 addresses or blocks, IPv4 or IPv6. A block whose address has bits beyond its prefix is \
     refused."];

/// `/sandbox/deposits/assign`.
pub(super) const ASSIGN: &[&str] =
    &["A payment may be assigned before it has all confirmations; the account is then credited when it has \
     them."];

/// `/sandbox/halt`.
pub(super) const HALT: &[&str] =
    &["A halt of an asset refuses its withdrawals and bank credits with 503. Payments from chains are seen \
     and wait, and the resume credits them. Trading, internal transfers and payments under way go on."];

/// `/sandbox/nonces/reset`.
pub(super) const RESET_NONCES: &[&str] = &[
    "Every nonce may then be used again, so old requests of the key may be repeated too. Calls of the key \
     that wait at that moment are refused. The reset outlives a restart.",
];
