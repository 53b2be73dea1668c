// What a tab keeps from one page to the next. A browser that keeps nothing for a site throws at every use: the page works all the same, and
// forgets when it ends.
const forgotten = new Map();

export function kept(place) {
  try {
    return sessionStorage.getItem(place);
  } catch (failure) {
    console.info(failure.message);
    return forgotten.get(place) ?? null;
  }
}

export function keep(place, text) {
  try {
    sessionStorage.setItem(place, text);
  } catch (failure) {
    console.info(failure.message);
    forgotten.set(place, text);
  }
}
