// The player of results, on reviews and on jobs' pages: frame by frame, and two takes compared.
"use strict";

// playerOf lets a player, whose controls stand within root, show one of some takes. laid is called when a take is put on, told when a frame
// is shown, with its number in the result, from 0 on. Frames are called by the numbers that they have in the composition. With end it takes its hands
// off the page.
function playerOf(root, takes, take, { laid = () => {}, told = () => {}, preload = "auto" } = {}) {
  const $ = (id) => document.getElementById(id), NS = "http://www.w3.org/2000/svg", side = 10000, over = new AbortController();
  const stage = $("stage"), seek = $("seek"), place = $("place"), takeMenu = $("take"), otherMenu = $("other"), way = $("way"), wipe = $("wipe");
  const shapes = new CSSStyleSheet(), ratios = {};
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, shapes];
  let first = null, second = null, frame = 0, backwards = 0;
  let resting = null; // while a poster stands for the film that nobody has moved yet

  const rate = (t) => t.rate || 25;
  const steps = (t) => t.kind === "film" ? Math.max(1, t.total) : t.kind === "picture" ? 1 : Math.max(1, (t.frames || []).length);
  // number is the frame of the result that a place of the slider stands for, named the one that it is in the composition.
  const number = (t, n) => t.kind === "frames" ? ((t.frames || [])[n] ?? t.first) - t.first : n;
  const named = (t, n) => number(t, n) + t.first;
  const playing = () => first?.take.kind === "film" && !first.media.paused;

  function timecode(n, fps) {
    const base = Math.max(1, Math.round(fps)), two = (x) => String(x).padStart(2, "0"), s = Math.floor(n / base);
    return two(Math.floor(s / 3600)) + ":" + two(Math.floor(s / 60) % 60) + ":" + two(s % 60) + ":" + two(n % base);
  }

  // css gives a picture's box its shape. It is in a sheet of its own, since what is kept current may not copy an attribute of style.
  function css(which, ratio) {
    ratios[which] = ratio;
    return Object.entries(ratios).map(([name, r]) => ".stage .shot." + name + " { --ratio: " + r + "; }").join(" ");
  }

  function shot(t, which) {
    const box = document.createElement("div"), media = document.createElement(t.kind === "film" ? "video" : "img"), ink = document.createElementNS(NS, "svg");
    box.className = "shot " + which;
    if (which === "first") media.id = "player";
    if (t.kind === "film") { media.preload = preload; media.playsInline = true; media.muted = which === "second" || $("mute").getAttribute("aria-pressed") === "true"; media.setAttribute("aria-label", said("Take %d", t.number)); }
    if (t.kind === "film") waitForFilm(box, media);
    if (t.kind !== "frames") media.src = t.src;
    if (t.kind !== "film") media.alt = said("Take %d", t.number);
    const shaped = (w, h) => { if (w > 0 && h > 0) shapes.replaceSync(css(which, w / h)); };
    shaped(t.width, t.height);
    media.addEventListener(t.kind === "film" ? "loadedmetadata" : "load", () => shaped(media.videoWidth || media.naturalWidth, media.videoHeight || media.naturalHeight));
    ink.setAttribute("viewBox", "0 0 " + side + " " + side);
    ink.setAttribute("preserveAspectRatio", "none");
    ink.setAttribute("aria-hidden", "true");
    box.append(media, ink);
    stage.append(box);
    return { take: t, box, media, ink };
  }

  // to puts a player on a frame: in its middle, so that no rounding shows its neighbour.
  function to(s, n) {
    if (!s) return;
    const t = s.take, at = Math.min(n, steps(t) - 1);
    if (t.kind === "film") s.media.currentTime = (at + 0.5) / rate(t);
    if (t.kind === "frames" && (t.frames || []).length) { s.media.src = t.thumbs + named(t, at) + t.ext; s.media.alt = said("Frame %d", named(t, at)); }
  }

  function tell() {
    const n = number(take, frame);
    place.textContent = said("Frame %d of %d", named(take, frame), named(take, steps(take) - 1)) + " · " + timecode(n, rate(take));
    seek.value = String(frame);
    seek.setAttribute("aria-valuetext", said("Frame %d", named(take, frame)) + ", " + timecode(n, rate(take)));
    root.dataset.frame = String(n);
    told(n);
  }

  function go(n) {
    frame = Math.max(0, Math.min(steps(take) - 1, n));
    to(first, frame); to(second, frame);
    tell();
  }

  // uncover takes the poster away.
  function uncover() {
    if (!resting) return;
    resting.abort();
    resting = null;
    to(first, frame);
  }

  function stop() {
    clearInterval(backwards); backwards = 0;
    uncover();
    if (first?.take.kind === "film") first.media.pause();
    if (second?.take.kind === "film") second.media.pause();
    $("play").textContent = said("Play");
  }
  function play() {
    stop();
    if (take.kind !== "film") return;
    $("play").textContent = said("Pause");
    // A film that is halted before it has begun is halted; one that the browser does not play says so by its button.
    const refused = (e) => { if (e.name !== "AbortError") stop(); };
    for (const shown of [first, second]) if (shown?.take.kind === "film") shown.media.play().catch(refused);
  }
  function halt() { const was = frame; stop(); go(was); }
  function back() {
    halt();
    backwards = setInterval(() => { if (frame === 0) stop(); else go(frame - 1); }, 1000 / rate(take));
    $("play").textContent = said("Pause");
  }

  function follow(s) {
    if (s.take.kind !== "film") return;
    const shown = (_, meta) => {
      if (s !== first) return;
      const at = meta ? meta.mediaTime : s.media.currentTime;
      if (playing()) { frame = Math.min(steps(take) - 1, Math.floor(at * rate(take) + 0.01)); tell(); }
      if (second?.take.kind === "film" && playing() && Math.abs(second.media.currentTime - at) > 1.5 / rate(take)) second.media.currentTime = at;
      if (s.media.requestVideoFrameCallback) s.media.requestVideoFrameCallback(shown);
    };
    if (s.media.requestVideoFrameCallback) s.media.requestVideoFrameCallback(shown);
    else s.media.addEventListener("timeupdate", () => shown());
    if (s === first) s.media.addEventListener("play", () => { uncover(); $("play").textContent = said("Pause"); });
    s.media.addEventListener("ended", () => stop());
    s.media.addEventListener("loadedmetadata", () => {
      if (!s.take.rate && s.take.total > 1) s.take.rate = s.take.total / s.media.duration; // of a sequence
      if (!s.take.total) s.take.total = Math.max(1, Math.round(s.media.duration * rate(s.take)));
      seek.max = String(steps(take) - 1);
      to(s, frame); tell();
      if (s !== first || second || frame > 0) return;
      resting = new AbortController();
      posterOver(s.box, s.media, resting.signal);
    });
  }

  function lay() {
    stop();
    stage.replaceChildren();
    first = shot(take, "first");
    const other = takes.find((t) => t.id === otherMenu.value);
    second = other ? shot(other, "second") : null;
    stage.dataset.compare = second ? way.value : "off";
    wipe.hidden = !second || way.value !== "wipe";
    $("ways").hidden = !second;
    $("mute").hidden = take.kind !== "film";
    cut();
    follow(first);
    if (second) follow(second);
    seek.max = String(steps(take) - 1);
    laid();
    go(Math.min(frame, steps(take) - 1));
  }
  function cut() { if (second) second.box.style.clipPath = way.value === "wipe" ? "inset(0 0 0 " + wipe.value + "%)" : ""; }

  function others() {
    otherMenu.replaceChildren(new Option(said("nothing"), ""), ...takes.filter((t) => t !== take).map((t) => new Option(said("take %d", t.number), t.id)));
  }
  if (takeMenu) {
    for (const t of takes) takeMenu.append(new Option(t.waits ? said("%d, waits for approval", t.number) : String(t.number), t.id, false, t === take));
    takeMenu.closest("label").hidden = takes.length < 2;
    takeMenu.onchange = () => { take = takes.find((t) => t.id === takeMenu.value); others(); lay(); };
  }
  $("comparing").hidden = takes.length < 2;
  $("full").hidden = !document.fullscreenEnabled;
  otherMenu.onchange = way.onchange = lay;
  wipe.oninput = cut;
  seek.oninput = () => { stop(); go(Number(seek.value)); };
  $("back").onclick = () => { stop(); go(frame - 1); };
  $("ahead").onclick = () => { stop(); go(frame + 1); };
  $("play").onclick = () => playing() || backwards ? halt() : play();
  $("mute").onclick = () => {
    const off = $("mute").getAttribute("aria-pressed") !== "true";
    $("mute").setAttribute("aria-pressed", String(off));
    if (first?.take.kind === "film") first.media.muted = off;
  };
  $("full").onclick = () => document.fullscreenElement ? document.exitFullscreen() : stage.requestFullscreen();
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select, dialog, [role=log], [data-own-keys]") || e.key === " " && e.target.closest("button, a, summary")) return;
    if (e.key.length === 1 && e.key !== " " && document.getElementById("single-keys")?.checked === false) return;
    const does = { ",": () => { stop(); go(frame - 1); }, ".": () => { stop(); go(frame + 1); }, j: back, k: halt, l: play, " ": () => playing() || backwards ? halt() : play() };
    does.ArrowLeft = does[","]; does.ArrowRight = does["."];
    const act = does[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (act) { e.preventDefault(); act(); }
  }, { signal: over.signal });
  others();
  lay();
  return {
    go: (n) => go(take.kind === "frames" ? Math.max(0, (take.frames || []).indexOf(n + take.first)) : n), stop, halt,
    busy: () => playing() || backwards !== 0,
    playing, number: () => number(take, frame), take: () => take, ink: () => first?.ink,
    end: () => { stop(); over.abort(); document.adoptedStyleSheets = document.adoptedStyleSheets.filter((s) => s !== shapes); },
  };
}
