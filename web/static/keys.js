// Keys: Ctrl/⌘ K commands, ? help, g then a letter to go, j and k through rows, x to select one. Keys of one letter can be switched off (WCAG 2.2, 2.1.4).
"use strict";

// remember keeps whether keys of one letter are on: with the account, or in the browser of somebody who has none.
function remember(single) {
  const here = "keptHere" in single.dataset, name = "overcrank-single-keys";
  try {
    if (here) single.checked = localStorage.getItem(name) !== "off";
  } catch { /* a browser that keeps nothing for pages has them on each time */ }
  single.addEventListener("change", () => {
    if (!here) { fetch("/account/keys", { method: "POST", body: new URLSearchParams(single.checked ? { on: "1" } : {}) }).catch(() => {}); return; }
    try { localStorage.setItem(name, single.checked ? "on" : "off"); } catch { /* they stay so while the page is open */ }
  });
}

function keys() {
  const find = (id) => document.getElementById(id), single = find("single-keys"), keys = find("keys");
  if (!keys) return;
  remember(single);
  const list = () => {
    for (const part of keys.querySelectorAll("[data-keys-on]")) part.hidden = part.dataset.keysOn !== "" && !document.querySelector(part.dataset.keysOn);
    keys.showModal();
  };
  const palette = find("palette"); // pages on which results are looked at have none, and lead nowhere
  const open = () => { palette.showModal(); find("palette-search").value = ""; filter(""); find("palette-search").focus(); };
  const filter = (q) => {
    for (const li of palette.querySelectorAll("ul:not(#palette-found) li")) li.hidden = !li.textContent.toLowerCase().includes(q.toLowerCase());
  };
  find("palette-open")?.addEventListener("click", open);
  find("palette-search")?.addEventListener("input", (e) => filter(e.target.value));
  palette?.addEventListener("keydown", (e) => {
    const links = [...palette.querySelectorAll("li:not([hidden]) a")], at = links.indexOf(document.activeElement);
    if (e.key === "ArrowDown") { e.preventDefault(); links[Math.min(at + 1, links.length - 1)]?.focus(); }
    if (e.key === "ArrowUp") { e.preventDefault(); at > 0 ? links[at - 1].focus() : find("palette-search").focus(); }
    if (e.key === "Enter" && at < 0) { e.preventDefault(); links[0]?.click(); }
  });
  find("keys-open")?.addEventListener("click", () => { palette?.close(); list(); });
  const rows = () => [...document.querySelectorAll(keys.dataset.rows)].filter((a) => a.checkVisibility());
  const rowOf = (e) => e.closest("tr, [data-row]");
  // step goes to the row that many places on: to the first, or the last, from outside of the list.
  const step = (by) => {
    const links = rows(), row = rowOf(document.activeElement), at = row ? links.findIndex((a) => rowOf(a) === row) : -1;
    const to = links.at(at < 0 ? (by > 0 ? 0 : -1) : Math.max(0, Math.min(at + by, links.length - 1)));
    to?.focus();
    to?.scrollIntoView({ block: "nearest" });
  };
  let went = 0;
  document.addEventListener("keydown", (e) => {
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k" && palette) { e.preventDefault(); open(); return; }
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input:not([type=checkbox]),textarea,select,[contenteditable]") || palette?.open || keys.open || !single.checked) return;
    if (e.key === "?") { e.preventDefault(); list(); return; }
    if (!palette) return;
    if (e.key === "g") { went = Date.now(); return; }
    if (Date.now() - went < 1200) {
      const to = { h: "/", j: "/jobs", b: "/batches", t: "/templates", m: "/machines", q: "/queue", p: "/projects", r: "/reports", s: "/settings" }[e.key];
      if (to) location.assign(to);
    } else if ((e.key === "j" || e.key === "k") && rows().length > 0) {
      step(e.key === "j" ? 1 : -1);
    } else if (e.key === "x") {
      rowOf(document.activeElement)?.querySelector("input[data-pick]")?.click();
    }
    went = 0;
  });
}

keys();
