// Reviews: comments and drawings on frames of what the player shows.
"use strict";

(() => {
  const main = document.querySelector("[data-review]");
  if (!main) return;
  const v = JSON.parse(main.dataset.review), $ = (id) => document.getElementById(id);
  const form = $("say"), side = 10000, mostPoints = 1200, mostLines = 60, NS = "http://www.w3.org/2000/svg";
  const takes = v.takes || [], start = takes.find((t) => t.id === v.job) || takes[0];
  const language = document.documentElement.lang, clock = navigator.languages.find((l) => l.split("-")[0] === language) || language; // as times.js has it
  let player = null, remarks = [], lines = [];
  // named is the number in the composition of a frame of the result, as the player and the job's page call it.
  const named = (n) => n + (player?.take() || start).first;

  // here tells whether a line or a remark is on the frame that is shown.
  const here = (l) => l.take === player.take().id && l.frame === player.number();

  // ink draws what was drawn on the frame that is shown, and what is being drawn.
  function ink() {
    if (!player) return;
    const kept = player.playing() ? [] : remarks.filter(here).flatMap((r) => r.drawing || []);
    if ($("clear")) $("clear").hidden = !lines.some(here);
    player.ink().replaceChildren(...[...kept, ...lines.filter(here)].map(({ Colour: colour, Points: points }) => {
      const line = document.createElementNS(NS, "polyline");
      line.setAttribute("class", colour);
      line.setAttribute("points", points.join(" "));
      return line;
    }));
  }

  function pen() {
    const on = $("draw")?.getAttribute("aria-pressed") === "true", pad = player.ink();
    pad.classList.toggle("drawing", on);
    let line = null;
    const at = (e) => {
      const r = pad.getBoundingClientRect(), within = (x) => Math.max(0, Math.min(side, Math.round(x * side)));
      return [within((e.clientX - r.left) / r.width), within((e.clientY - r.top) / r.height)];
    };
    pad.onpointerdown = (e) => {
      if (!pad.classList.contains("drawing") || lines.length >= mostLines) return;
      e.preventDefault();
      player.halt();
      pad.setPointerCapture(e.pointerId);
      line = { take: player.take().id, frame: player.number(), Colour: document.querySelector("input[name=colour]:checked").value, Points: at(e) };
      lines.push(line);
      ink();
    };
    pad.onpointermove = (e) => {
      if (!line || lines.reduce((n, l) => n + l.Points.length / 2, 0) >= mostPoints) return;
      const [x, y] = at(e), p = line.Points;
      if (Math.hypot(x - p[p.length - 2], y - p[p.length - 1]) > 60) { p.push(x, y); ink(); }
    };
    pad.onpointerup = pad.onpointercancel = () => { line = null; };
  }

  function list() {
    const items = remarks.filter((r) => r.take === player?.take().id).map((r) => {
      const item = document.createElement("li"), who = document.createElement("b"), words = document.createElement("p");
      who.textContent = r.name; who.dir = "auto";
      words.textContent = r.text; words.dir = "auto";
      item.append(who, " ");
      if (r.verdict) item.append((r.verdict === "approved" ? said("approved") : said("rejected")) + " ");
      if (r.inside) item.append(said("(team only)") + " ");
      if (r.frame !== null) {
        const jump = document.createElement("button");
        jump.type = "button";
        jump.textContent = r.drawing?.length ? said("Frame %d, with a drawing", named(r.frame)) : said("Frame %d", named(r.frame));
        jump.onclick = () => { player.stop(); player.go(r.frame); };
        item.append(jump);
      }
      const at = new Date(r.at), when = document.createElement("time");
      when.className = "small"; when.dateTime = r.at;
      when.textContent = at.toLocaleString(clock, { dateStyle: "medium", timeStyle: "short" });
      item.append(words, when);
      return item;
    });
    $("remarks").replaceChildren(...items);
    ink();
  }

  let asked = 0, heard = 0, ended = false, retry = 500, sending = false;
  async function refresh() {
    const mine = ++asked;
    try {
      const answer = await fetch(v.base + "/remarks", { headers: { Accept: "application/json" } });
      if (answer.status === 404 || answer.status === 410) { over((await answer.json()).error); return; }
      if (!answer.ok) return;
      const now = await answer.json();
      if (mine < heard) return; // a later look knows more
      heard = mine;
      if (JSON.stringify(now) !== JSON.stringify(remarks)) { remarks = now; list(); }
    } catch { /* the next look may find the farm again */ }
  }

  // over tells who has the page open that its link was revoked or has expired, and asks no more.
  function over(message) {
    ended = true;
    $("lost").hidden = true;
    if ($("problem")) $("problem").textContent = message;
  }

  // follow looks when the farm says that there is something new, and keeps at it when the farm or the network goes away for a while.
  const quiet = 40000, slowest = 30000, tooMany = 1013;
  function follow() {
    const socket = new WebSocket(location.origin.replace(/^http/, "ws") + v.base + "/live");
    let last = Date.now();
    const watch = setInterval(() => { if (Date.now() - last > quiet) end({ code: 0 }); }, 5000); // a dead connection says nothing
    const end = (e) => {
      clearInterval(watch);
      socket.onclose = socket.onmessage = null;
      socket.close();
      if (ended) { $("lost").hidden = true; return; }
      $("lost").hidden = e.code === tooMany;
      refresh(); // which tells if the link is over
      setTimeout(() => { if (!ended) follow(); }, e.code === tooMany ? slowest : retry);
      retry = Math.min(retry * 2, slowest);
    };
    socket.onopen = () => { $("lost").hidden = true; };
    socket.onmessage = (m) => {
      last = Date.now(); retry = 500;
      if (JSON.parse(m.data).look) refresh();
    };
    socket.onclose = end;
  }

  async function say(verdict) {
    if (sending) return; // a second press says nothing new
    const text = $("text").value.trim(), n = player.number(), drawn = lines.filter(here), drawing = drawn.map(({ Colour, Points }) => ({ Colour, Points }));
    if (v.guest && !$("name").reportValidity()) return;
    const problem = $("problem");
    problem.textContent = "";
    if (!verdict && !text && !drawing.length) { problem.textContent = said("Write or draw something first."); return; }
    if (verdict === "rejected" && !text) { problem.textContent = said("Say what is wrong with it."); $("text").focus(); return; }
    sending = true;
    try {
      const body = JSON.stringify({ take: player.take().id, name: v.guest ? $("name").value : "", text, frame: verdict && !drawing.length ? null : n, drawing, verdict: verdict || "", inside: !!$("inside")?.checked });
      const answer = await fetch(v.base + "/remarks", { method: "POST", body, headers: { Accept: "application/json", "Content-Type": "application/json" } });
      const told = await answer.json();
      if (!answer.ok) { problem.textContent = told.error; return; }
      $("text").value = "";
      lines = lines.filter((l) => !drawn.includes(l));
      ink();
      await refresh();
    } catch { problem.textContent = said("The farm does not answer. What you wrote is still here."); } finally { sending = false; }
  }

  if (form) {
    form.onsubmit = (e) => { e.preventDefault(); say(""); };
    for (const b of form.querySelectorAll("[data-verdict]")) b.onclick = () => say(b.dataset.verdict);
    $("draw").onclick = () => { $("draw").setAttribute("aria-pressed", String($("draw").getAttribute("aria-pressed") !== "true")); pen(); };
    $("clear").onclick = () => { lines = lines.filter((l) => !here(l)); ink(); };
    $("text").onfocus = () => { if (player?.busy()) player.halt(); };
  }
  if (!start) { $("place").textContent = said("There is nothing to look at yet."); return; }
  // What follows a take that is put on: its download, what was said about it, and the pen.
  function laid() {
    if (!player) return;
    const link = $("download"), take = player.take();
    link.hidden = !take.download;
    if (take.download) link.href = take.download;
    pen();
    list();
  }
  player = playerOf(main, takes, start, { laid, told: (n) => { if ($("about")) $("about").textContent = said("frame %d", named(n)); ink(); } });
  laid();
  refresh();
  follow();
})();
