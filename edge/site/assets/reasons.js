// Refusals as people read them. The exchange's own texts are for programs: they name reasons, fields and paths. Each reason has a sentence
// here; a text of the exchange that says more, such as an amount, is shown where it is one for people too.

const CODE = "Your last one-time code is more than five minutes old. Give a new one, then do this again.";
const MONEY = "The account does not have the money for this.";
const NO_CALL = "This page asked for something that the exchange does not offer. Load the page again.";
const NONCE = "The exchange has taken a newer call of this browser. Try it again.";
const RIGHTS = "Your role does not allow this.";
const STOP = "The stop price does not fit the price of the order.";

const SENTENCES = {
  AccountClosed: "The account is closed.", AccountLimitExceeded: "The account has reached the most that it may have of this.",
  AccountNotOfTypeRequired: "An account of this kind cannot do this.", AccountsOnGroupOnlyApi: RIGHTS,
  AddressNotApproved: "The address is not approved for withdrawals.", AuctionNotOpen: "No auction takes orders now.",
  BadAccountType: "An account of this kind cannot do this.", ClearingOrderNotFound: "There is no clearing order with this id.",
  CodeRequired: CODE, ConflictingAccountName: "An account of the group has this name already.",
  ConflictingOptions: "These choices of the order do not go together.",
  CryptoAddressWhitelistsNotEnabled: "Approved addresses are not in use for this account.",
  CsrfMismatch: "This page is older than your session. Load it again.",
  DepositLimitExceeded: "This is more than may be moved in the time of the limit.", EndpointMismatch: NO_CALL, EndpointNotFound: NO_CALL,
  ExceededMaxAccountsInGroup: "The group has as many accounts as it may have.",
  HasNotAgreedToCustodyTerms: "The terms of custody have not been agreed to.", IneligibleTiming: "It is too early or too late for this.",
  InsufficientFunds: MONEY, InvalidAccessToken: "Your session has ended. Sign in again.",
  InvalidAccountName: "There is no such account in your group.", InvalidAccountType: "There is no such kind of account.",
  InvalidAddress: "This is no address on this network.", InvalidBank: "This bank is not linked to the account.",
  InvalidClearingId: "This is no id of a clearing order.", InvalidCredentials: "The e-mail address or the password is wrong.",
  InvalidCurrency: "This currency cannot be used here.", InvalidFundTransfer: "This transfer is not possible.",
  InvalidInput: "A value is missing or wrong.", InvalidJson: "This page sent what the exchange cannot read. Load the page again.",
  InvalidNonce: NONCE, InvalidOrderType: "This market does not take orders of this type.", InvalidParameterValue: "A value is missing or wrong.",
  InvalidPrice: "The price is no multiple of the market's step, or out of its range.",
  InvalidQuantity: "The amount is no multiple of the market's step, or out of its range.", InvalidSide: "An order buys or sells.",
  InvalidStopPrice: STOP, InvalidStopPriceBuy: "The stop price of a buy is at its price or below.", InvalidStopPriceRatio: STOP,
  InvalidStopPriceSell: "The stop price of a sale is at its price or above.", InvalidSymbol: "There is no such market.",
  Maintenance: "The exchange is under maintenance. Try again in a few minutes.", MarketClosed: "The market is closed.",
  MarketNotOpen: "The market does not take this now.", MissingAccountName: "Choose an account first.", MissingRole: RIGHTS,
  NoAccountOfTypeRequired: "The group has no account of the kind that this needs.", OrderNotFound: "The order is not live any more.",
  ProviderNotFound: "There is no such provider of staking.", QuoteExpired: "The quote has expired. Ask for a new one.",
  RateLimit: "This was asked for too often. Wait a moment and try again.", RemoteAddressForbidden: "This is not allowed from this address.",
  SecondFactorRequired: "Give your second factor first.", SignInRequired: "Your session has ended. Sign in again.",
  TERMS_NOT_ACCEPTED: "The account's group has not accepted the latest terms.",
  System: "The exchange made a mistake, which it has noted. Try again later.", UnsupportedNetwork: "This network is not in use here.",
  UnsupportedOption: "This market does not take orders with this choice.",
};

// The words of what failed since the session of the page has ended, by which regions know it. That it has ended is said by the banner alone.
export const SIGNED_OUT = "You are signed out.";

// Reasons whose sentence says everything: the exchange's text beside it is for programs.
const WHOLE = ["CodeRequired", "CsrfMismatch", "EndpointMismatch", "EndpointNotFound", "InvalidAccessToken", "InvalidJson", "InvalidNonce",
  "Maintenance", "MissingRole", "RateLimit", "SecondFactorRequired", "SignInRequired", "System",
  "TERMS_NOT_ACCEPTED"];

// The refusal of an operator's halt has the reason of a failure, and this text.
const HALTED = /^[\w ]+ (is|are) halted\b/;

// Text for programs: a path, a reason before a colon, a field's name, a header, the parts of a call.
const PROGRAM = [/(^|[\s(])\/[a-z][\w{}/.-]*/, /\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b/, /\b[a-z]+(?:_[a-z]+)+\b/, /\b[a-z]+[A-Z]\w*/,
  /\b(X-[A-Z]|JSON|HTTP|payload|nonce|header|parameter|query string)\b/i];
export const isForPrograms = (words) => PROGRAM.some((pattern) => pattern.test(words));

// Names of fields between quotes, as words.
const worded = (words) => words.replace(/^Field '/, "The field '").replace(/'([a-z]+(?:_[a-z]+)*|[a-z]+(?:[A-Z][a-z]+)+)'/g,
  (_, name) => name.replace(/_/g, " ").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));

const ended = (words) => words.replace(/[.\s]*$/, ".");

// The sentence of a refusal. `message` is the exchange's text, `status` that of its reply.
export function sentenceOf({ reason = "", message = "", status = 0 }) {
  if (reason === "System" && HALTED.test(message)) return /^Trading/.test(message) ? "Trading is halted. Only cancels are taken."
    : ended(message.split(/[,;:]/)[0]);
  if (WHOLE.includes(reason)) return SENTENCES[reason];
  const words = message ? worded(message) : "";
  if (words && !isForPrograms(words)) return ended(words);
  return SENTENCES[reason] ?? `The exchange refuses this${status ? ` (status ${status})` : ""}.`;
}

// Why an order, or the rest of it, ended: what follows "because".
const ENDS = {
  AuctionCancelled: "its auction left it over", ExceedsPriceLimits: "the price was further away than the exchange lets one trade go",
  FillOrKillWouldNotFill: "it cannot be filled whole at once", ImmediateOrCancelWouldPost: "no order stands against the rest of it at its price",
  InsufficientFunds: "the account has too little money of its own for it",
  MakerOrCancelWouldTake: "it would have traded at once, and was only to rest", MarketClosed: "its market is closed", Requested: "it was asked for",
  SelfCrossPrevented: "it would have met another order of your own", TradingClosed: "the account was being liquidated",
  Uncovered: "the account could not pay for it any more",
};
export const endOf = (reason) => ENDS[reason] ?? "the exchange ended it";
