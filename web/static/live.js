// The live parts of a page: the farm sends rendered pieces of it, and each takes the place of the piece with its id.
"use strict";

let topic = document.body.dataset.live, retry = 500, heard = 0, socket = null;

// follow keeps the page current about something else from now on.
function follow(other) {
  if (other === topic) return;
  topic = document.body.dataset.live = other;
  if (socket) { socket.stop(); connect(); } // otherwise it is connected again in a moment
}

// fromLog says up to where the page has the log of its job, so that it is not sent again.
function fromLog() {
  const next = byId("log")?.dataset.next;
  return next > 0 ? "&log=" + next : "";
}

function connect() {
  socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/live?topic=" + encodeURIComponent(topic) + "&language=" + document.documentElement.lang + fromLog());
  // A coordinator whose machine is gone ends nothing: it is silent. It says something every 15 seconds otherwise.
  heard = Date.now();
  const watch = setInterval(() => {
    if (Date.now() - heard > (mine.readyState === WebSocket.OPEN ? 40000 : 8000)) end({ code: 0 });
  }, 1000);
  const stop = () => { clearInterval(watch); mine.onopen = mine.onmessage = mine.onclose = null; mine.close(); };
  const mine = socket;
  socket.stop = stop;
  const end = (e) => {
    stop();
    socket = null;
    if (e.code === 1008) { location.reload(); return; } // signed out
    if (e.code === 1013) { // too many pages are open; what is shown stays as it is
      say(said("Live updates are off: %s", e.reason));
      setTimeout(connect, 30000);
      return;
    }
    lose();
    setTimeout(connect, retry + Math.random() * retry);
    retry = Math.min(retry * 2, 10000);
  };
  socket.onopen = () => { retry = 500; heard = Date.now(); regain(); };
  socket.onmessage = (m) => {
    heard = Date.now();
    const part = JSON.parse(m.data);
    if (part.elsewhere) elsewhere = part.elsewhere;
    if (part.html !== undefined) put(part.id, part.html);
    if (part.rows) renewRows(part.id, part.rows);
    if (part.reset) byId("log")?.replaceChildren();
    if (part.next) byId("log")?.setAttribute("data-next", part.next);
    if (part.lines) document.dispatchEvent(new CustomEvent("lines", { detail: part.lines }));
    if (part.notice) document.dispatchEvent(new CustomEvent("notice", { detail: part.notice }));
  };
  socket.onclose = end;
}

// Once all scripts are there, which show what comes.
if (topic !== undefined) document.addEventListener("DOMContentLoaded", connect);
