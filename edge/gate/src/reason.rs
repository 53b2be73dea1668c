//! Every `reason` token of the interface with its one HTTP status (ERR-008, ERR-011).
//!
//! From facts T§7.3 and F§0.2. The 405 of a wrong method has no token of its own: see [`crate::Refusal::with_status`].

/// One row a reason: what it means, its token, its status.
macro_rules! reasons {
    ($($(#[$doc:meta])+ $name:ident = $status:literal,)+) => {
        /// Why a request is refused, as the wire names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Reason {
            $($(#[$doc])+ $name,)+
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The token on the wire.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }

            /// The HTTP status it comes with.
            pub const fn status(self) -> u16 {
                match self {
                    $(Self::$name => $status,)+
                }
            }
        }
    };
}

reasons! {
    /// The account is closed.
    AccountClosed = 400,
    /// Too many accounts listed, or too many live orders of one account.
    AccountLimitExceeded = 400,
    /// An account of another type is needed; for example, a custody account cannot trade.
    AccountNotOfTypeRequired = 400,
    /// `account` was sent with a key that is no master key.
    AccountsOnGroupOnlyApi = 400,
    /// The withdrawal address is not an active approved one.
    AddressNotApproved = 400,
    /// Two kinds or two sets of credentials.
    AmbiguousAuthentication = 400,
    /// The caller's address is not on the key's list.
    ApiKeyIpFilteringFailure = 403,
    /// No auction is open.
    AuctionNotOpen = 400,
    /// An account type that does not exist.
    BadAccountType = 400,
    /// No such clearing order of the caller's.
    ClearingOrderNotFound = 404,
    /// A client order id that is no JSON string.
    ClientOrderIdMustBeString = 400,
    /// A client order id over 100 characters.
    ClientOrderIdTooLong = 400,
    /// The last code was given too long ago.
    CodeRequired = 403,
    /// The account name is taken within the group.
    ConflictingAccountName = 400,
    /// Two or more execution options.
    ConflictingOptions = 400,
    /// The account has no list of approved addresses.
    CryptoAddressWhitelistsNotEnabled = 400,
    /// The call's CSRF token is not the session's, or a page of another site makes it.
    CsrfMismatch = 403,
    /// Over the deposit limit.
    DepositLimitExceeded = 400,
    /// `request` in the payload is missing or is not the path called.
    EndpointMismatch = 400,
    /// No such path.
    EndpointNotFound = 404,
    /// The group is full.
    ExceededMaxAccountsInGroup = 400,
    /// A clearing id that is no JSON string.
    GTSTradeIDMustBeString = 400,
    /// The group has not agreed to the custody terms.
    HasNotAgreedToCustodyTerms = 400,
    /// Too late for an auction-only order.
    IneligibleTiming = 400,
    /// Not enough available balance.
    InsufficientFunds = 406,
    /// A bearer token that is unknown, expired or revoked.
    InvalidAccessToken = 401,
    /// No such account in the group.
    InvalidAccountName = 400,
    /// An account type that does not fit.
    InvalidAccountType = 400,
    /// No address of that network.
    InvalidAddress = 400,
    /// The API key is unknown, disabled or deleted.
    InvalidApiKey = 403,
    /// No bank of the account, or one that no wire has verified.
    InvalidBank = 400,
    /// A clearing id that cannot be read.
    InvalidClearingId = 400,
    /// A password or a code that is wrong.
    InvalidCredentials = 401,
    /// No such currency.
    InvalidCurrency = 400,
    /// The fund transfer failed.
    InvalidFundTransfer = 400,
    /// A generic bad field of the prediction markets.
    InvalidInput = 400,
    /// The payload is not a JSON object.
    InvalidJson = 400,
    /// The nonce is no number, not higher than the last, or outside the time window.
    InvalidNonce = 400,
    /// No such order type.
    InvalidOrderType = 400,
    /// A parameter without a reason of its own is wrong.
    InvalidParameterValue = 400,
    /// The price is wrong or off its increment.
    InvalidPrice = 400,
    /// The amount is wrong, too small or off its increment, or would trade with too many orders at once.
    InvalidQuantity = 400,
    /// Neither `buy` nor `sell`, or not the side that fits.
    InvalidSide = 400,
    /// The signature does not fit payload and secret, or the payload is not Base64.
    InvalidSignature = 400,
    /// A stop price that cannot be read.
    InvalidStopPrice = 400,
    /// A stop price on the wrong side of a buy's limit.
    InvalidStopPriceBuy = 400,
    /// A stop price too far from the limit.
    InvalidStopPriceRatio = 400,
    /// A stop price on the wrong side of a sell's limit.
    InvalidStopPriceSell = 400,
    /// No such symbol, or not for this caller.
    InvalidSymbol = 400,
    /// A timestamp that cannot be read.
    InvalidTimestampInPayload = 400,
    /// Down for maintenance.
    Maintenance = 503,
    /// The symbol's market is closed.
    MarketClosed = 400,
    /// The symbol does not take this order now.
    MarketNotOpen = 400,
    /// An account name is needed.
    MissingAccountName = 400,
    /// A master key did not say which account it means.
    MissingAccounts = 400,
    /// The API key header is absent.
    MissingApikeyHeader = 400,
    /// A name is needed.
    MissingName = 400,
    /// The payload holds no nonce.
    MissingNonce = 400,
    /// A required field of an order is absent.
    MissingOrderField = 400,
    /// The payload header is absent.
    MissingPayloadHeader = 400,
    /// A required payload field is absent.
    MissingPayloadKey = 400,
    /// The key has none of the roles needed.
    MissingRole = 403,
    /// No authentication header at all.
    MissingSecurityHeaders = 401,
    /// The signature header is absent.
    MissingSignatureHeader = 400,
    /// Several accounts where one is meant.
    MoreThanOneAccount = 400,
    /// The group has no account of the type needed.
    NoAccountOfTypeRequired = 400,
    /// The endpoint cannot act for a master key.
    NotGroupApiCompatible = 400,
    /// `options` is no array.
    OptionsMustBeArray = 400,
    /// No such order of the caller's.
    OrderNotFound = 404,
    /// No provider for this transfer.
    ProviderNotFound = 404,
    /// The quote is too old.
    QuoteExpired = 400,
    /// Too many requests.
    RateLimit = 429,
    /// The caller's address is not on the group's list.
    RemoteAddressForbidden = 403,
    /// The second factor was not given yet, or must be enrolled.
    SecondFactorRequired = 403,
    /// There is no session, or it has ended.
    SignInRequired = 401,
    /// A failure of the exchange itself.
    System = 500,
    /// No such network, or not for this token.
    UnsupportedNetwork = 404,
    /// No such execution option.
    UnsupportedOption = 400,
    /// The path is a WebSocket, and the request does not ask for one, or for another version of it.
    UpgradeRequired = 426,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each reason's token and status, written out a second time. Proves ERR-008, ERR-011.
    #[test]
    fn every_row_stands_as_documented() {
        let groups: &[(u16, &str)] = &[
            (401, "InvalidAccessToken InvalidCredentials MissingSecurityHeaders SignInRequired"),
            (403, "CodeRequired CsrfMismatch SecondFactorRequired"),
            (403, "ApiKeyIpFilteringFailure InvalidApiKey MissingRole RemoteAddressForbidden"),
            (404, "ClearingOrderNotFound EndpointNotFound OrderNotFound ProviderNotFound UnsupportedNetwork"),
            (406, "InsufficientFunds"),
            (426, "UpgradeRequired"),
            (429, "RateLimit"),
            (500, "System"),
            (503, "Maintenance"),
            (400, "AccountClosed AccountLimitExceeded AccountNotOfTypeRequired AccountsOnGroupOnlyApi"),
            (400, "AddressNotApproved InvalidBank"),
            (400, "AmbiguousAuthentication AuctionNotOpen BadAccountType ClientOrderIdMustBeString"),
            (400, "ClientOrderIdTooLong ConflictingAccountName ConflictingOptions DepositLimitExceeded"),
            (400, "CryptoAddressWhitelistsNotEnabled EndpointMismatch ExceededMaxAccountsInGroup"),
            (400, "GTSTradeIDMustBeString HasNotAgreedToCustodyTerms IneligibleTiming InvalidAccountName"),
            (400, "InvalidAccountType InvalidAddress InvalidClearingId InvalidCurrency InvalidFundTransfer"),
            (
                400,
                "InvalidInput InvalidJson InvalidNonce InvalidOrderType InvalidParameterValue InvalidPrice",
            ),
            (400, "InvalidQuantity InvalidSide InvalidSignature InvalidStopPrice InvalidStopPriceBuy"),
            (400, "InvalidStopPriceRatio InvalidStopPriceSell InvalidSymbol InvalidTimestampInPayload"),
            (400, "MarketClosed MarketNotOpen MissingAccountName MissingAccounts MissingApikeyHeader"),
            (400, "MissingName MissingNonce MissingOrderField MissingPayloadHeader MissingPayloadKey"),
            (400, "MissingSignatureHeader MoreThanOneAccount NoAccountOfTypeRequired NotGroupApiCompatible"),
            (400, "OptionsMustBeArray QuoteExpired UnsupportedOption"),
        ];
        let mut documented: Vec<(&str, u16)> =
            groups.iter().flat_map(|(status, names)| names.split(' ').map(|name| (name, *status))).collect();
        documented.sort_unstable();
        let mut built: Vec<_> = Reason::ALL.iter().map(|reason| (reason.name(), reason.status())).collect();
        built.sort_unstable();
        assert_eq!(built, documented);
    }
}
