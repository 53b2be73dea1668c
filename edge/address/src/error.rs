//! Why a text is not an address of its network.

/// A refusal of [`crate::Params::parse`]. The text completes "the address is refused: …".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Longer than any address.
    #[error("it is longer than any address")]
    TooLong,
    /// A character outside the network's alphabet, such as a space.
    #[error("it contains a character that addresses of this network do not use")]
    Character,
    /// Upper and lower case in a format that permits one case.
    #[error("it mixes upper and lower case")]
    Case,
    /// The checksum, or the EIP-55 mix of cases, does not fit.
    #[error("its checksum is wrong")]
    Checksum,
    /// The prefix or version byte belongs to another network, another chain or another kind of address.
    #[error("its prefix is not one of this network's addresses")]
    Prefix,
    /// Too few or too many bytes, or bits of padding that are not zero.
    #[error("its length is wrong")]
    Length,
    /// A form of the network that payments do not use, such as filecoin's `f0…`.
    #[error("it names its recipient in a form that is not paid to")]
    Recipient,
}
