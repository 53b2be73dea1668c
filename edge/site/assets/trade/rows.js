// Rows that stand where they are while their texts change. A text is written only when it is another one.

export function element(name, className = "", attributes = {}) {
  const made = document.createElement(name);
  if (className) made.className = className;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// Writes a text into an element that holds nothing else.
export function write(target, words) {
  if (target.words === words) return;
  target.words = words;
  target.textContent = words;
}

// Sets an attribute, or takes it away if there is none.
export function mark(target, name, value) {
  const kept = (target.marks ??= {});
  if (kept[name] === value) return;
  kept[name] = value;
  if (value === undefined || value === null || value === false) target.removeAttribute(name);
  else target.setAttribute(name, value === true ? "" : value);
}

export function size(target, part) {
  if (target.part === part) return;
  target.part = part;
  target.style.setProperty("--part", `${part}%`);
}

// How many rows have room in a place, and what happens when that changes. Returns a function that ends it.
export function onRoom(place, change) {
  const measure = () => {
    // A row is one line high.
    const line = parseFloat(getComputedStyle(place).lineHeight) || 24;
    const height = place.querySelector("tbody tr:not([hidden])")?.offsetHeight || line;
    const head = place.querySelector("thead")?.offsetHeight ?? 0;
    const count = Math.floor((place.clientHeight - head) / height);
    if (count > 0) change(count);
  };
  const observer = new ResizeObserver(measure);
  observer.observe(place);
  addEventListener("look", measure);
  return () => {
    observer.disconnect();
    removeEventListener("look", measure);
  };
}

// As many rows in a place as are wanted, made by `make` and kept.
export function keep(place, rows, count, make) {
  while (rows.length < count) {
    const row = make(rows.length);
    rows.push(row);
    place.append(row.line);
  }
  while (rows.length > count) rows.pop().line.remove();
  return rows;
}
