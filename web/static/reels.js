// The list of templates: the row that the pointer rests on, or that has the focus, plays frames of its template's first composition. They are asked for
// then only, and not at all by those who want less motion.
"use strict";

(() => {
  const frames = 6; // side by side in a picture
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  // fit gives the window on the frames the shape of one of them, as large as the place has room for.
  function fit(view, strip, place) {
    const shape = strip.naturalWidth / frames / strip.naturalHeight, width = Math.min(place.clientWidth, place.clientHeight * shape);
    view.style.width = width + "px"; view.style.height = width / shape + "px";
    place.dataset.ready = "";
  }

  function play(e) {
    const place = e.target.closest?.("tr")?.querySelector("[data-reel]");
    if (!place || still.matches || place.querySelector(".view")) return;
    const view = document.createElement("span"), strip = new Image();
    view.className = "view"; strip.alt = "";
    strip.addEventListener("load", () => fit(view, strip, place));
    strip.src = place.dataset.reel; // without frames there is no answer, and the poster stays
    view.append(strip); place.append(view);
  }

  document.addEventListener("pointerover", play);
  document.addEventListener("focusin", play);
})();
