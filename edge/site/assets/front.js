// Keeps the front page's market table current.
const body = document.getElementById("markets");
for (const origin of document.getElementsByClassName("origin")) origin.textContent = location.origin;

const say = (text) => { document.getElementById("clock").textContent = text; };

async function refresh() {
  try {
    const reply = await fetch("/site/market.json", { cache: "no-store" });
    const { message, now_ms, rows } = await reply.json();
    // In maintenance, say: it answers, and says why not.
    if (!reply.ok) return say(message);
    say(new Date(now_ms).toISOString().replace("T", " ").slice(0, 19) + " UTC");
    if (rows.length === 0) return;
    body.replaceChildren(...rows.map((row) => {
      const line = document.createElement("tr");
      for (const name of ["symbol", "last", "change", "bid", "ask"]) {
        const cell = document.createElement("td");
        cell.textContent = row[name];
        if (name === "change" && row[name]) cell.className = row[name].startsWith("-") ? "down" : "up";
        line.append(cell);
      }
      return line;
    }));
  } catch {
    say("the exchange does not answer");
  }
}
refresh();
setInterval(refresh, 2000);
