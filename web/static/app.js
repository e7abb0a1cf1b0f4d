// The dashboard's few moves: live parts of a page, forms, keys. Pages work without it but do not move.
"use strict";

const byId = (id) => document.getElementById(id);

// ---- live parts: the farm sends rendered pieces of the page; each takes the place of the piece with its id ----
let topic = document.body.dataset.live, retry = 500, heard = 0, socket = null;

// follow keeps the page current about something else from now on.
function follow(other) {
  if (other === topic) return;
  topic = document.body.dataset.live = other;
  if (socket) { socket.stop(); connect(); } // otherwise it is connected again in a moment
}

function connect() {
  socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/live?topic=" + encodeURIComponent(topic) + "&language=" + document.documentElement.lang);
  // A coordinator whose machine is gone ends nothing: it is silent. It says something every 15 seconds otherwise.
  heard = Date.now();
  const watch = setInterval(() => {
    if (Date.now() - heard > (mine.readyState === WebSocket.OPEN ? 40000 : 8000)) end({ code: 0 });
  }, 1000);
  const stop = () => { clearInterval(watch); mine.onopen = mine.onmessage = mine.onclose = null; mine.close(); };
  const mine = socket;
  socket.stop = stop;
  const end = (e) => {
    stop();
    socket = null;
    if (e.code === 1008) { location.reload(); return; } // signed out
    if (e.code === 1013) { // too many pages are open; what is shown stays as it is
      say(said("Live updates are off: %s", e.reason));
      setTimeout(connect, 30000);
      return;
    }
    lose();
    setTimeout(connect, retry + Math.random() * retry);
    retry = Math.min(retry * 2, 10000);
  };
  socket.onopen = () => { retry = 500; heard = Date.now(); regain(); };
  socket.onmessage = (m) => {
    heard = Date.now();
    const part = JSON.parse(m.data);
    if (part.elsewhere) elsewhere = part.elsewhere;
    if (part.html !== undefined) put(part.id, part.html);
    if (part.rows) renewRows(part.id, part.rows);
    if (part.reset) byId("log")?.replaceChildren();
    if (part.lines) addLines(part.lines);
    if (part.notice) document.dispatchEvent(new CustomEvent("notice", { detail: part.notice }));
  };
  socket.onclose = end;
}

// ---- another coordinator: when the one that this page came from is gone for some seconds, the page goes on at another, with what
// was filled in. It is let in there by a code that works once; the page got it while it was connected, and sends it by a form, since
// looking at the code's address signs nobody in. ----
const moveAfter = 3000;
let elsewhere = { others: [], code: "" }, lost = false, wanted = "", seeking = 0;

function lose() {
  if (lost) return;
  lost = true;
  say(elsewhere.others.length ? said("Reconnecting to another coordinator of the farm…") : said("Live updates are paused. Trying again…"));
  if (elsewhere.others.length) seeking = setTimeout(seek, moveAfter);
}

function regain() {
  const to = wanted;
  lost = false; wanted = ""; clearTimeout(seeking); byId("lost").hidden = true;
  if (to) location.assign(to);
}

function say(words) { const box = byId("lost"); box.textContent = words; box.hidden = false; }

const serves = (base) => fetch(base + "/readyz", { cache: "no-store", signal: AbortSignal.timeout(2000) }).then((r) => r.ok, () => false);

async function seek() {
  clearTimeout(seeking);
  const asked = await Promise.all([serves(""), ...elsewhere.others.map(serves)]);
  if (!lost) return;
  const there = elsewhere.others.filter((_, i) => asked[i + 1]);
  if (asked[0] || there.length === 0 || document.querySelector("[data-busy]")) { seeking = setTimeout(seek, 2000); return; }
  const base = there[Math.floor(Math.random() * there.length)];
  say(said("Connecting to %s…", base.replace(/^https?:\/\//, "")));
  const form = Object.assign(document.createElement("form"), {
    method: "post", hidden: true,
    action: base + "/sign-in/" + elsewhere.code + "?to=" + encodeURIComponent(wanted || location.pathname + location.search) + (wanted ? "" : filledIn()),
  });
  document.body.append(form);
  form.submit();
}

// While nobody would answer, forms are not sent and links are followed at the other coordinator.
document.addEventListener("submit", (e) => {
  if (!lost) return;
  e.preventDefault(); e.stopImmediatePropagation();
  if (!elsewhere.others.length) { say(said("Not sent: the farm does not answer. Your input is kept; send it again once this message is gone.")); return; }
  say(said("Not sent: connecting to another coordinator of the farm. Your input is kept."));
  seek();
}, true);
document.addEventListener("click", (e) => {
  const link = e.target.closest?.("a[href]");
  if (!lost || !link || link.origin !== location.origin || link.target || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  wanted = link.pathname + link.search;
  if (elsewhere.others.length) seek();
  else say(said("The farm does not answer. This page opens “%s” as soon as it does.", link.textContent.trim().slice(0, 40)));
}, true);

// filledIn is what was filled into the page's forms, as the end of an address, which browsers keep to themselves. Passwords and
// files do not go along.
function filledIn() {
  const forms = [...document.forms].map((form, n) => [n, form.getAttribute("action"), [...form.elements].filter(
    (f) => f.name && !/^(file|password|submit|button|reset|image|fieldset|output)$/.test(f.type),
  ).map((f) => [f.name, f.type, f.value, f.type === "select-multiple" ? [...f.selectedOptions].map((o) => o.value) : f.checked])]);
  const begun = forms.filter(([n]) => document.forms[n].dataset.touched || "table" in document.forms[n].dataset);
  return begun.length ? "#filled=" + elsewhere.code + "." + encodeURIComponent(JSON.stringify(begun)) : "";
}

// fillIn fills in what was filled in at another coordinator. Anybody can make a link with such an end; the code in it has to be the one
// by which this browser has just come here, which the farm says in a cookie.
function fillIn() {
  const [, code, text] = location.hash.match(/^#filled=([A-Z2-7]+)\.(.+)$/) || [];
  const [, moved] = document.cookie.match(/(?:^|; )overcrank_moved=([A-Z2-7]+)/) || [];
  if (moved) document.cookie = "overcrank_moved=; path=/; max-age=0";
  if (!location.hash.startsWith("#filled=") || document.querySelector("form[data-keeps-fragment]")) return;
  history.replaceState(null, "", location.pathname + location.search);
  if (!text || code !== moved) return;
  for (const [n, action, fields] of JSON.parse(decodeURIComponent(text))) {
    const same = [...document.forms].filter((f) => f.getAttribute("action") === action);
    const form = same.includes(document.forms[n]) ? document.forms[n] : same[0];
    if (!form) continue;
    const seen = {};
    for (const [name, type, value, chosen] of fields) {
      const box = type === "checkbox" || type === "radio", key = name + " " + type;
      const alike = [...form.elements].filter((f) => f.name === name && f.type === type && (!box || f.value === value));
      let field = box ? alike[0] : alike[seen[key] = (seen[key] ?? -1) + 1];
      if (!field && type === "hidden") {
        field = Object.assign(document.createElement("input"), { type, name });
        form.append(field);
      }
      if (!field) continue;
      if (box) field.checked = chosen;
      else if (type === "select-multiple") for (const o of field.options) o.selected = chosen.includes(o.value);
      else field.value = value;
    }
    for (let box = form.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    if ("table" in form.dataset) lookAtTable(form);
    else form.dataset.touched = "1";
  }
}

// ---- lists: while the pointer or the keyboard is on a row, rows stay where they are and only what stands in them changes ----
const waiting = new Map(); // by the id of a live part, what it is to become
const rowsOf = "tbody tr[id], li[data-row]";
const held = (part) => "dragging" in document.body.dataset || part.querySelector(":is(" + rowsOf + "):is(:hover, :focus-within), tbody input[data-pick]:checked") !== null;

// tellChanges says how many rows would come or go, and lets the reader have them now.
function tellChanges(part, fresh) {
  const button = byId("changes");
  if (!button) return;
  const ids = (root) => [...root.querySelectorAll(rowsOf)].map((row) => row.id);
  const before = ids(part), after = ids(fresh), stay = before.filter((id) => after.includes(id)), then = after.filter((id) => before.includes(id));
  const n = after.length - then.length + before.length - stay.length + then.filter((id, i) => id !== stay[i]).length; // come, gone, elsewhere
  button.textContent = counted(n, "%d change – show", "%d changes – show");
  button.hidden = n === 0;
  button.onclick = () => { button.hidden = true; release(true); };
}

function putRows(part, html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  for (const row of part.querySelectorAll(rowsOf)) {
    const now = fresh.getElementById(row.id);
    if (now) renewRow(row, now.outerHTML);
  }
  tellChanges(part, fresh);
}

function renewRow(row, html) {
  Idiomorph.morph(row, html, { morphStyle: "outerHTML", callbacks: keeps });
}

// renewRows draws those rows anew that alone have changed; so does it in what the part is to become when it is let go of.
function renewRows(id, rows) {
  const part = byId(id), later = waiting.has(id) && new DOMParser().parseFromString(waiting.get(id), "text/html");
  for (const [name, html] of Object.entries(rows)) {
    const row = part && byId(name), next = later && later.getElementById(name);
    if (row) renewRow(row, html);
    if (next) next.outerHTML = html;
  }
  if (later) waiting.set(id, later.getElementById(id).outerHTML);
  tellTimes();
  document.dispatchEvent(new CustomEvent("put", { detail: id }));
}

// keptBox says whether a node is the box that selects a row, which stays as the reader has it.
const keptBox = (node) => node.nodeType === 1 && node.matches("input[data-pick], #pick-all");

function release(now) {
  for (const [id, html] of waiting) {
    const part = byId(id);
    if (part && held(part) && now !== true) continue;
    waiting.delete(id);
    put(id, html, now === true);
  }
}
document.addEventListener("pointermove", () => waiting.size && release());
document.documentElement.addEventListener("pointerleave", () => setTimeout(release));
document.addEventListener("focusout", () => setTimeout(release));

// A film that plays, a field in use and an open detail stay as the reader has them.
const keeps = {
  beforeNodeMorphed: (node, fresh) => !(node.nodeType === 1 && (
    node.matches("form[data-touched]") || keptBox(node)
    || node.matches("[data-player]") && fresh.dataset?.player === node.dataset.player || node.matches("video") && fresh.matches?.("video") && node.getAttribute("src") === fresh.getAttribute("src")
    || node.matches("[data-reel]:has(.view)") && fresh.dataset?.reel === node.dataset.reel
    || node.matches("input,textarea,select") && node === document.activeElement
    || node.id === "screen" && fresh.id === "screen" && scrubbing())),
  beforeAttributeUpdated: (name, node) => !(name === "open" && node.matches("details,dialog")
    || name.startsWith("aria-value") && name !== "aria-valuemax" && node.id === "film" && scrubbing()),
};

function put(id, html, now = false) {
  const old = byId(id);
  if (!old) return;
  if (held(old) && !now) { waiting.set(id, html); putRows(old, html); tellTimes(); return; }
  waiting.delete(id);
  if (byId("changes")) byId("changes").hidden = true;
  Idiomorph.morph(old, html, { morphStyle: "outerHTML", callbacks: keeps });
  tellTimes(); localTimes();
  document.dispatchEvent(new CustomEvent("put", { detail: id }));
}

// localTimes puts the fields of times, which come in UTC, on the reader's clock.
function localTimes() {
  for (const field of document.querySelectorAll("input[type=datetime-local]")) {
    const form = field.form, zone = form.querySelector("input[name=zone]");
    if (form.dataset.touched || zone.value !== "0" || field.dataset.local) continue;
    const utc = field.value ? new Date(field.value + "Z") : null, offset = (utc || new Date()).getTimezoneOffset();
    if (utc) field.value = new Date(utc - offset * 60000).toISOString().slice(0, 16);
    zone.value = offset; field.dataset.local = "1";
    form.querySelector("[data-zone]").textContent = said("your time");
  }
}

// The time zone of the reader, where none was chosen.
for (const field of document.querySelectorAll("input[data-timezone]")) field.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone || "";

// A form that somebody has begun to fill in stays as it is until it is sent, but for the one of the table, which the farm's
// answers to what is filled in draw anew.
document.addEventListener("input", (e) => {
  if (e.target.form && !("table" in e.target.form.dataset)) e.target.form.dataset.touched = "1";
  if (e.target.type === "datetime-local" && e.target.value) e.target.form.querySelector("input[name=zone]").value = new Date(e.target.value).getTimezoneOffset();
});

// ---- log ----
function addLines(lines) {
  const log = byId("log");
  if (!log) return;
  const follow = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  for (const line of lines) {
    const row = document.createElement("span");
    row.textContent = line + "\n";
    if (/WARNING/.test(line)) row.className = "warn";
    if (/ERROR|failed/i.test(line)) row.className = "fail";
    (log.lastElementChild?.matches("details") ? log.lastElementChild : log).append(row);
  }
  while (log.querySelectorAll("span").length > 6000) (log.querySelector("details > span") || log.firstChild).remove();
  if (follow) log.scrollTop = log.scrollHeight;
}

// ---- times: the server writes the exact one, the reader sees how long ago ----
const ago = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });
function tellTimes() {
  for (const el of document.querySelectorAll("time[datetime]")) {
    const at = new Date(el.dateTime), s = (at - Date.now()) / 1000, a = Math.abs(s);
    el.title = at.toLocaleString();
    if ("clock" in el.dataset) {
      const clock = { hour: "2-digit", minute: "2-digit" };
      el.textContent = at.toDateString() === new Date().toDateString() ? at.toLocaleTimeString([], clock)
        : at.toLocaleString([], { weekday: "short", day: "numeric", month: "short", ...clock });
      continue;
    }
    const words = a < 45 ? said("just now") : a < 3600 ? ago.format(Math.round(s / 60), "minute")
      : a < 86400 ? ago.format(Math.round(s / 3600), "hour") : ago.format(Math.round(s / 86400), "day");
    el.textContent = words;
  }
}

// ---- many jobs from a table: what the page shows of it is looked at anew whenever the form changes ----
let looks = 0;

async function lookAtTable(form, what = "look") {
  const mine = ++looks, body = new FormData(form), say = form.querySelector("[data-say]");
  body.set("do", what); body.delete("files");
  if (form.sheet?.files[0]?.size > Number(form.dataset.limit)) {
    say.textContent = said("%s is larger than %d MiB. Split it, or submit it from the command line.", form.sheet.files[0].name, form.dataset.limit / 1048576); say.className = "bad";
    form.sheet.value = ""; return;
  }
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("table");
    if (mine !== looks) return;
    if (!fresh) throw new Error(said("The farm answered %s.", String(answer.status)));
    if (form.sheet) form.sheet.value = "";
    say.textContent = ""; // its text stands in the field of the cells now
    put("table", fresh.outerHTML, true); // what the reader has just changed is never held back, wherever the pointer rests
  } catch (err) {
    if (mine === looks) { say.textContent = err.message; say.className = "bad"; }
  }
}

// keepFiles hands files over, one after the other, and looks at the table with them.
async function keepFiles(form, files) {
  const say = form.querySelector("[data-say]");
  form.dataset.busy = "1";
  try {
    for (const [i, file] of files.entries()) {
      const src = await keepFile(form, file, files.length > 1 ? said("%s (%d of %d)", file.name, i + 1, files.length) : file.name);
      const kept = document.createElement("input");
      kept.type = "hidden"; kept.name = "kept"; kept.value = src + " " + file.name;
      form.append(kept);
    }
    form.files.value = "";
    await lookAtTable(form);
  } catch (err) {
    say.textContent = err.message; say.className = err.cancelled ? "small" : "bad";
  }
  delete form.dataset.busy;
}

function tables() {
  const form = document.querySelector("form[data-table]");
  if (!form) return;
  const zone = form.querySelector("[data-table-drop]");
  let soon;
  form.addEventListener("change", (e) => {
    if ("own" in e.target.dataset) return; // it changes nothing of the table
    if (e.target === form.files) keepFiles(form, [...form.files.files]);
    else lookAtTable(form);
  });
  form.addEventListener("input", (e) => {
    if (!e.target.matches("textarea#cells,input[type=text]")) return;
    clearTimeout(soon);
    soon = setTimeout(() => lookAtTable(form), 400);
  });
  form.addEventListener("submit", (e) => {
    if (form.dataset.busy || !["order", "rest"].includes(e.submitter?.value)) { e.preventDefault(); if (!form.dataset.busy) lookAtTable(form, e.submitter?.value === "more" ? "more" : "look"); return; }
    form.dataset.busy = "1"; // a second click orders nothing twice
    looks++;
  });
  addEventListener("pageshow", (e) => { if (e.persisted) delete form.dataset.busy; });
  zone.addEventListener("dragover", (e) => { e.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (e) => {
    e.preventDefault(); zone.classList.remove("over");
    const dropped = [...e.dataTransfer.files], isTable = (f) => /\.(xlsx|csv|tsv|tab|txt)$/i.test(f.name);
    const table = dropped.find(isTable), others = dropped.filter((f) => f !== table);
    if (table && form.sheet) {
      const list = new DataTransfer();
      list.items.add(table);
      form.sheet.files = list.files;
    }
    if (others.length > 0) keepFiles(form, others);
    else if (table) lookAtTable(form);
  });
}

// ---- keys: Ctrl/⌘ K commands, ? help, g then a letter to go. Keys of one letter can be switched off (WCAG 2.2, 2.1.4) ----
function keys() {
  const palette = byId("palette");
  if (!palette) return;
  const open = () => { palette.showModal(); byId("palette-search").value = ""; filter(""); byId("palette-search").focus(); };
  const filter = (q) => {
    for (const li of palette.querySelectorAll("ul:not(#palette-found) li")) li.hidden = !li.textContent.toLowerCase().includes(q.toLowerCase());
  };
  byId("palette-open")?.addEventListener("click", open);
  byId("palette-search").addEventListener("input", (e) => filter(e.target.value));
  palette.addEventListener("keydown", (e) => {
    const links = [...palette.querySelectorAll("li:not([hidden]) a")], at = links.indexOf(document.activeElement);
    if (e.key === "ArrowDown") { e.preventDefault(); links[Math.min(at + 1, links.length - 1)]?.focus(); }
    if (e.key === "ArrowUp") { e.preventDefault(); at > 0 ? links[at - 1].focus() : byId("palette-search").focus(); }
    if (e.key === "Enter" && at < 0) { e.preventDefault(); links[0]?.click(); }
  });
  const single = byId("single-keys"), keys = byId("keys");
  single.addEventListener("change", () => fetch("/account/keys", { method: "POST", body: new URLSearchParams(single.checked ? { on: "1" } : {}) }).catch(() => {}));
  const list = () => {
    for (const part of keys.querySelectorAll("[data-keys-on]")) part.hidden = part.dataset.keysOn !== "" && !document.querySelector(part.dataset.keysOn);
    keys.showModal();
  };
  byId("keys-open").addEventListener("click", () => { palette.close(); list(); });
  let went = 0;
  document.addEventListener("keydown", (e) => {
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") { e.preventDefault(); open(); return; }
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input,textarea,select,[contenteditable]") || palette.open || keys.open || !single.checked) return;
    if (e.key === "?") { e.preventDefault(); list(); return; }
    if (e.key === "g") { went = Date.now(); return; }
    if (Date.now() - went < 1200) {
      const to = { h: "/", j: "/jobs", b: "/batches", t: "/templates", m: "/machines", q: "/queue", p: "/projects", r: "/reports", s: "/settings" }[e.key];
      if (to) location.assign(to);
    }
    went = 0;
  });
}

function confirms() {
  document.addEventListener("submit", (e) => {
    const ask = e.target.dataset.confirm;
    if (ask && !confirm(ask)) e.preventDefault();
  });
  document.addEventListener("click", async (e) => {
    const b = e.target.closest("[data-copy]");
    if (!b) return;
    b.textContent = await copy(b.dataset.copy) ? said("Copied") : said("Copying failed");
  });
}

// copy puts words on the clipboard, also where the farm is reached without TLS and browsers have no clipboard interface.
async function copy(words) {
  if (navigator.clipboard) return navigator.clipboard.writeText(words).then(() => true, () => false);
  const field = document.createElement("textarea");
  field.value = words;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

// ---- film strips: the frame under the pointer is shown; on a job's page a click or the arrow keys go to it ----
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

tables(); keys(); confirms(); films(); tellTimes(); localTimes();
setInterval(tellTimes, 20000);
const log = byId("log");
if (log) log.scrollTop = log.scrollHeight;
fillIn();
// A page that goes on here and is asked first keeps what was filled in.
for (const form of document.querySelectorAll("form[data-keeps-fragment]")) if (location.hash) form.action += location.hash;
if (topic !== undefined) connect();
