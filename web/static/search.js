// What is searched for: / opens the palette, which shows what is found as one types, and arrows walk through what the page of results found.
"use strict";

(() => {
  const palette = document.getElementById("palette"), found = document.getElementById("palette-found");
  const field = document.getElementById("palette-search");
  if (!palette || !found) return;
  const pause = 150; // ms without a key before the farm is asked
  let timer = 0, asked = null;

  // ask shows what is found; an answer that was overtaken is not waited for.
  async function ask(words) {
    asked?.abort();
    const own = asked = new AbortController();
    try {
      const answer = await waitFor(found, fetch("/search/found?q=" + encodeURIComponent(words), { signal: own.signal, headers: { Accept: "text/html" } }));
      if (!answer.ok || answer.redirected) return;
      const lines = await answer.text();
      if (own !== asked) return;
      found.querySelectorAll("li:not(#palette-all)").forEach((li) => li.remove());
      byAll().insertAdjacentHTML("beforebegin", lines);
    } catch (e) {
      if (e.name !== "AbortError") found.querySelectorAll("li:not(#palette-all)").forEach((li) => li.remove());
    }
  }

  const byAll = () => document.getElementById("palette-all");

  function typed() {
    const words = field.value.trim(), all = byAll().querySelector("a");
    clearTimeout(timer);
    byAll().hidden = words === "";
    all.href = "/search?q=" + encodeURIComponent(words);
    all.querySelector("b").textContent = words;
    if (words !== "") { timer = setTimeout(ask, pause, words); return; }
    asked?.abort();
    asked = null;
    found.querySelectorAll("li:not(#palette-all)").forEach((li) => li.remove());
  }

  field.addEventListener("input", typed);
  palette.addEventListener("close", () => { field.value = ""; typed(); });

  document.addEventListener("keydown", (e) => {
    const plain = !(e.ctrlKey || e.metaKey || e.altKey), typing = e.target.matches("input,textarea,select,[contenteditable]");
    if (e.key === "/" && plain && !typing && !document.querySelector("dialog[open]") && document.getElementById("single-keys")?.checked) {
      e.preventDefault();
      document.getElementById("palette-open").click();
      return;
    }
    const results = [...document.querySelectorAll("#found a")], at = results.indexOf(e.target);
    if (!plain || palette.open || at < 0 && e.target.id !== "find") return;
    if (e.key === "ArrowDown" && results.length > 0) { e.preventDefault(); results[Math.min(at + 1, results.length - 1)].focus(); }
    if (e.key === "ArrowUp" && at >= 0) { e.preventDefault(); (results[at - 1] ?? document.getElementById("find")).focus(); }
  });
})();
