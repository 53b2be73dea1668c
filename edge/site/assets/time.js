// Times as a user reads them, in the zone that the user chose: UTC at first.
import { get } from "./preferences.js";

/** @type {Intl.DateTimeFormatOptions} */
const PARTS = {
  year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
  timeZoneName: "short",
};
const formats = new Map();

function made(zone) {
  try {
    return new Intl.DateTimeFormat("en-GB", { ...PARTS, timeZone: zone });
  } catch (failure) {
    // A zone that this browser does not know, chosen in another one, or no zone at all.
    console.warn(failure);
    return null;
  }
}

function format(zone) {
  if (!formats.has(zone)) formats.set(zone, made(zone));
  return formats.get(zone) ?? format("UTC");
}

// The zone in which times are shown.
export function zone() {
  const chosen = get("zone", "UTC");
  return format(chosen) === format("UTC") ? "UTC" : chosen;
}

const parts = (millis) => Object.fromEntries(
  format(get("zone", "UTC")).formatToParts(millis).map(({ type, value }) => [type, value]));

/** @param {Record<string, string>} parts */
const dayOf = ({ year, month, day }) => `${year}-${month}-${day}`;
/** @param {Record<string, string>} parts */
const clockOf = ({ hour, minute, second }) => `${hour}:${minute}:${second}`;

// Such as "2026-11-28", "07:23:45", and both with the zone's name.
export const day = (millis) => dayOf(parts(millis));
export const clock = (millis) => clockOf(parts(millis));
export function moment(millis) {
  const found = parts(millis);
  return `${dayOf(found)} ${clockOf(found)} ${found.timeZoneName}`;
}

// A mark of a chart's axis. `isDaily`: each candle is a day or more, which begins at midnight in UTC whatever the zone.
export function axisMark(millis, isDaily) {
  const found = Object.fromEntries(
    format(isDaily ? "UTC" : get("zone", "UTC")).formatToParts(millis).map(({ type, value }) => [type, value]));
  const isMidnight = found.hour === "00" && found.minute === "00";
  return isDaily || isMidnight ? `${found.month}-${found.day}` : `${found.hour}:${found.minute}`;
}

// The zones to choose from: UTC, this computer's, then all others.
export function zones() {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [...new Set(["UTC", here, ...Intl.supportedValuesOf("timeZone")])];
}
