// Signals beside the page's own notices, which the user may choose: a sound, and a notice of the desktop while the page is not seen.
import { newest } from "../lists.js";
import { get } from "../preferences.js";
import { warn } from "../ui.js";
import { eventOf } from "./feed.js";
import { wordsOf } from "./words.js";

// A short tone; lower for what is bad.
function beep(isBad) {
  const audio = new AudioContext();
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = isBad ? 440 : 880;
  volume.gain.setValueAtTime(0.1, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.3);
  tone.connect(volume).connect(audio.destination);
  tone.onended = () => audio.close();
  tone.start();
  tone.stop(audio.currentTime + 0.3);
}

// Asks the browser for leave to show notices of the desktop. A browser that says no is told of.
export async function askForDesktop() {
  const leave = globalThis.Notification ? await Notification.requestPermission() : "denied";
  if (leave !== "granted") warn("This browser shows no notices of this site. Its settings for the site say why.");
}

// Gives the signals of new rows. One tag for each event: tabs of one browser show it once, whichever their account is.
export function signal(rows) {
  const list = rows.map((row) => ({ id: row.id, ...wordsOf(row) }));
  if (get("sound", "off") === "on") beep(list.some(({ tone }) => tone === "bad"));
  if (get("desktop", "off") !== "on" || !document.hidden || globalThis.Notification?.permission !== "granted") return;
  for (const { id, title, words } of newest(list, 3)) new Notification(title, { body: words, tag: eventOf(id) });
}
