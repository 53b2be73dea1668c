// Exact decimals, of which every sum of the pages is made.
import assert from "node:assert/strict";
import test from "node:test";
import { open } from "./page.mjs";

const { change, compare, difference, floorTo, grouped, isDecimal, product, ratio, read, rounded, short, step, sum, text } =
  await open()("decimal.js");
const written = (combine, ...words) => text(combine(...words.map(read)));

test("a decimal is read and written with all its digits", () => {
  for (const words of ["0", "7", "-7", "0.00", "1.50", "-0.005", "0.000000000000000001", "123456789012345678901234567890.12"]) {
    assert.equal(text(read(words)), words);
  }
  assert.deepEqual(read("-0.05"), { digits: -5n, places: 2 });
  assert.deepEqual(read(10_000), { digits: 10_000n, places: 0 });
  for (const words of ["abc", "1e5", "1,000", "--1"]) assert.throws(() => read(words), SyntaxError, words);
});

test("sums, differences and products are exact", () => {
  assert.equal(written(sum, "0.1", "0.2"), "0.3");
  assert.equal(written(sum, "9007199254740993", "0.00000001"), "9007199254740993.00000001");
  assert.equal(written(difference, "1", "0.00000001"), "0.99999999");
  assert.equal(written(difference, "0.5", "2.25"), "-1.75");
  assert.equal(written(product, "1.10", "2.5"), "2.750");
  assert.equal(written(product, "-0.01", "0.01"), "-0.0001");
});

test("decimals compare by value, whatever their places", () => {
  for (const [one, other, order] of [["1.0", "1.00", 0], ["0", "-0.00", 0], ["0.1", "0.09", 1], ["-1", "0.5", -1], ["9", "10", -1],
    ["9007199254740993", "9007199254740992", 1]]) {
    assert.equal(compare(read(one), read(other)), order, `${one} and ${other}`);
  }
});

test("an amount is digits with at most one point between them", () => {
  for (const words of ["0", "10", "0.5", "00.50"]) assert.ok(isDecimal(words), words);
  for (const words of ["", ".", "1.", ".5", "-1", "+1", "1e3", " 1", "1\n", "1,0", "1.2.3", "١", undefined, null]) {
    assert.ok(!isDecimal(words), String(words));
  }
});

test("a step leads onto a multiple of the increment, not below zero", () => {
  for (const [words, increment, count, wanted] of [["1.00", "0.01", 1, "1.01"], ["1.00", "0.01", -1, "0.99"], ["", "0.5", 1, "0.5"],
    ["1.005", "0.01", 1, "1.01"], ["1.005", "0.01", -1, "1.00"], ["1.005", "0.01", -2, "0.99"], ["7", "5", 1, "10"], ["7", "5", -1, "5"],
    ["0.01", "0.01", -5, "0.00"], ["3", "1", 10, "13"]]) {
    assert.equal(step(words, increment, count), wanted, `${words} by ${count} of ${increment}`);
  }
});

test("an amount is cut to the increment and never rounded up", () => {
  for (const [words, increment, wanted] of [["1.2399", "0.01", "1.23"], ["1.23", "0.01", "1.23"], ["1", "0.01", "1.00"], ["0.0099", "0.01", "0.00"],
    ["17", "5", "15"], ["0.00000003", "0.00000002", "0.00000002"]]) {
    assert.equal(floorTo(words, increment), wanted, `${words} to ${increment}`);
  }
});

test("groups stand before the point alone", () => {
  for (const [words, wanted] of [["999", "999"], ["1000", "1,000"], ["1234567.8901234", "1,234,567.8901234"], ["-999", "-999"],
    ["-1234.5", "-1,234.5"], ["100000", "100,000"], ["0.0001", "0.0001"]]) {
    assert.equal(grouped(words), wanted);
  }
});

test("a short decimal drops digits, but not the first of a small one", () => {
  for (const [words, places, wanted] of [["1.23999", 2, "1.23"], ["5", 2, "5"], ["5.9", 0, "5"], ["0.00012345", 2, "0.0001"], ["0.01", 2, "0.01"],
    ["0.001", 2, "0.001"], ["-0.0005", 2, "-0.0005"], ["0.000", 2, "0.00"], ["1.0001", 2, "1.00"], ["0.5", 0, "0.5"]]) {
    assert.equal(short(words, places), wanted, `${words} with ${places}`);
  }
});

test("a volume has six digits, half a unit rounded up", () => {
  for (const [words, wanted] of [["0", "0"], ["100.00", "100"], ["999999.4", "999999"], ["999999.5", "1M"], ["1000000", "1M"],
    ["1234564.9", "1.23456M"], ["1234565", "1.23457M"], ["999999500000", "1T"], ["999999499999", "999.999B"], ["1234567890123456", "1234.57T"],
    ["0.00012345678", "0.000123457"], ["12345.650", "12345.7"]]) {
    assert.equal(rounded(read(words)), wanted, words);
  }
});

test("a ratio drops its fraction, and nothing divides by zero", () => {
  assert.equal(ratio(read("0.3"), read("0.1"), 1), 3n);
  assert.equal(ratio(read("7"), read("2"), 1), 3n);
  assert.equal(ratio(read("7"), read("2"), 100), 350n);
  assert.equal(ratio(read("7"), read("0.00"), 100), 0n);
});

test("a change has its sign and hundredths of a per cent", () => {
  for (const [from, to, wanted] of [["100", "101", "+1.00 %"], ["3", "2", "-33.33 %"], ["100", "100", "+0.00 %"], ["100", "99.99", "-0.01 %"],
    ["0.5", "1.50", "+200.00 %"], ["0", "5", "+0.00 %"]]) {
    assert.equal(change(from, to), wanted, `${from} to ${to}`);
  }
});
