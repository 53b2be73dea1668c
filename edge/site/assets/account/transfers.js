// What comes to the account and leaves it, with how far each has come.
import { totalOf } from "../lists.js";
import { url } from "../page.js";
import { Region, html } from "../ui.js";
import { listPaced } from "./calls.js";
import { useEvery, useFollowed } from "./live.js";
import { Long, Time, timeTitle } from "./parts.js";
import { Table, sums } from "./table.js";

// The exchange lists transfers once in five seconds, so this page reads them again a little slower.
const [PAUSE, REFRESH] = [5_200, 6_500];

// The most that the exchange lists at once.
const MOST = 50;
const REST = { href: url("/account/statement"), words: "The statement has all" };

const WORDS = { AdminCredit: "Credit", AdminDebit: "Debit" };

function State({ transfer }) {
  const { status, confirmations, requiredConfirmations, message } = transfer;
  const isPending = status !== "Complete";
  return html`<span class=${`tag ${isPending ? "warn" : "good"}`} data-status=${status}>${status}</span>
    ${requiredConfirmations !== undefined && isPending && html` <span data-confirmations>${confirmations ?? 0} of ${requiredConfirmations}
      </span> confirmations`}
    ${message && html` <span class="note">${message}</span>`}`;
}

const COLUMNS = [
  { title: timeTitle("Time"), cell: ({ timestampms }) => html`<${Time} at=${timestampms} />` },
  { title: "Kind", cell: ({ type }) => WORDS[type] ?? type },
  sums("Amount", "amount", { unit: ({ currency }) => currency }),
  sums("Fee", "feeAmount", { currencyOf: ({ feeCurrency }) => feeCurrency, unit: ({ feeCurrency }) => feeCurrency ?? "" }),
  { title: "State", cell: (transfer) => html`<${State} transfer=${transfer} />` },
  { title: "Way", cell: ({ network, method, purpose }) => network ?? method ?? purpose ?? "–" },
  { title: "To", cell: ({ destination }) => html`<${Long} text=${destination} />` },
  { title: "Transaction", cell: ({ txHash }) => html`<${Long} text=${txHash} />` },
];

// A page that makes transfers passes what `useTransfers` gives, so that its acts can load them again.
export function useTransfers() {
  const load = () => listPaced("transfers", PAUSE, "/v2/transfers", { limit_transfers: MOST });
  const followed = useFollowed(load, ["balances@account"]);
  // No stream reports a payment that waits for confirmations.
  useEvery(REFRESH, followed[2]);
  return followed;
}

export function Transfers({ transfers: [state, rows, retry], next }) {
  const empty = rows?.length === 0 && html`<p>Deposits and withdrawals would stand here, with their confirmations.</p>
    ${next ?? html`<p><a class="button" href=${url("/account/money")}>Make a deposit address</a></p>`}`;
  return html`<${Region} name="transfers" title="Transfers" state=${state} retry=${retry} empty=${empty}>
    <${Table} label="Transfers" columns=${COLUMNS} rows=${rows ?? []} total=${totalOf(rows ?? [], MOST)}
      rest=${{ what: "transfers", link: REST }} keyOf=${({ eid }) => eid}
      marks=${({ eid }) => ({ "data-transfer": eid })} /></${Region}>`;
}
