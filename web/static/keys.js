// Keys: Ctrl/⌘ K commands, ? help, g then a letter to go. Keys of one letter can be switched off (WCAG 2.2, 2.1.4).
"use strict";

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

keys();
