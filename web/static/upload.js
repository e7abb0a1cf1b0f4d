// Files on their way to the farm: in parts, so that an upload goes on where it stopped, also when the same file is chosen again later.
"use strict";

const wholeUpTo = 8 << 20; // bytes; larger files go in parts
const silentFor = 60000; // milliseconds without progress after which a connection counts as lost
const pauses = [1000, 2000, 4000, 8000, 15000]; // milliseconds between tries

// send sends one request and gives what the farm answers. The error of a request that the farm refused has its status; 0 is a lost connection.
function send(address, body, signal, onProgress) {
  return new Promise((resolve, reject) => {
    const x = new XMLHttpRequest();
    const fail = (message, status) => reject(Object.assign(new Error(message), { status }));
    let silent;
    const stop = () => x.abort();
    const listen = () => { clearTimeout(silent); silent = setTimeout(stop, silentFor); };
    x.open("POST", address);
    x.setRequestHeader("Accept", "application/json");
    if (body) {
      x.setRequestHeader("Content-Type", "application/octet-stream");
      x.upload.onprogress = (e) => { listen(); onProgress?.(e.loaded); };
      x.upload.onload = () => clearTimeout(silent); // the farm may take its time to answer
      listen();
    }
    x.onload = () => {
      let answer = {};
      try { answer = JSON.parse(x.responseText); } catch { /* no JSON: the status tells */ }
      if (x.status < 400) resolve(answer); else fail(answer.error || said("The farm answered %s.", String(x.status)), x.status);
    };
    x.onerror = x.onabort = () => fail(said("The connection to the farm broke."), 0);
    x.onloadend = () => { clearTimeout(silent); signal.removeEventListener("abort", stop); };
    signal.addEventListener("abort", stop);
    x.send(body);
  });
}

// persist tries again while the connection is lost or the farm is not ready, until it works or somebody cancels.
async function persist(show, signal, attempt) {
  for (let tries = 0; ; tries++) {
    try {
      const answer = await attempt();
      if (tries > 0) show.back();
      return answer;
    } catch (err) {
      if (signal.aborted) throw Object.assign(new Error(said("Cancelled.")), { cancelled: true });
      if (err.status && ![408, 429, 502, 503, 504].includes(err.status)) throw err;
      show.lost();
      await new Promise((resolve) => {
        const go = () => { clearTimeout(timer); removeEventListener("online", go); signal.removeEventListener("abort", go); resolve(); };
        const timer = setTimeout(go, pauses[Math.min(tries, pauses.length - 1)]);
        addEventListener("online", go); signal.addEventListener("abort", go);
      });
    }
  }
}

// inParts sends the parts of a file that have not arrived, and gives the file's address at the farm.
async function inParts(file, show, signal, began) {
  const key = file.name + " " + file.lastModified;
  const up = await persist(show, signal, () => send("/files/uploads?" + new URLSearchParams({ name: file.name, size: file.size, key }), null, signal));
  const root = "/files/uploads/" + up.id;
  began(root);
  let arrived = up.arrived;
  if (arrived > 0 && up.missing.length > 0) show.resumed(arrived);
  for (const part of up.missing) {
    const piece = file.slice(part * up.partSize, (part + 1) * up.partSize);
    await persist(show, signal, () => send(root + "/parts/" + part, piece, signal, (sent) => show.progress(arrived + Math.min(sent, piece.size))));
    show.progress(arrived += piece.size);
  }
  show.finishing();
  return (await persist(show, signal, () => send(root + "/finish", null, signal))).src;
}

// keepFile hands a file over, and shows how far it is in the place that people dropped it on. It gives the file's address at the farm.
async function keepFile(zone, file, name = file.name) {
  const cancel = new AbortController(), show = progressIn(zone, file, name, cancel);
  let root = null;
  try {
    if (file.size <= wholeUpTo) {
      const address = "/files/handover?name=" + encodeURIComponent(file.name);
      return (await persist(show, cancel.signal, () => send(address, file, cancel.signal, show.progress))).src;
    }
    const again = (from) => inParts(file, show, cancel.signal, (at) => { root = at; }).catch((err) => {
      if (from || err.status !== 404) throw err;
      return again(true); // what arrived was deleted meanwhile
    });
    return await again(false);
  } catch (err) {
    if (err.cancelled && root) fetch(root + "/cancel", { method: "POST", headers: { Accept: "application/json" } }).catch(() => {});
    throw err;
  } finally {
    show.end();
  }
}

// progressIn shows in a place how far a file is: a bar, how fast it goes, how long it takes, and a button that cancels.
function progressIn(zone, file, name, cancel) {
  const say = zone.querySelector("[data-say]"), bar = zone.querySelector("progress");
  const rate = document.createElement("span"), button = document.createElement("button");
  rate.className = "small"; rate.dataset.rate = "";
  button.type = "button"; button.textContent = said("Cancel"); button.dataset.cancel = "";
  button.addEventListener("click", () => cancel.abort());
  bar.after(rate, button);
  const sending = said("Sending %s…", name);
  say.className = "small"; say.textContent = sending; bar.hidden = false; bar.value = 0; bar.max = file.size || 1;
  let seen = []; // [time, bytes] of the last seconds
  return {
    progress(bytes) {
      const now = performance.now();
      seen = [...seen.filter(([at]) => now - at < 8000), [now, bytes]];
      bar.value = bytes;
      const [[since, before]] = seen, speed = 1000 * (bytes - before) / (now - since);
      rate.textContent = now - since > 1000 && speed > 0
        ? said("%s of %s MB, %s MB/s, %s", megabytes(bytes), megabytes(file.size), megabytes(speed), timeLeft((file.size - bytes) / speed))
        : said("%s of %s MB", megabytes(bytes), megabytes(file.size));
    },
    resumed(bytes) { say.textContent = said("Resuming %s: %s MB have already arrived.", name, megabytes(bytes)); },
    lost() { seen = []; say.textContent = said("The connection to the farm broke. The upload goes on by itself when it is back."); },
    back() { say.textContent = sending; },
    finishing() { seen = []; rate.textContent = ""; say.textContent = said("Putting %s together…", name); },
    end() { rate.remove(); button.remove(); bar.hidden = true; },
  };
}

const megabytes = (bytes) => (bytes / 1e6).toLocaleString(document.documentElement.lang, { maximumFractionDigits: bytes < 1e7 ? 1 : 0 });

function timeLeft(seconds) {
  if (seconds < 60) return said("less than a minute left");
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? counted(minutes, "about %d minute left", "about %d minutes left") : counted(Math.round(minutes / 60), "about %d hour left", "about %d hours left");
}

// failed says in a place why a file was not taken.
function failed(zone, err) {
  const say = zone.querySelector("[data-say]");
  say.textContent = err.message; say.className = err.cancelled ? "small" : "bad";
}

// templateType is the kind of template that a file's name tells, undefined when it is none.
const templateType = (name) => ({ aep: "aep", aet: "aep", aepx: "aep", zip: "zip", mogrt: "mogrt" })[name.split(".").pop().toLowerCase()];

// uploadTemplate makes a file a new template, or the next version of the one that the place is for.
async function uploadTemplate(zone, file) {
  if (zone.dataset.busy) return;
  const type = templateType(file.name);
  if (!type) { failed(zone, new Error(said("%s is not an After Effects project. Choose an .aep, .aet, .aepx, .zip or .mogrt file.", file.name))); return; }
  zone.dataset.busy = "1";
  try {
    const src = await keepFile(zone, file), address = zone.dataset.replaces || "/templates";
    const form = new URLSearchParams({ src, type, displayName: file.name.replace(/\.[^.]+$/, "") });
    const made = await (await fetched(address, { method: "POST", body: form, headers: { Accept: "application/json" } })).json();
    if (made.error) throw new Error(made.error);
    location.assign("/templates/" + made.id);
  } catch (err) {
    failed(zone, err);
  }
  delete zone.dataset.busy;
}

// sendFiles makes what takes the files that were dropped on a zone: it sends one after the other, and the page shows what came of them. One that is
// refused does not keep the others, and its reason stays to be read.
const sendFiles = (where) => async (zone, ...files) => {
  if (zone.dataset.busy) return;
  zone.dataset.busy = "1";
  const problems = [];
  let taken = 0;
  for (const file of files) {
    const cancel = new AbortController(), show = progressIn(zone, file, file.name, cancel);
    try {
      await persist(show, cancel.signal, () => send(where + "?name=" + encodeURIComponent(file.name), file, cancel.signal, show.progress));
      taken++;
    } catch (err) {
      problems.push(err.cancelled || files.length === 1 ? err : new Error(said("%s: %s", file.name, err.message)));
    }
    show.end();
    if (problems.at(-1)?.cancelled) break;
  }
  delete zone.dataset.busy;
  if (problems.length === 0) { location.reload(); return; }
  failed(zone, problems.length === 1 ? problems[0] : new Error(problems.map((p) => p.message).join(" ")));
  if (taken > 0 && zone.dataset.shows) showTaken(zone.dataset.shows);
};

// showTaken draws anew the part of the page that lists what was taken, and leaves the rest of it, with what was refused, as it is.
async function showTaken(id) {
  try {
    const page = await (await fetched(location.href)).text();
    put(id, new DOMParser().parseFromString(page, "text/html").getElementById(id).outerHTML, true);
  } catch { /* what was taken is kept: it is on the page when that is opened again */ }
}

async function handOver(field, file) {
  field.dataset.busy = "1"; lockForm(field.closest("form"));
  try {
    const held = field.querySelector("input[type=hidden]");
    held.value = await keepFile(field, file);
    held.dispatchEvent(new Event("input", { bubbles: true }));
    field.querySelector("[data-say]").textContent = field.dataset.next ? said("%s has arrived. “%s” is left to press.", file.name, field.dataset.next) : file.name;
    showFile(field, file);
  } catch (err) {
    failed(field, err);
  }
  delete field.dataset.busy; lockForm(field.closest("form"));
}

// showFile shows a file that was chosen: the picture, the film, or the sound to listen to.
function showFile(field, file) {
  for (const [tag, kind] of [["img", "image/"], ["video", "video/"], ["audio", "audio/"]]) {
    const media = field.querySelector(tag);
    if (!media) continue;
    if (media.src.startsWith("blob:")) URL.revokeObjectURL(media.src);
    media.hidden = !file.type.startsWith(kind);
    if (media.hidden) media.removeAttribute("src"); else media.src = URL.createObjectURL(file);
  }
}

function lockForm(form) {
  if (!form) return;
  const busy = form.querySelector("[data-busy]") !== null;
  for (const b of form.querySelectorAll("button[type=submit]")) b.disabled = busy;
}

// Places take files wherever they stand: a live part may bring one later.
const takers = { template: uploadTemplate, font: sendFiles("/files/font"), logo: sendFiles("/files/logo"), asset: handOver };
const zoneOf = (e) => (e.target.nodeType === Node.TEXT_NODE ? e.target.parentElement : e.target).closest?.("[data-drop]");

// take gives a place the files that were dropped on it. All but that of fonts take one.
function take(zone, files) {
  if (files.length > 1 && zone.dataset.drop !== "font") failed(zone, new Error(said("This takes one file at a time.")));
  else if (files.length > 0) takers[zone.dataset.drop](zone, ...files);
}

document.addEventListener("change", (e) => {
  const zone = e.target.type === "file" && zoneOf(e);
  if (zone) { take(zone, [...e.target.files]); e.target.value = ""; }
});
document.addEventListener("click", (e) => { if (e.target.closest?.("[data-choose]")) zoneOf(e)?.querySelector("input[type=file]").click(); });
document.addEventListener("dragover", (e) => { const zone = zoneOf(e); if (zone) { e.preventDefault(); zone.classList.add("over"); } });
document.addEventListener("dragleave", (e) => { const zone = zoneOf(e); if (zone && !zone.contains(e.relatedTarget)) zone.classList.remove("over"); });
document.addEventListener("drop", (e) => {
  const zone = zoneOf(e);
  if (zone) { e.preventDefault(); zone.classList.remove("over"); take(zone, [...e.dataTransfer.files]); }
});
