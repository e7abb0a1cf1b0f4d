// The strip of a job's page: what is known of the frame under the pointer, and frames that are picked to be rendered again.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id), film = () => byId("film"), field = () => byId("again-frames");
  const first = () => Number(film().dataset.first), last = () => first() + Math.max(1, Number(film().dataset.total)) - 1;
  const within = (frame) => Math.min(last(), Math.max(first(), frame));

  // ---- who rendered a frame, and how long it took ----
  let shown, times = { of: [] }, asked = 0; // times: what single frames took, where machines have told that
  function wordsOf(frame) {
    const runs = JSON.parse(byId("timeline")?.dataset.runs || "[]"), holds = (run) => frame >= run.first && frame <= run.last;
    return (times.of.findLast(holds) || runs.findLast(holds))?.words || "";
  }
  async function askTimes() {
    const button = byId("slowest");
    if (!button || Date.now() - asked < 5000) return;
    asked = Date.now();
    try {
      const answer = await fetch(button.dataset.times);
      if (answer.ok) { times = await answer.json(); tellSlowest(); tell(); }
    } catch { asked = 0; } // the farm is away; it is asked again when it says something
  }
  function tellSlowest() {
    const button = byId("slowest");
    if (!button) return;
    button.hidden = !times.slowest || !film();
    if (times.slowest) button.textContent = times.slowest.words;
  }
  document.addEventListener("click", (e) => {
    if (!e.target.closest?.("#slowest") || !film()) return;
    showFrame(film(), times.slowest.frame, true);
    film().focus();
  });
  function tell() {
    const place = byId("frame-words");
    if (shown === undefined || !place || !film()) return;
    const words = wordsOf(shown), line = said("Frame %d", shown) + (words ? ". " + words : "");
    place.textContent = line;
    film().setAttribute("aria-valuetext", line);
    const number = byId("peek")?.children[1];
    if (number && film().matches(":hover")) number.textContent = line;
  }
  document.addEventListener("frameshown", (e) => { shown = e.detail; tell(); });

  // ---- frames that are picked: the field has them ----
  const read = () => field().value.split(/[,;\s]+/).filter(Boolean).map((word) => word.split(/[-–]/).map(Number))
    .map(([from, to = from]) => [from, to]).filter(([from, to]) => Number.isInteger(from) && Number.isInteger(to) && from <= to);

  // joined puts ranges in order, those that touch as one.
  function joined(ranges) {
    const all = [];
    for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
      if (all.length && from <= all.at(-1)[1] + 1) all.at(-1)[1] = Math.max(all.at(-1)[1], to);
      else all.push([from, to]);
    }
    return all;
  }
  const without = (ranges, frame) => ranges.flatMap(([from, to]) => frame < from || frame > to ? [[from, to]] : [[from, frame - 1], [frame + 1, to]].filter(([a, b]) => a <= b));
  function write(ranges) {
    field().value = joined(ranges).map(([from, to]) => from === to ? "" + from : from + "-" + to).join(", ");
    field().form.dataset.touched = "1";
    draw();
  }
  const picked = (frame) => read().some(([from, to]) => frame >= from && frame <= to);

  // draw marks the picked frames on the strip.
  function draw() {
    film()?.querySelector(".picks")?.remove();
    if (!field() || !film()) return;
    const marks = document.createElement("div"), strip = film().querySelector("ol").getBoundingClientRect(), box = film().getBoundingClientRect();
    marks.className = "picks";
    const total = last() - first() + 1, scale = strip.width / total;
    for (const [from, to] of read()) {
      if (to < first() || from > last()) continue;
      const mark = document.createElement("i");
      mark.style.left = strip.left - box.left + (within(from) - first()) * scale + "px";
      mark.style.width = Math.max(2, (within(to) - within(from) + 1) * scale) + "px";
      marks.append(mark);
    }
    if (marks.children.length) film().append(marks);
  }
  document.addEventListener("put", (e) => { tell(); tellSlowest(); draw(); if (e.detail === "timeline") setTimeout(askTimes, 1000); });
  document.addEventListener("input", (e) => { if (e.target === field()) draw(); });
  addEventListener("resize", draw);

  // ---- by mouse: drag over frames; Shift goes on from the last one, Ctrl or Command adds or removes one ----
  let anchor, drag;
  function frameAt(x) {
    const box = film().querySelector("ol").getBoundingClientRect();
    return within(first() + Math.floor((last() - first() + 1) * (x - box.left) / box.width));
  }
  document.addEventListener("pointerdown", (e) => {
    if (!field() || e.button !== 0 || !e.target.closest?.("#film")) return;
    const frame = frameAt(e.clientX);
    if (e.ctrlKey || e.metaKey) { toggle(frame); anchor = frame; return; }
    if (e.shiftKey && anchor !== undefined) { write([...read(), [Math.min(anchor, frame), Math.max(anchor, frame)]]); return; }
    anchor = frame;
    drag = { x: e.clientX, before: read() };
  });
  document.addEventListener("pointermove", (e) => {
    if (!drag || !field() || !film() || Math.abs(e.clientX - drag.x) < 4 && !drag.moved) return;
    drag.moved = true;
    const frame = frameAt(e.clientX);
    write([...drag.before, [Math.min(anchor, frame), Math.max(anchor, frame)]]);
  });
  document.addEventListener("dragstart", (e) => { if (field() && e.target.closest?.("#film")) e.preventDefault(); }); // the pictures stay where they are
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => { drag = undefined; });
  const toggle = (frame) => write(picked(frame) ? without(read(), frame) : [...read(), [frame, frame]]);

  // ---- by keys on the strip ----
  let reach; // the end of what Shift and an arrow key have picked from the anchor on, and what was picked before
  document.addEventListener("keydown", (e) => {
    if (e.target.id !== "film" || !field() || e.ctrlKey || e.metaKey || e.altKey) return;
    const now = Number(film().getAttribute("aria-valuenow"));
    if (e.key === " ") { e.preventDefault(); toggle(now); anchor = now; reach = undefined; return; }
    if (e.key === "Escape" && field().value) { write([]); reach = undefined; return; }
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[e.key];
    if (!e.shiftKey || !step) { if (step) reach = undefined; return; }
    e.preventDefault();
    reach ||= { from: now, at: now, before: read() };
    reach.at = within(reach.at + step);
    write([...reach.before, [Math.min(reach.from, reach.at), Math.max(reach.from, reach.at)]]);
    film().setAttribute("aria-valuenow", reach.at);
    shown = reach.at;
    tell();
  });
  draw();
  askTimes();
})();
