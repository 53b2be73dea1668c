// Times and durations as these pages write them.
import { moment } from "../time.js";

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];
const padded = (number) => String(number).padStart(2, "0");

// A time of the exchange, in milliseconds or as it stands in an answer, to the minute or to the second.
export function when(time, { withSeconds = false } = {}) {
  if (time === null || time === undefined || time === "") return "–";
  const words = moment(typeof time === "number" ? time : Date.parse(time));
  return withSeconds ? words : words.replace(/(\d\d:\d\d):\d\d/, "$1");
}

// How long something lasts: its two largest units, to the second below an hour.
export function duration(millis) {
  const all = Math.max(0, Math.floor(millis / 1_000));
  const [days, hours, minutes] = [Math.floor(all / DAY), Math.floor((all % DAY) / HOUR), Math.floor((all % HOUR) / MINUTE)];
  if (days) return hours ? `${days} d ${hours} h` : `${days} d`;
  if (hours) return `${hours} h ${padded(minutes)} min`;
  return `${minutes}:${padded(all % MINUTE)}`;
}
