// The lists of jobs and of machines: they are found as one types, and rows are selected by mouse and keys.
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
  const amount = (n) => jobs() ? counted(n, "%d job", "%d jobs") : counted(n, "%d machine", "%d machines");
  let last = null; // the box that was clicked last, from which Shift selects

  function tell() {
    const n = picked().length, all = document.getElementById("pick-all");
    form.hidden = n === 0;
    if (n === 0) form.all.checked = false;
    form.querySelector("[data-selected]").textContent = form.all.checked ? said("All that match are selected") : said("%s selected", amount(n));
    if (all) { all.checked = n > 0 && n === boxes().length; all.indeterminate = n > 0 && n < boxes().length; }
    const going = changing.ids();
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
    if (e.key !== "Escape" || picked().length === 0 || "menu" in document.body.dataset || document.querySelector("dialog[open]")) return;
    for (const b of boxes()) b.checked = false;
    tell();
  });

  form.addEventListener("submit", (e) => {
    const does = e.submitter?.dataset.does;
    if (!does) return; // a download
    e.preventDefault();
    const reads = form.elements[e.submitter.dataset.reads];
    if (reads && !reads.reportValidity()) return; // what is wrong stands at the field, and nothing is sent
    const body = new URLSearchParams(new FormData(form, e.submitter)), n = picked().length, ids = body.getAll("id");
    const words = said("%s will be %s.", !form.all.checked ? amount(n) : form.dataset.most ? said("Up to %s jobs that match", form.dataset.most) : jobs() ? said("All jobs that match") : said("All machines that match"), does);
    for (const box of picked()) box.checked = false;
    form.all.checked = false;
    tell();
    changing.hold({
      to: form.action, body, words,
      takenBack: () => {
        for (const box of boxes()) box.checked = ids.includes(box.value);
        tell();
        boxes().find((b) => b.checked)?.focus();
      },
      refused: () => {
        for (const box of boxes()) box.checked ||= ids.includes(box.value);
        tell();
      },
    });
  });
  document.addEventListener("changing", tell);

  // asTyped narrows the list down while a word is typed; the address, and what is kept current, follow.
  function asTyped() {
    let soon, asked = 0;
    const look = async () => {
      const mine = ++asked, fields = new URLSearchParams(new FormData(filters)), to = filters.getAttribute("action") + (fields.size ? "?" + fields : "");
      try {
        const answer = await waitFor(byId(filters.dataset.finds), fetch(to, { headers: { Accept: "text/html" } }).then((r) => r.text()));
        const fresh = new DOMParser().parseFromString(answer, "text/html"), part = fresh.getElementById(filters.dataset.finds);
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
