// The player of reviews: frame by frame, two takes beside each other, comments and drawings on frames.
"use strict";

(() => {
  const main = document.querySelector("[data-review]");
  if (!main) return;
  const v = JSON.parse(main.dataset.review), $ = (id) => document.getElementById(id);
  const stage = $("stage"), seek = $("seek"), place = $("place"), takeMenu = $("take"), otherMenu = $("other"), way = $("way"), wipe = $("wipe"), form = $("say");
  const NS = "http://www.w3.org/2000/svg", side = 10000, mostPoints = 1200, mostLines = 60;
  const takes = v.takes || [];
  let take = takes.find((t) => t.id === v.job) || takes[0], first = null, second = null, frame = 0, remarks = [], lines = [], backwards = 0;

  const rate = (t) => t.rate || 25;
  const steps = (t) => t.kind === "film" ? Math.max(1, t.total) : t.kind === "picture" ? 1 : Math.max(1, (t.frames || []).length);
  // number is the frame that a place of the slider stands for.
  const number = (t, n) => t.kind === "frames" ? (t.frames || [])[n] ?? 0 : n;

  function timecode(n, fps) {
    const base = Math.max(1, Math.round(fps)), two = (x) => String(x).padStart(2, "0"), s = Math.floor(n / base);
    return two(Math.floor(s / 3600)) + ":" + two(Math.floor(s / 60) % 60) + ":" + two(s % 60) + ":" + two(n % base);
  }

  function shot(t, which) {
    const box = document.createElement("div"), media = document.createElement(t.kind === "film" ? "video" : "img"), ink = document.createElementNS(NS, "svg");
    box.className = "shot " + which;
    if (t.kind === "film") { media.preload = "auto"; media.playsInline = true; media.muted = which === "second"; media.setAttribute("aria-label", "Take " + t.number); }
    if (t.kind !== "frames") media.src = t.src;
    if (t.kind !== "film") media.alt = "Take " + t.number;
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
    if (t.kind === "frames" && (t.frames || []).length) { s.media.src = t.thumbs + number(t, at) + t.ext; s.media.alt = "Frame " + number(t, at); }
  }

  function tell() {
    const n = number(take, frame);
    place.textContent = "Frame " + n + " of " + number(take, steps(take) - 1) + " · " + timecode(n, rate(take));
    seek.value = String(frame);
    seek.setAttribute("aria-valuetext", "Frame " + n + ", " + timecode(n, rate(take)));
    main.dataset.frame = String(n);
    if ($("about")) $("about").textContent = "frame " + n;
    ink();
  }

  function go(n) {
    frame = Math.max(0, Math.min(steps(take) - 1, n));
    to(first, frame); to(second, frame);
    tell();
  }

  const playing = () => first?.take.kind === "film" && !first.media.paused;
  function stop() {
    clearInterval(backwards); backwards = 0;
    if (first?.take.kind === "film") first.media.pause();
    if (second?.take.kind === "film") second.media.pause();
    $("play").textContent = "Play";
  }
  function play() {
    stop();
    if (take.kind !== "film") return;
    first.media.play();
    if (second?.take.kind === "film") second.media.play();
    $("play").textContent = "Pause";
  }
  function halt() { const was = frame; stop(); go(was); }
  function back() {
    halt();
    backwards = setInterval(() => { if (frame === 0) stop(); else go(frame - 1); }, 1000 / rate(take));
    $("play").textContent = "Pause";
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
    s.media.addEventListener("ended", () => stop());
    s.media.addEventListener("loadedmetadata", () => {
      if (!s.take.rate && s.take.total > 1) s.take.rate = s.take.total / s.media.duration; // of a sequence
      if (!s.take.total) { s.take.total = Math.max(1, Math.round(s.media.duration * rate(s.take))); seek.max = String(steps(take) - 1); }
      to(s, frame); tell();
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
    cut();
    follow(first);
    if (second) follow(second);
    seek.max = String(steps(take) - 1);
    const link = $("download");
    link.hidden = !take.download;
    if (take.download) link.href = take.download;
    pen();
    go(Math.min(frame, steps(take) - 1));
    list();
  }
  function cut() { if (second) second.box.style.clipPath = way.value === "wipe" ? "inset(0 0 0 " + wipe.value + "%)" : ""; }

  function choices() {
    for (const t of takes) {
      takeMenu.append(new Option(String(t.number) + (t.waits ? ", waits for approval" : ""), t.id, false, t === take));
    }
    takeMenu.closest("label").hidden = takes.length < 2;
    $("comparing").hidden = takes.length < 2;
    others();
  }
  function others() {
    otherMenu.replaceChildren(new Option("nothing", ""), ...takes.filter((t) => t !== take).map((t) => new Option("take " + t.number, t.id)));
  }

  // ink draws what was drawn on the frame that is shown, and what is being drawn.
  function ink() {
    if (!first) return;
    const n = number(take, frame), here = playing() ? [] : remarks.filter((r) => r.take === take.id && r.frame === n).flatMap((r) => r.drawing || []);
    first.ink.replaceChildren(...[...here.map((s) => [s.Colour, s.Points]), ...lines.filter((l) => l.frame === n).map((l) => [l.Colour, l.Points])].map(([colour, points]) => {
      const line = document.createElementNS(NS, "polyline");
      line.setAttribute("class", colour);
      line.setAttribute("points", points.join(" "));
      return line;
    }));
  }

  function pen() {
    const on = $("draw")?.getAttribute("aria-pressed") === "true", pad = first.ink;
    pad.classList.toggle("drawing", on);
    let line = null;
    const at = (e) => {
      const r = pad.getBoundingClientRect(), within = (x) => Math.max(0, Math.min(side, Math.round(x * side)));
      return [within((e.clientX - r.left) / r.width), within((e.clientY - r.top) / r.height)];
    };
    pad.onpointerdown = (e) => {
      if (!pad.classList.contains("drawing") || lines.length >= mostLines) return;
      e.preventDefault();
      halt();
      pad.setPointerCapture(e.pointerId);
      line = { frame: number(take, frame), Colour: $("colour").value, Points: at(e) };
      lines.push(line);
      $("clear").hidden = false;
      ink();
    };
    pad.onpointermove = (e) => {
      if (!line || lines.reduce((n, l) => n + l.Points.length / 2, 0) >= mostPoints) return;
      const [x, y] = at(e), p = line.Points;
      if (Math.hypot(x - p[p.length - 2], y - p[p.length - 1]) > 60) { p.push(x, y); ink(); }
    };
    pad.onpointerup = pad.onpointercancel = () => { line = null; };
  }

  function list() {
    const items = remarks.filter((r) => r.take === take.id).map((r) => {
      const item = document.createElement("li"), who = document.createElement("b"), words = document.createElement("p");
      who.textContent = r.name; who.dir = "auto";
      words.textContent = r.text; words.dir = "auto";
      item.append(who, " ");
      if (r.verdict) item.append(r.verdict + " ");
      if (r.inside) item.append("(team only) ");
      if (r.frame !== null) {
        const jump = document.createElement("button");
        jump.type = "button";
        jump.textContent = "Frame " + r.frame + (r.drawing?.length ? ", with a drawing" : "");
        jump.onclick = () => { stop(); go(take.kind === "frames" ? Math.max(0, (take.frames || []).indexOf(r.frame)) : r.frame); };
        item.append(jump);
      }
      item.append(words);
      return item;
    });
    $("remarks").replaceChildren(...items);
    ink();
  }

  let asked = 0, heard = 0, looks = 0, sending = false;
  async function refresh() {
    const mine = ++asked;
    try {
      const answer = await fetch(v.base + "/remarks", { headers: { Accept: "application/json" } });
      if (answer.status === 404 || answer.status === 410) { over((await answer.json()).error); return; }
      if (!answer.ok) return;
      const now = await answer.json();
      if (mine < heard) return; // a later look knows more
      heard = mine;
      if (JSON.stringify(now) !== JSON.stringify(remarks)) { remarks = now; list(); }
    } catch { /* the next look may find the farm again */ }
  }

  // over tells who has the page open that its link was revoked or has expired, and asks no more.
  function over(message) {
    clearInterval(looks);
    if ($("problem")) $("problem").textContent = message;
  }

  async function say(verdict) {
    if (sending) return; // a second press says nothing new
    const text = $("text").value.trim(), n = number(take, frame), drawing = lines.filter((l) => l.frame === n).map(({ Colour, Points }) => ({ Colour, Points }));
    if (v.guest && !$("name").reportValidity()) return;
    const problem = $("problem");
    problem.textContent = "";
    if (!verdict && !text && !drawing.length) { problem.textContent = "Write or draw something first."; return; }
    if (verdict === "rejected" && !text) { problem.textContent = "Say what is wrong with it."; $("text").focus(); return; }
    sending = true;
    try {
      const body = JSON.stringify({ take: take.id, name: v.guest ? $("name").value : "", text, frame: verdict && !drawing.length ? null : n, drawing, verdict: verdict || "", inside: !!$("inside")?.checked });
      const answer = await fetch(v.base + "/remarks", { method: "POST", body, headers: { Accept: "application/json", "Content-Type": "application/json" } });
      const told = await answer.json();
      if (!answer.ok) { problem.textContent = told.error; return; }
      $("text").value = "";
      lines = []; $("clear").hidden = true;
      await refresh();
    } catch { problem.textContent = "The farm does not answer. What you wrote is still here."; } finally { sending = false; }
  }

  takeMenu.onchange = () => { take = takes.find((t) => t.id === takeMenu.value); others(); lay(); };
  otherMenu.onchange = way.onchange = lay;
  wipe.oninput = cut;
  seek.oninput = () => { stop(); go(Number(seek.value)); };
  $("back").onclick = () => { stop(); go(frame - 1); };
  $("ahead").onclick = () => { stop(); go(frame + 1); };
  $("play").onclick = () => playing() || backwards ? halt() : play();
  if (form) {
    form.onsubmit = (e) => { e.preventDefault(); say(""); };
    for (const b of form.querySelectorAll("[data-verdict]")) b.onclick = () => say(b.dataset.verdict);
    $("draw").onclick = () => { $("draw").setAttribute("aria-pressed", String($("draw").getAttribute("aria-pressed") !== "true")); pen(); };
    $("clear").onclick = () => { lines = []; $("clear").hidden = true; ink(); };
    $("text").onfocus = () => { if (playing() || backwards) halt(); };
  }
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select") || e.key === " " && e.target.closest("button, a")) return;
    const does = { ",": () => { stop(); go(frame - 1); }, ".": () => { stop(); go(frame + 1); }, j: back, k: halt, l: play, " ": () => playing() || backwards ? halt() : play() };
    does.ArrowLeft = does[","]; does.ArrowRight = does["."];
    const act = does[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (act) { e.preventDefault(); act(); }
  });
  if (!take) { place.textContent = "There is nothing to look at yet."; return; }
  choices();
  lay();
  refresh();
  looks = setInterval(() => { if (!document.hidden) refresh(); }, 5000);
})();
