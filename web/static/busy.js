// What is waited for: it is marked while the page waits, and app.css shows that after a moment, everywhere in the same way.
"use strict";

const waitedFor = new WeakMap(); // how many answers a part of the page waits for

// waitFor marks a part of the page, if there is one, until a promise has ended, and gives what came of it.
async function waitFor(part, promise) {
  if (!part) return promise;
  waitedFor.set(part, (waitedFor.get(part) || 0) + 1);
  part.setAttribute("aria-busy", "true");
  try {
    return await promise;
  } finally {
    const left = waitedFor.get(part) - 1;
    waitedFor.set(part, left);
    if (left === 0) part.removeAttribute("aria-busy");
  }
}

// waitForFilm marks a box while its film has no frame to show.
function waitForFilm(box, film) {
  box.dataset.waits = said("Loading…");
  for (const begins of ["loadstart", "waiting", "seeking"]) film.addEventListener(begins, () => box.setAttribute("aria-busy", "true"));
  // A browser that has enough for now suspends its loading, whether it shows a frame or not.
  for (const ends of ["loadeddata", "playing", "seeked", "canplay", "suspend", "error", "emptied"]) film.addEventListener(ends, () => box.removeAttribute("aria-busy"));
}
