// The words of fields in the forms that are made by hand. The forms of all calls show the names of the contract.
export const LABELS = {
  account: "Account", accountnumber: "Account number", address: "Address", all: "All sockets", amount: "Amount", api_key: "Key",
  auction_time_ms: "When (ms)", blocks: "Blocks", broadcast: "Treats a payment so", broker: "Is a broker", category: "Category",
  clearing_id: "Clearing order", contracts: "Contracts", cross_collateral: "Cross collateral", currency: "Currency",
  deposit_usd_limit: "Dollars a month", depth: "Depth", dispute_seconds: "Dispute (seconds)", drop: "Payments vanish", eid: "Advance (eid)",
  email: "E-mail", every_seconds: "Every (seconds)", expiry_ms: "Trading ends (ms)", fault: "Fault", frames: "Frames", group: "Group",
  key: "Name of a key", max_leverage: "Highest leverage", memo: "Memo", method: "Method", name: "Name", outcomes: "Outcomes",
  password: "Password", paused: "No new stakes", price: "Price in dollars", provider_id: "Provider", rate_bps: "Basis points a year",
  reason: "Reason", redemption_seconds: "Redemption (seconds)", returned: "Goes back", roles: "Roles", routing: "Routing number",
  scope: "Scope (without: trading)", seconds: "Seconds", source: "Source", status: "Status", symbol: "Symbol", ticker: "Ticker",
  times: "Times", title: "Title", value: "Value", withdrawalId: "Withdrawal",
};
