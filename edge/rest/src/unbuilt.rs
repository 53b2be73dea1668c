//! Paths of the specification that are not built yet. The answer says so, so that a caller does not search for a
//! mistake of its own.

/// Each as a whole, or up to the last slash.
const UNBUILT: &[&str] = &[
    "/auth",
    "/auth/revoke",
    "/auth/token",
    "/auth/token/revoke",
    "/v1/account/transfer/",
    "/v1/addresses/",
    "/v1/approvedAddresses/",
    "/v1/balances/staking",
    "/v1/clearing/",
    "/v1/custody/fee-transfers",
    "/v1/custodyaccountfees",
    "/v1/deposit/",
    "/v1/fundingamount/",
    "/v1/fundingamountreport/",
    "/v1/margin",
    "/v1/margin/",
    "/v1/marketdata/",
    "/v1/multimarketdata",
    "/v1/network/",
    "/v1/nextfundingtimestamp/",
    "/v1/oauth/revokeByToken",
    "/v1/order/events",
    "/v1/payments/",
    "/v1/perpetuals/",
    "/v1/positions",
    "/v1/prediction-markets/",
    "/v1/riskstats/",
    "/v1/staking/",
    "/v1/transactions",
    "/v1/transfers",
    "/v1/withdraw/",
    "/v2/marketdata",
    "/v2/network/",
    "/v2/networks/",
    "/v2/transfers",
    "/v2/withdraw/",
];

/// Every one of them, as it stands in the list.
pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    UNBUILT.iter().copied()
}

/// Whether the specification has this path and the exchange does not have it yet.
pub(crate) fn is_unbuilt(path: &str) -> bool {
    UNBUILT.iter().any(|known| {
        if known.ends_with('/') {
            path.strip_prefix(known).is_some_and(|rest| !rest.is_empty())
        } else {
            path == *known
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::ROUTES;

    #[test]
    fn what_is_built_is_not_called_unbuilt() {
        for route in ROUTES {
            assert!(!is_unbuilt(route.path), "{route:?} is built: take it out of the list");
        }
    }

    #[test]
    fn only_whole_segments_count() {
        for path in [
            "/v1/margin",
            "/v1/fundingamount/btcgusdperp",
            "/v1/account/transfer/usd",
            "/v1/transactions",
            "/auth/revoke",
        ] {
            assert!(is_unbuilt(path), "{path}");
        }
        for path in
            ["/v1/margins", "/v1/fundingamount", "/v1/fundingamount/", "/v1/accounts", "/v1/nowhere", "/"]
        {
            assert!(!is_unbuilt(path), "{path}");
        }
    }
}
