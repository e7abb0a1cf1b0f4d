// Film strips: the frame under the pointer is shown; on a job's page a click or the arrow keys go to it.
"use strict";

const scrubbing = () => document.querySelector("#film:hover, #film:focus-visible") !== null;
const framesOf = (film) => film.dataset.frames.split(" ").filter(Boolean).map(Number);

// pictureAt is the frame that has a picture nearest to a place on the strip, undefined when none has.
function pictureAt(film, x) {
  const box = film.querySelector("ol").getBoundingClientRect();
  const frame = Number(film.dataset.first) + Number(film.dataset.total) * (x - box.left) / box.width;
  return framesOf(film).reduce((a, b) => a === undefined || Math.abs(b - frame) < Math.abs(a - frame) ? b : a, undefined);
}

// showFrame shows a frame of the job whose page this is: on the screen while it renders, in the player when asked to seek.
function showFrame(film, frame, seek) {
  if (film.id !== "film" || frame === undefined) return;
  film.setAttribute("aria-valuenow", frame);
  film.setAttribute("aria-valuetext", said("Frame %d", frame));
  document.dispatchEvent(new CustomEvent("frameshown", { detail: frame }));
  const player = byId("player"), screen = byId("screen");
  if (screen) {
    const shown = screen.querySelector("img") || new Image();
    shown.src = film.dataset.pictures + frame + ".jpg"; shown.alt = said("Frame %d", frame);
    if (!shown.parentNode) screen.replaceChildren(shown);
  } else if (player && seek) {
    document.dispatchEvent(new CustomEvent("frame", { detail: frame }));
  }
}

function films() {
  const peek = byId("peek");
  if (!peek) return;
  const hide = () => { peek.hidden = true; };
  document.addEventListener("pointermove", (e) => {
    const film = e.target.closest?.(".film[data-frames]"), frame = film ? pictureAt(film, e.clientX) : undefined;
    if (frame === undefined) { hide(); return; }
    const [picture, number] = peek.children, address = film.dataset.pictures + frame + ".jpg";
    if (picture.getAttribute("src") !== address) picture.src = address;
    number.textContent = said("Frame %d", frame);
    peek.hidden = false;
    const strip = film.getBoundingClientRect(), above = strip.top - peek.offsetHeight - 8;
    peek.style.left = Math.max(8, Math.min(e.clientX - peek.offsetWidth / 2, innerWidth - peek.offsetWidth - 8)) + "px";
    peek.style.top = (above > 8 ? above : strip.bottom + 8) + "px";
    showFrame(film, frame, false);
  });
  document.documentElement.addEventListener("pointerleave", hide);
  document.addEventListener("scroll", hide, { capture: true, passive: true });
  document.addEventListener("click", (e) => {
    const film = e.target.closest?.("#film");
    if (film) showFrame(film, pictureAt(film, e.clientX), true);
  });
  document.addEventListener("keydown", (e) => {
    if (e.target.id !== "film" || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
    const frames = framesOf(e.target), now = Number(e.target.getAttribute("aria-valuenow"));
    const next = frames.find((f) => f > now), last = frames.findLast((f) => f < now);
    const to = { ArrowRight: next, ArrowUp: next, ArrowLeft: last, ArrowDown: last, Home: frames[0], End: frames.at(-1) };
    if (!(e.key in to)) return;
    e.preventDefault();
    showFrame(e.target, to[e.key], true);
  });
}

films();
