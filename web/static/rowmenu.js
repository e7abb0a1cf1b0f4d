// The menu of a row: what can be done with one job, where the list shows it. What it changes can be taken back as what the bar changes can.
"use strict";

(() => {
  const menu = document.getElementById("row-menu"), form = menu.querySelector("form"), gap = 8;
  const parts = [...menu.querySelectorAll("[data-act]")], items = () => [...menu.querySelectorAll("a,button,input:not([type=hidden]),select")].filter((i) => i.offsetParent);
  let job = ""; // whose menu it is
  let escaped = false;

  const open = () => menu.matches(":popover-open"), opener = () => document.querySelector(`[data-job="${job}"]`);

  function fill(button) {
    const { acts, title, level, priority } = button.dataset, can = acts.split(" ");
    job = button.dataset.job;
    document.getElementById("row-menu-of").textContent = title;
    for (const part of parts) {
      part.hidden = !can.includes(part.dataset.act);
      if (part.dataset.to) part.href = part.dataset.to.replace("ID", job);
    }
    if (!form) return;
    form.elements.id.value = job;
    form.elements.priority.value = priority;
    form.elements.level.value = level;
  }

  // place puts the menu below the button, or above it where there is no room.
  function place(button) {
    const at = button.getBoundingClientRect(), below = at.bottom + 4, { offsetWidth: wide, offsetHeight: high } = menu;
    const within = (from, size, room) => Math.max(gap, Math.min(from, room - size - gap)) + "px";
    menu.style.left = within(at.right - wide, wide, innerWidth);
    menu.style.top = within(below + high + gap <= innerHeight ? below : at.top - high - 4, high, innerHeight);
  }

  document.addEventListener("click", (e) => {
    const button = e.target.closest("[popovertarget=row-menu]");
    if (!button) return;
    const moves = open() && button.dataset.job !== job;
    if (moves || !open()) fill(button);
    if (!moves) return;
    e.preventDefault(); // it would close
    place(button);
    items()[0]?.focus();
  });
  // Toggle comes later, and once for an opening and a closing that follow each other.
  menu.addEventListener("beforetoggle", (e) => { if (e.newState === "open") escaped = false; });
  menu.addEventListener("toggle", (e) => {
    if (e.newState !== "open") {
      delete document.body.dataset.menu;
      if (escaped) opener()?.focus(); // browsers would go back to the row that it was opened at first
      return;
    }
    document.body.dataset.menu = ""; // rows stay where they are
    if (opener()) place(opener());
    items()[0]?.focus();
  });
  for (const moved of ["scroll", "resize"]) addEventListener(moved, () => { if (open() && opener()) place(opener()); }, true);
  menu.addEventListener("keydown", (e) => {
    escaped = e.key === "Escape";
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key], all = items();
    if (!step || e.target.matches("input,select")) return;
    e.preventDefault();
    all[(all.indexOf(e.target) + step + all.length) % all.length].focus();
  });

  form?.addEventListener("submit", (e) => {
    e.preventDefault();
    const { does, reads } = e.submitter.dataset;
    if (reads && !form.elements[reads].reportValidity()) return;
    const body = new URLSearchParams(new FormData(form, e.submitter)), title = document.getElementById("row-menu-of").textContent, mine = job;
    const back = () => document.querySelector(`[data-job="${mine}"]`)?.focus();
    menu.hidePopover();
    changing.hold({ to: form.action, body, words: said("%s will be %s.", title, does), takenBack: back, refused: () => {} });
  });
})();
