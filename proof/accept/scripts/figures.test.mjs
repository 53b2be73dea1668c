// Figures as people read them, numbers as people type them, and prices of contracts in words.
import assert from "node:assert/strict";
import test from "node:test";
import { open, SPOT } from "./page.mjs";

const load = open({ page: SPOT });
const { amount, average, count, decimalsOf, dollars, filled, isDollar, money, placesOf, price, roundedTo, trimmed, volume, whole } =
  await load("figures.js");
const { plain, signed, wrongWith, wrongWithSigned } = await load("number.js");
const words = await load("predictions/words.js");
const { duration, when } = await load("predictions/times.js");

test("a figure that is not there is a dash, and zero is a figure", () => {
  const averageOf = (words) => average(words, 2);
  for (const write of [price, averageOf, dollars, amount, whole, volume]) {
    for (const none of [undefined, null, ""]) assert.equal(write(none), "–", write.name);
    assert.notEqual(write("0"), "–", write.name);
  }
});

test("half a unit is rounded away from zero", () => {
  for (const [given, places, wanted] of [["1.005", 2, "1.01"], ["1.00499", 2, "1.00"], ["-1.005", 2, "-1.01"], ["-1.004", 2, "-1.00"],
    ["9.995", 2, "10.00"], ["0.5", 0, "1"], ["0.49", 0, "0"], ["-0.4", 0, "0"], ["2", 3, "2.000"], ["2.5", 1, "2.5"]]) {
    assert.equal(roundedTo(given, places), wanted, `${given} to ${places}`);
  }
});

test("zeros are added and taken away without another digit", () => {
  assert.deepEqual([filled("1", 2), filled("1.2", 2), filled("1.234", 2), filled("1", 0)], ["1.00", "1.20", "1.234", "1"]);
  assert.deepEqual(["1.500", "1.000", "100", "0.010", "10.0"].map(trimmed), ["1.5", "1", "100", "0.01", "10"]);
  assert.deepEqual(["1", "1.", "1.25"].map(placesOf), [0, 0, 2]);
});

test("a price keeps all its digits and has the decimals of its market", () => {
  assert.equal(price("1234.5", 2), "1,234.50");
  assert.equal(price("0.123456", 2), "0.123456");
  assert.deepEqual([decimalsOf("DOGEUSD"), decimalsOf("btcusd"), decimalsOf("nosuch")], [5, 2, 2]);
});

test("an average has up to two decimals more than a price", () => {
  assert.equal(average("100.123456", 2), "100.1235");
  assert.equal(average("100.10001", 2), "100.10");
  assert.equal(average("1234.56789", 0), "1,234.57");
});

test("dollars have two decimals, amounts are cut", () => {
  assert.deepEqual(["1234.565", "1234.564", "-0.005", "0", "12"].map(dollars), ["1,234.57", "1,234.56", "-0.01", "0.00", "12.00"]);
  assert.equal(amount("0.123456789"), "0.12345678");
  assert.equal(amount("0.0000000019"), "0.000000001");
  assert.equal(amount("1", 8, 2), "1.00");
  assert.equal(money("2.345", "GUSD"), "2.35");
  assert.equal(money("2.3456789019", "BTC"), "2.34567890");
  assert.deepEqual(["USD", "gusd", "USDC", "", undefined].map(isDollar), [true, true, false, false, false]);
});

test("an amount that is sent has all its digits", () => {
  assert.equal(whole("1.50000", "BTC"), "1.5");
  assert.equal(whole("1.5000", "usd"), "1.50");
  assert.equal(whole("0.123456", "USD"), "0.123456");
  assert.equal(whole("1234567.000000001", "BTC"), "1,234,567.000000001");
});

test("counts and volumes have groups", () => {
  assert.deepEqual([count(1_234_567), count(999), count(undefined)], ["1,234,567", "999", "0"]);
  assert.equal(volume("123456.4"), "123,456");
  assert.equal(volume("1234567"), "1.23457M");
});

test("a typed number is read as it was meant or not at all", () => {
  for (const [typed, wanted] of [["1234.5", "1234.5"], ["1,234.5", "1234.5"], ["1,234.", "1234"], ["1,234,567", "1234567"], [" 1 234\u00a0567 ", "1234567"],
    [".5", "0.5"], ["5.", "5"], ["0", "0"], ["1,125", ""], ["12,345,67", ""], ["1,23.4", ""], ["0,500.1", ""], ["1,2345.6", ""], ["1.2.3", ""],
    ["1.234,5", ""], ["-5", ""], ["+5", ""], ["1e5", ""], [".", ""], ["", ""], ["abc", ""], ["0x10", ""]]) {
    assert.equal(plain(typed), wanted, typed);
  }
});

test("a number that is not read has a sentence", () => {
  for (const typed of ["", "  ", "0", "12.5", "1,234.5"]) assert.equal(wrongWith(typed), "", typed);
  assert.equal(wrongWith("1,125"), "“1,125” could be 1125 or 1.125. Write one of these. Write decimals with a point.");
  for (const typed of ["-1", "−1"]) assert.equal(wrongWith(typed), "Write a number above 0.");
  for (const typed of ["1,5", "12,345,67"]) assert.equal(wrongWith(typed), "This is not a number. Write decimals with a point.");
  assert.equal(wrongWith("1.5E3"), "Write all digits, without an exponent.");
  for (const typed of ["abc", "1.2.3", "$5"]) assert.equal(wrongWith(typed), "This is not a number. Write digits and a point alone.", typed);
});

test("a number with a sign is read by the same rules", () => {
  assert.deepEqual(["-5", " - 1,234.5", "5", "--5", "-", "-1,125"].map(signed), ["-5", "-1234.5", "5", "", "", ""]);
  assert.deepEqual(["-5", "5", ""].map(wrongWithSigned), ["", "", ""]);
  assert.equal(wrongWithSigned("-"), "Write digits.");
  assert.match(wrongWithSigned("-1,125"), /could be 1125 or 1\.125/);
});

test("prices of contracts are cents and chances per cent", () => {
  assert.deepEqual(["0.5", "0.50", "0.125", "0.01", "1"].map(words.cents), ["50¢", "50¢", "12.5¢", "1¢", "100¢"]);
  assert.deepEqual(["0.12345", "0.1235", "0.9995", "0.5", "0"].map(words.percent), ["12.3 %", "12.4 %", "100 %", "50 %", "0 %"]);
  assert.equal(words.opposite("0.37"), "0.63");
  assert.equal(words.spread("0.37", "0.41"), "0.04");
});

test("a chance is the middle of both quotes, else the last trade", () => {
  assert.equal(words.chance({ bid: "0.41", ask: "0.44", last: "0.9" }).value, "0.425");
  assert.equal(words.chance({ bid: "0.41", last: "0.9" }).value, "0.9");
  assert.equal(words.chance({ ask: "0.41" }), null);
});

test("an open event that takes no orders is halted", () => {
  const contracts = [{ marketState: "closed" }, { marketState: "open" }];
  assert.equal(words.standing({ status: "active", contracts }).words, "Open");
  assert.equal(words.standing({ status: "active", contracts: [contracts[0]] }).words, "Halted");
  assert.equal(words.standing({ status: "settled", contracts: [contracts[0]] }).words, "Settled");
  assert.equal(words.standing({ status: "new", contracts }).words, "new");
});

test("durations have two units", () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  for (const [millis, wanted] of [[-1, "0:00"], [999, "0:00"], [59_999, "0:59"], [hour - 1, "59:59"], [hour, "1 h 00 min"], [day - minute, "23 h 59 min"],
    [day, "1 d"], [25 * hour, "1 d 1 h"]]) {
    assert.equal(duration(millis), wanted, String(millis));
  }
  assert.equal(when(0), "1970-01-01 00:00 UTC");
  assert.equal(when(Date.UTC(2026, 1, 3, 4, 5, 6), { withSeconds: true }), "2026-02-03 04:05:06 UTC");
  assert.deepEqual([null, undefined, ""].map((time) => when(time)), ["–", "–", "–"]);
});
