// Weeks in which hours are marked: dragging marks or clears what it goes over, arrow keys go from hour to hour, a day's name marks its day.
for (const part of document.querySelectorAll("[data-hours]")) {
  const rows = [...part.querySelectorAll("table.hours tbody tr")].map((row) => [...row.querySelectorAll("input")]);
  const boxes = rows.flat();
  let from = null, mark = false; // where a drag begins, null for no drag, and what it makes of what it goes over

  for (const box of boxes) box.tabIndex = -1;
  boxes[0].tabIndex = 0;
  const go = (box) => {
    for (const other of boxes) other.tabIndex = -1;
    box.tabIndex = 0;
    box.focus();
  };

  const over = (e) => document.elementFromPoint(e.clientX, e.clientY)?.closest?.("table.hours input");
  part.addEventListener("pointerdown", (e) => {
    delete part.dataset.dragged; // of a drag just before, if no timer has run since
    const box = e.target.closest("table.hours input");
    if (!box || e.button !== 0 || e.pointerType === "touch") return; // a finger scrolls, and marks by a tap
    from = box; mark = !box.checked;
  });
  part.addEventListener("pointermove", (e) => {
    const box = from && over(e);
    if (box && e.buttons && part.contains(box)) { from.checked = box.checked = mark; part.dataset.dragged = ""; }
  });
  addEventListener("pointerup", () => {
    from = null;
    setTimeout(() => { delete part.dataset.dragged; }); // once the click that may follow is over
  });
  part.addEventListener("click", (e) => {
    const box = e.target.closest("table.hours input");
    if (box && "dragged" in part.dataset) e.preventDefault(); // the drag has marked it
    if (box) go(box);
    const day = e.target.closest("[data-day]");
    if (!day) return;
    const column = boxes.filter((b) => b.value.startsWith(day.dataset.day + "-")), all = column.every((b) => b.checked);
    for (const b of column) b.checked = !all;
  });
  part.addEventListener("keydown", (e) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[e.key];
    const row = rows.findIndex((r) => r.includes(e.target));
    if (!step || row < 0) return;
    e.preventDefault();
    const column = rows[row].indexOf(e.target);
    const next = rows[row + step[0]]?.[column + step[1]];
    if (next) go(next);
  });
}
