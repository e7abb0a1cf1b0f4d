// The queue: jobs are dragged to another place, or moved there by keys; what that does to others is said first, and it can be taken back.
"use strict";

(() => {
  const say = document.getElementById("move"), undo = document.getElementById("undo");
  if (!say) return;
  const rows = () => [...document.querySelectorAll("#queue tr[data-job]")];
  const first = () => rows().filter((row, i, all) => all.findIndex((r) => r.dataset.job === row.dataset.job) === i);
  let moved = null, to = null, asked = 0, held = null; // the job, { target, after }, previews, and what is to be sent: { body, timer }

  const fields = () => new URLSearchParams({ job: moved, [to.after ? "after" : "before"]: to.target });

  function mark() {
    document.body.toggleAttribute("data-dragging", moved !== null); // rows stay where they are meanwhile
    for (const row of rows()) {
      row.toggleAttribute("data-dragged", row.dataset.job === moved);
      row.classList.toggle("before", to !== null && !to.after && row.dataset.job === to.target);
      row.classList.toggle("after", to !== null && to.after && row.dataset.job === to.target);
    }
  }

  const byKeys = " " + said("Enter moves it, Esc leaves it.");
  async function preview(hint) {
    const mine = ++asked;
    mark();
    try {
      const answer = await fetch("/queue/move?" + fields(), { headers: { Accept: "application/json" } }), told = await answer.json();
      if (mine === asked && moved) { say.textContent = (told.message || told.error) + hint; say.hidden = false; }
    } catch {
      if (mine === asked) { say.textContent = said("The farm did not answer. Try again."); say.hidden = false; }
    }
  }

  function end() { asked++; moved = null; to = null; say.hidden = true; mark(); }

  async function sendNow() {
    if (!held) return;
    const { body, timer } = held;
    held = null; clearTimeout(timer);
    try {
      const answer = await fetch("/queue/move", { method: "POST", body, headers: { Accept: "application/json" }, keepalive: true }), told = await answer.json();
      undo.textContent = answer.ok ? said("Moved. %s", told.message) : told.error;
    } catch {
      undo.textContent = said("The farm did not answer. Nothing was moved; try again.");
    }
    undo.hidden = false;
  }

  // drop asks for the move. By keys, Undo gets the focus when the key is up: it must not be pressed by the same Enter.
  function drop(byKey) {
    if (!moved || !to || to.target === moved) { end(); return; }
    sendNow();
    const words = say.textContent.replace(byKeys, ""), job = moved;
    const back = Object.assign(document.createElement("button"), { type: "button", textContent: said("Undo") });
    back.addEventListener("click", () => {
      if (!held) return;
      clearTimeout(held.timer); held = null; undo.hidden = true;
      document.querySelector('[data-grip="' + CSS.escape(job) + '"]')?.focus();
    });
    held = { body: fields(), timer: setTimeout(sendNow, 6000) };
    undo.replaceChildren(document.createTextNode((words || said("It is moved.")) + " "), back);
    undo.hidden = false;
    end();
    if (byKey) document.addEventListener("keyup", () => back.focus(), { once: true });
    else back.focus();
  }

  document.addEventListener("dragstart", (e) => {
    const row = e.target.closest?.("tr[data-job]");
    if (!row) return;
    moved = row.dataset.job; e.dataTransfer.effectAllowed = "move"; e.dataTransfer.setData("text/plain", row.dataset.job);
    mark();
  });
  document.addEventListener("dragover", (e) => {
    const row = moved && e.target.closest?.("tr[data-job]");
    if (!row) return;
    e.preventDefault(); e.dataTransfer.dropEffect = "move";
    const box = row.getBoundingClientRect(), after = e.clientY > box.top + box.height / 2;
    if (to?.target === row.dataset.job && to.after === after) return;
    to = { target: row.dataset.job, after };
    preview("");
  });
  document.addEventListener("drop", (e) => { if (moved && e.target.closest?.("tr[data-job]")) { e.preventDefault(); drop(false); } });
  document.addEventListener("dragend", () => { if (moved) end(); });

  document.addEventListener("keydown", (e) => {
    const grip = e.target.closest?.("[data-grip]");
    if (!grip) return;
    if (e.key === "Escape" && moved) { e.preventDefault(); end(); return; }
    if (e.key === "Enter" && moved && to) { e.preventDefault(); drop(true); return; }
    if (e.key !== "ArrowUp" && e.key !== "ArrowDown") return;
    e.preventDefault();
    const list = first().map((row) => row.dataset.job), own = list.indexOf(grip.dataset.grip);
    const now = moved === grip.dataset.grip && to ? list.indexOf(to.target) : own, next = now + (e.key === "ArrowUp" ? -1 : 1);
    if (next < 0 || next >= list.length) return;
    moved = grip.dataset.grip; to = { target: list[next], after: next > own };
    preview(byKeys);
  });
  document.addEventListener("focusout", (e) => { if (moved && e.target.matches?.("[data-grip]")) end(); });
  addEventListener("pagehide", sendNow);
})();
