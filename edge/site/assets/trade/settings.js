// What a user sets for trading: confirmations, the bound of market orders, preset amounts, the layout. Kept with the preferences.
import { get, set, subscribe } from "../preferences.js";
import { useEffect, useState } from "../ui.js";
import { amountText, bare, isContract, isPositive, lot, market, ONE, symbol, toAmount } from "./market.js";
import { top } from "./feed.js";

// Kinds of orders that may ask before they are sent: "always", "never", or an amount above which they do.
export const FIRST = {
  confirm: { market: "always", limit: "never", far: "always", stop: "never" },
  // Hundredths of a per cent: how far a market order goes beyond the best price, and from where on a limit counts as far.
  bound: 100,
  far: 100,
  preset: "pro",
  hidden: [],
  step: {},
  amounts: {},
};

export const settings = () => ({ ...FIRST, ...get("trade", {}), confirm: { ...FIRST.confirm, ...get("trade", {}).confirm } });
export const change = (part) => set("trade", { ...get("trade", {}), ...part });

export function useSettings() {
  const [value, setValue] = useState(settings());
  useEffect(() => subscribe("trade", () => setValue(settings())), []);
  return value;
}

// Totals that the first preset amounts come near to, in the quote currency.
const TOTALS = [100n, 500n, 1_000n, 5_000n, 10_000n];
const CONTRACTS = ["10", "50", "100", "500", "1000"];

// The largest round amount (1, 2 or 5, then zeros) that is not above another, and not below the least order.
function round(amount) {
  const least = toAmount(market.minimum);
  const unit = 10n ** BigInt(amount.toString().length - 1);
  const rounded = [5n, 2n, 1n].map((digit) => digit * unit).find((one) => one <= amount) ?? 0n;
  const one = toAmount(lot);
  const onLot = (rounded / one) * one;
  return onLot < least ? least : onLot;
}

// The five preset amounts of this market.
export function amounts() {
  const kept = settings().amounts[symbol];
  if (kept) return kept;
  if (isContract) return CONTRACTS;
  const { middle } = top.get();
  if (!middle) return [];
  const places = 10n ** BigInt(amountText(0n).split(".")[1]?.length ?? 0);
  const found = TOTALS.map((total) => bare(amountText(round((total * ONE * places) / middle || 1n))));
  return found.filter((amount) => isPositive(amount));
}

// What is kept of this market beside that of others, of so many at most: preferences have little room.
const MOST = 30;
const ofMarket = (name, value) => {
  const { [symbol]: _, ...others } = settings()[name];
  return { [name]: Object.fromEntries([...Object.entries(others).slice(1 - MOST), [symbol, value]]) };
};
export const keepAmounts = (list) => change(ofMarket("amounts", list));
export const keepStep = (step) => change(ofMarket("step", step));
