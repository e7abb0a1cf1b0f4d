// The contact sheet of a table: a frame of each row, drawn one after the other, since a person has one preview at a time. The first rows, and those in
// view, are drawn, those in view first; pictures of rows out of view are given up when there are many.
"use strict";

(() => {
  const drawn = new Map(); // addresses of pictures, by what they are of
  const kept = 200; // pictures that are remembered
  const first = 24; // rows that are drawn even out of view
  let frame = "", working = false, again = 0, gone = new AbortController();

  const sheet = () => document.querySelector("[data-contacts]");
  const wanted = () => [...document.querySelectorAll("[data-contacts] [data-shot]:not([data-shot=''])")];
  const keyOf = (card) => frame + " " + card.dataset.shot;

  // show puts the pictures that there are on their cards.
  function show() {
    for (const card of wanted()) {
      const picture = drawn.get(keyOf(card)), img = card.querySelector("img");
      if (!picture) continue;
      if (picture.src && img.getAttribute("src") !== picture.src) img.src = picture.src;
      img.hidden = !picture.src;
      if (picture.src) img.alt = said("Frame %d of line %d", frame, +img.dataset.frameOf);
      card.querySelector("[data-note]").textContent = picture.words;
      card.toggleAttribute("data-drawn", true);
    }
  }

  function keep(key, picture) {
    drawn.set(key, picture);
    if (drawn.size <= kept) return;
    const [oldest, old] = drawn.entries().next().value;
    drawn.delete(oldest);
    if (old.src) URL.revokeObjectURL(old.src);
  }

  // ask draws one card. It tells whether it is worth going on at once.
  async function ask(card, key) {
    const body = new URLSearchParams({ job: card.dataset.shot, frame, width: String(Math.min(480, Math.max(160, Math.round(card.clientWidth * devicePixelRatio)))) });
    const answer = await fetch("/new/table/frame", { method: "POST", body, signal: gone.signal, headers: { Accept: "application/json" } });
    if (answer.headers.get("Content-Type")?.startsWith("image/")) {
      keep(key, { src: URL.createObjectURL(await answer.blob()), words: "" });
      return true;
    }
    const told = await answer.json();
    if (told.again) return false;
    keep(key, { src: "", words: told.error || said("This row cannot be previewed.") });
    return true;
  }

  // inView tells whether a card can be seen, or will be after a turn of the wheel.
  function inView(card) {
    const place = card.getBoundingClientRect();
    return place.bottom > -innerHeight / 2 && place.top < innerHeight * 1.5;
  }

  async function work() {
    if (working) return;
    working = true;
    clearTimeout(again);
    try {
      for (;;) {
        const left = wanted().filter((card, i) => (i < first || inView(card)) && !drawn.has(keyOf(card))).sort((a, b) => inView(b) - inView(a));
        const say = sheet()?.querySelector("[data-contacts-say]");
        if (say) say.textContent = left.length ? counted(left.length, "Drawing %d frame…", "Drawing %d frames…") : "";
        if (left.length === 0) break;
        if (!(await waitFor(left[0], ask(left[0], keyOf(left[0]))))) { again = setTimeout(work, 1000); break; }
        show();
      }
    } catch (e) {
      working = false;
      if (e.name === "AbortError") return;
      const say = sheet()?.querySelector("[data-contacts-say]");
      if (say) say.textContent = said("The farm does not answer. Frames are drawn again in a moment.");
      again = setTimeout(work, 5000);
    }
    working = false;
  }

  function begin() {
    const slider = sheet()?.querySelector("[data-frame]");
    if (!slider) return;
    if (frame === "") frame = slider.value; else slider.value = frame;
    tell(slider);
    show();
    work();
  }

  // tell writes the time of the slider.
  function tell(slider) {
    const s = Number(slider.value) / (Number(slider.dataset.rate) || 25), at = Math.floor(s / 60) + ":" + (s % 60).toFixed(2).padStart(5, "0");
    sheet().querySelector("[data-frame-at]").textContent = at;
    slider.setAttribute("aria-valuetext", said("Frame %d of %d, %s", +slider.value, +slider.max, at));
  }

  // goTo leads from a card to its row: to the cell with the mistake, or to the first one that can be edited.
  function goTo(e) {
    const link = e.target.closest("[data-contacts] a[href^='#row-']"), row = link && document.getElementById(link.hash.slice(1));
    const cell = row?.querySelector("textarea[aria-invalid=true]") || row?.querySelector("textarea");
    if (!cell) return;
    e.preventDefault();
    cell.focus();
    cell.scrollIntoView({ block: "center", inline: "nearest" });
  }

  let moved = 0;
  const look = () => { cancelAnimationFrame(moved); moved = requestAnimationFrame(() => { show(); work(); }); };
  addEventListener("scroll", look, { passive: true });
  addEventListener("resize", look);
  addEventListener("pagehide", () => { clearTimeout(again); gone.abort(); gone = new AbortController(); });
  addEventListener("pageshow", (e) => { if (e.persisted) begin(); });
  document.addEventListener("click", goTo);
  document.addEventListener("input", (e) => { if (e.target.matches("[data-frame]")) tell(e.target); });

  document.addEventListener("put", (e) => { if (e.detail === "table") begin(); });
  document.addEventListener("change", (e) => {
    if (!e.target.matches("[data-frame]")) return;
    frame = e.target.value;
    for (const card of wanted()) card.removeAttribute("data-drawn");
    begin();
  });
  begin();
})();
