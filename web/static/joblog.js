// The log of a job: how it grows, search, and its earlier parts. The farm reads it in stretches, so the longest is as quick as a short one.
"use strict";

(() => {
  // follow shows the lines that the log has grown by, and stays at its end for a reader who is there.
  function follow(lines) {
    const log = document.getElementById("log");
    if (!log) return;
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    for (const line of lines) {
      const row = document.createElement("span");
      row.textContent = line + "\n";
      if (/WARNING/.test(line)) row.className = "warn";
      if (/ERROR|failed/i.test(line)) row.className = "fail";
      (log.lastElementChild?.matches("details") ? log.lastElementChild : log).append(row);
    }
    while (log.querySelectorAll("span").length > 6000) (log.querySelector("details > span") || log.firstChild).remove();
    if (atEnd) log.scrollTop = log.scrollHeight;
  }
  document.addEventListener("lines", (e) => follow(e.detail));
  const whole = document.getElementById("log");
  if (whole) whole.scrollTop = whole.scrollHeight;

  const form = document.getElementById("log-search");
  if (!form) return;
  const $ = (id) => document.getElementById(id), base = "/jobs/" + form.dataset.job + "/log", most = 200;
  const found = $("log-found"), hits = $("log-hits");
  let turn = 0, from = 0;
  form.hidden = false;
  const log = () => $("log");
  const ask = async (address) => {
    const answer = await fetched(address, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error((await answer.json()).error);
    return answer.json();
  };
  const setEarlier = () => { $("log-earlier").hidden = from === 0; };

  // show puts a stretch of the log in the place of its end, which comes back by a button. at is the line that was looked for.
  async function show(offset, at) {
    try {
      const part = await waitFor($("log-part") || log(), ask(base + "/part?at=" + offset));
      const box = log().cloneNode(false), here = [];
      box.id = "log-part"; box.removeAttribute("aria-labelledby"); box.setAttribute("aria-label", said("An earlier part of the log"));
      for (const line of part.lines) {
        const row = document.createElement("span");
        row.textContent = line.text + "\n";
        row.className = line.class;
        if (at !== undefined && line.at === at) { row.classList.add("hit"); here.push(row); }
        box.append(row);
      }
      $("log-part")?.remove();
      log().hidden = true;
      log().after(box);
      from = part.from;
      setEarlier();
      $("log-end").hidden = false;
      if (here[0]) box.scrollTop = here[0].offsetTop - box.offsetTop - box.clientHeight / 2;
      box.focus();
    } catch (err) { hits.textContent = err.message; }
  }

  $("log-earlier").onclick = () => show(Math.max(0, from - 100000));
  $("log-end").onclick = () => {
    $("log-part")?.remove();
    log().hidden = false;
    $("log-end").hidden = true;
    from = Number(log().dataset.from);
    setEarlier();
    log().focus();
  };

  form.onsubmit = async (e) => {
    e.preventDefault();
    const mine = ++turn, query = $("log-query").value.trim();
    found.replaceChildren();
    found.hidden = true;
    if (!query) { hits.textContent = ""; return; }
    let n = 0, at = 0;
    try {
      for (;;) {
        hits.textContent = n ? counted(n, "Searching… %d hit so far", "Searching… %d hits so far") : said("Searching…");
        const part = await waitFor(form, ask(base + "/search?q=" + encodeURIComponent(query) + "&from=" + at));
        if (mine !== turn) return;
        for (const hit of part.hits.slice(0, most - n)) {
          const item = document.createElement("li"), jump = document.createElement("button");
          jump.type = "button";
          jump.textContent = hit.text;
          jump.className = hit.class;
          jump.onclick = () => show(Math.max(0, hit.at - 8000), hit.at);
          item.append(jump);
          found.append(item);
        }
        n = Math.min(most, n + part.hits.length);
        found.hidden = n === 0;
        at = part.next;
        if (!part.more || n === most) break;
      }
      hits.textContent = n === most ? said("The first %d hits", most) : counted(n, "%d hit", "%d hits");
    } catch (err) { if (mine === turn) hits.textContent = err.message; }
  };

  document.addEventListener("put", (e) => {
    if (e.detail !== "log" || $("log-part")) return;
    from = Number(log().dataset.from);
    setEarlier();
  });
  from = Number(log().dataset.from);
  setEarlier();
  log().scrollTop = log().scrollHeight;
})();
