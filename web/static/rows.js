// How a piece of a page is put into its place. Rows stay where they are while the pointer or the keyboard is on one, and only what stands in them
// changes, and in what is marked data-now. Rows are those of tables, and whatever else of a list is marked data-row.
"use strict";

const byId = (id) => document.getElementById(id);

const waiting = new Map(); // by the id of a live part, what it is to become
const rowsOf = "tbody tr[id], [data-row]";
const held = (part) => "dragging" in document.body.dataset || "menu" in document.body.dataset || part.querySelector(":is(" + rowsOf + "):is(:hover, :focus-within), tbody input[data-pick]:checked") !== null;

// tellChanges says how many rows would come or go, and lets the reader have them now.
function tellChanges(part, fresh) {
  const button = byId("changes");
  if (!button) return;
  const ids = (root) => [...root.querySelectorAll(rowsOf)].map((row) => row.id || "of another team"); // whose rows of the queue have none
  const before = ids(part), after = ids(fresh), stay = before.filter((id) => after.includes(id)), then = after.filter((id) => before.includes(id));
  const n = after.length - then.length + before.length - stay.length + then.filter((id, i) => id !== stay[i]).length; // come, gone, elsewhere
  button.textContent = counted(n, "%d change – show", "%d changes – show");
  button.hidden = n === 0;
  button.onclick = () => { button.hidden = true; release(true); };
}

function putRows(part, html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  for (const row of part.querySelectorAll(":is(" + rowsOf + ", [data-now])[id]")) {
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
    node.matches("form[data-touched], [data-drop][data-busy]") || keptBox(node)
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
  if (byId("changes") && waiting.size === 0) byId("changes").hidden = true;
  Idiomorph.morph(old, html, { morphStyle: "outerHTML", callbacks: keeps });
  tellTimes(); localTimes();
  document.dispatchEvent(new CustomEvent("put", { detail: id }));
}
