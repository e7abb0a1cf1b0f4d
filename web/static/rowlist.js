// The lists of jobs and of machines: they are found as one types, rows are selected by mouse and keys, and what is done with them can be taken
// back before it is sent.
"use strict";

(() => {
  const form = document.getElementById("selection"), undo = document.getElementById("undo"), list = () => document.getElementById(form.dataset.list);
  const filters = document.getElementById("filters");
  if (!filters) return; // there is nothing to list
  for (const field of filters.querySelectorAll("select,input[type=date],input[type=datetime-local]")) field.addEventListener("change", () => filters.requestSubmit());
  // Empty fields do not stand in the address.
  filters.addEventListener("formdata", (e) => {
    for (const [name, value] of [...e.formData]) if (value === "") e.formData.delete(name);
    if (!["from", "to", "at"].some((name) => e.formData.has(name))) e.formData.delete("zone"); // no date is read in it
  });
  if (filters.dataset.finds) asTyped();
  if (!form) return;

  const boxes = () => [...list().querySelectorAll("input[data-pick]")], picked = () => boxes().filter((b) => b.checked);
  const jobs = () => form.dataset.list === "jobs";
  const words = (n) => jobs() ? counted(n, "%d job", "%d jobs") : counted(n, "%d machine", "%d machines");
  let held = null; // what is to be sent: { body, timer }
  let last = null; // the box that was clicked last, from which Shift selects

  function tell() {
    const n = picked().length, all = document.getElementById("pick-all");
    form.hidden = n === 0;
    if (n === 0) form.all.checked = false;
    form.querySelector("[data-selected]").textContent = form.all.checked ? said("All that match are selected") : said("%s selected", words(n));
    if (all) { all.checked = n > 0 && n === boxes().length; all.indeterminate = n > 0 && n < boxes().length; }
    const going = held ? held.body.getAll("id") : [];
    for (const box of boxes()) box.closest("tr").classList.toggle("going", going.includes(box.value));
  }

  document.addEventListener("click", (e) => {
    const box = e.target;
    if (box.id === "pick-all") { for (const b of boxes()) b.checked = box.checked; tell(); return; }
    if (!box.matches?.("input[data-pick]")) return;
    const some = boxes(), from = some.findIndex((b) => b.value === last), to = some.indexOf(box);
    if (e.shiftKey && from >= 0) for (const b of some.slice(Math.min(from, to), Math.max(from, to) + 1)) b.checked = box.checked;
    last = box.value;
    tell();
  });
  form.all.addEventListener("change", tell);
  document.addEventListener("keydown", (e) => {
    if (e.key !== "Escape" || picked().length === 0 || document.querySelector("dialog[open]")) return;
    for (const b of boxes()) b.checked = false;
    tell();
  });
  // ---- undo: a change is sent some seconds after it was asked for, or when the reader leaves the page ----
  const wait = 6000;

  function say(text, button) {
    undo.replaceChildren(document.createTextNode(text + " "));
    if (button) undo.append(button);
    undo.hidden = false;
  }

  async function sendNow() {
    if (!held) return;
    const { body, timer } = held;
    held = null;
    clearTimeout(timer);
    tell();
    try {
      const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" }, keepalive: true });
      const told = await answer.json();
      if (!answer.ok) {
        for (const box of boxes()) box.checked ||= body.getAll("id").includes(box.value);
        tell();
        throw new Error(told.error);
      }
      say(told.message, told.to && link(told.to));
    } catch (err) {
      say(err.message || said("The farm did not answer. Nothing was changed; try again."));
    }
  }

  function link(to) { return Object.assign(document.createElement("a"), { className: "button", href: to, textContent: said("Show") }); }

  form.addEventListener("submit", (e) => {
    const does = e.submitter?.dataset.does;
    if (!does) return; // a download
    e.preventDefault();
    const reads = form.elements[e.submitter.dataset.reads];
    if (reads && !reads.reportValidity()) return; // what is wrong stands at the field, and nothing is sent
    sendNow();
    const body = new URLSearchParams(new FormData(form, e.submitter)), n = picked().length;
    const back = Object.assign(document.createElement("button"), { type: "button", textContent: said("Undo") });
    for (const box of picked()) box.checked = false;
    back.addEventListener("click", () => {
      if (!held) return;
      clearTimeout(held.timer);
      const ids = held.body.getAll("id");
      held = null;
      for (const box of boxes()) box.checked = ids.includes(box.value);
      undo.hidden = true;
      tell();
      boxes().find((b) => b.checked)?.focus();
    });
    held = { body, timer: setTimeout(sendNow, wait) };
    say(said("%s will be %s.", !form.all.checked ? words(n) : jobs() ? said("All jobs that match") : said("All machines that match"), does), back);
    form.all.checked = false;
    tell();
    back.focus();
  });
  addEventListener("pagehide", sendNow);
  // asTyped narrows the list down while a word is typed; the address, and what is kept current, follow.
  function asTyped() {
    let soon, asked = 0;
    const look = async () => {
      const mine = ++asked, fields = new URLSearchParams(new FormData(filters)), to = filters.getAttribute("action") + (fields.size ? "?" + fields : "");
      try {
        const answer = await fetch(to, { headers: { Accept: "text/html" } });
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html"), part = fresh.getElementById(filters.dataset.finds);
        if (mine !== asked || !part) return;
        history.replaceState(null, "", to);
        put(filters.dataset.finds, part.outerHTML, true);
        follow(fresh.body.dataset.live);
        if (form) for (const field of form.querySelectorAll("input[type=hidden]")) if (fields.has(field.name)) field.value = fields.get(field.name);
      } catch { /* the farm does not answer: the page says so, and what was typed stays */ }
    };
    filters.addEventListener("input", (e) => { if (e.target.type === "search") { clearTimeout(soon); soon = setTimeout(look, 120); } });
    filters.addEventListener("submit", (e) => { e.preventDefault(); clearTimeout(soon); look(); });
  }

  new MutationObserver(tell).observe(list(), { childList: true, subtree: true, attributeFilter: ["class"] }); // as rows come and are drawn anew
  tell();
})();
