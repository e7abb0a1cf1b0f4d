// The preview of a new job: a frame of what is typed, drawn anew soon after the last key, and at the time that the slider says.
"use strict";

(() => {
  const box = document.querySelector("[data-preview]");
  if (!box) return;
  const form = box.closest("form"), picture = box.querySelector("img"), slider = box.querySelector("input[type=range]");
  const at = box.querySelector("output"), say = box.querySelector("[data-say]"), notes = box.querySelector("[data-notes]");
  const play = box.querySelector("[data-play]"), rate = Number(box.dataset.rate) || 25;
  const pause = 150; // ms without a key before the farm is asked
  let timer = 0, asked = null, again = false, shown = "", playing = 0;

  // tell writes the time of the slider.
  function tell() {
    const n = Number(slider.value), s = n / rate;
    at.textContent = Math.floor(s / 60) + ":" + (s % 60).toFixed(2).padStart(5, "0");
    slider.setAttribute("aria-valuetext", said("Frame %d of %d", n, +slider.max) + ", " + at.textContent);
  }

  function list(words) {
    if (JSON.stringify(words) === notes.dataset.told) return;
    notes.dataset.told = JSON.stringify(words);
    notes.replaceChildren(...words.map((w) => Object.assign(document.createElement("li"), { textContent: w })));
  }

  function report(words) { if (say.textContent !== words) { say.textContent = words; say.classList.toggle("bad", words !== ""); } }

  // draw asks for the frame; one that was asked for before is not waited for. The last picture stays until there is another.
  async function draw() {
    asked?.abort();
    const own = asked = new AbortController();
    box.setAttribute("aria-busy", "true");
    const body = new URLSearchParams(new FormData(form));
    body.set("frame", slider.value);
    body.set("width", String(Math.max(160, Math.min(960, Math.round(picture.clientWidth * devicePixelRatio)))));
    try {
      const answer = await fetch("/new/preview", { method: "POST", body, signal: own.signal, headers: { Accept: "application/json" } });
      if (!answer.headers.get("Content-Type")?.startsWith("image/")) {
        const told = await answer.json();
        if (own === asked) refused(told);
        return;
      }
      const drawn = URL.createObjectURL(await answer.blob());
      if (own !== asked) { URL.revokeObjectURL(drawn); return; }
      picture.src = drawn;
      await picture.decode();
      if (shown) URL.revokeObjectURL(shown);
      shown = drawn;
      picture.alt = said("Preview of frame %s", answer.headers.get("Preview-Frame"));
      box.dataset.drawn = answer.headers.get("Preview-Frame");
      report("");
      list(JSON.parse(answer.headers.get("Preview-Notes") || "[]") || []);
    } catch (e) {
      if (own === asked) { stop(); report(said("The farm does not answer. The picture is from before.")); }
    } finally {
      if (own === asked) {
        asked = null;
        box.removeAttribute("aria-busy");
        if (again) { again = false; draw(); }
      }
    }
  }

  // refused says why there is no picture, and asks again where that is worth it: the template is being opened, or another page of the same
  // person has its turn.
  function refused(told) {
    stop();
    if (told.error) report(told.error.charAt(0).toUpperCase() + told.error.slice(1));
    if (told.again) { clearTimeout(timer); timer = setTimeout(draw, 1000); }
  }

  // slide draws at another time. While a frame is drawn the next one waits for it: otherwise none would ever be shown.
  function slide() {
    tell();
    if (asked) again = true; else draw();
  }

  function typed() {
    clearTimeout(timer);
    timer = setTimeout(draw, pause);
  }

  // playOn shows the frame whose time it is, as often as frames can be drawn, from where it began at the time since.
  async function playOn(first, since, own) {
    while (playing === own) {
      const all = Number(slider.max) + 1;
      slider.value = (first + Math.floor((performance.now() - since) / 1000 * rate)) % all;
      tell();
      await draw();
      await new Promise(requestAnimationFrame);
    }
  }

  function stop() { playing = 0; play.textContent = said("Play"); play.setAttribute("aria-pressed", "false"); }

  play.addEventListener("click", () => {
    if (playing) { stop(); return; }
    playing = performance.now();
    play.textContent = said("Pause"); play.setAttribute("aria-pressed", "true");
    playOn(Number(slider.value), playing, playing);
  });
  slider.addEventListener("input", () => { stop(); slide(); });
  // Space plays, wherever it would do nothing else.
  document.addEventListener("keydown", (e) => {
    if (e.key !== " " || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey || e.target !== document.body && e.target !== slider) return;
    e.preventDefault();
    play.click();
  });
  form.addEventListener("input", (e) => { if (e.target.matches("textarea, input, select") && e.target !== slider && /^field/.test(e.target.name)) typed(); });
  slider.disabled = play.disabled = false;
  tell();
  draw();
})();
