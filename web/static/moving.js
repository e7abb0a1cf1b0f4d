// Another coordinator: when the one that this page came from is gone for some seconds, the page goes on at another, with what was
// filled in. It is let in there by a code that works once; the page got it while it was connected, and sends it by a form, since
// looking at the code's address signs nobody in.
"use strict";

const moveAfter = 3000;
let elsewhere = { others: [], code: "" }, lost = false, wanted = "", seeking = 0;

function lose() {
  if (lost) return;
  lost = true;
  say(elsewhere.others.length ? said("Reconnecting to another coordinator of the farm…") : said("Live updates are paused. Trying again…"));
  if (elsewhere.others.length) seeking = setTimeout(seek, moveAfter);
}

function regain() {
  const to = wanted, away = lost;
  lost = false; wanted = ""; clearTimeout(seeking); byId("lost").hidden = true;
  if (to) location.assign(to);
  else if (away) document.dispatchEvent(new CustomEvent("regained"));
}

function say(words) { const box = byId("lost"); box.textContent = words; box.hidden = false; }

const serves = (base) => fetch(base + "/readyz", { cache: "no-store", signal: AbortSignal.timeout(2000) }).then((r) => r.ok, () => false);

async function seek() {
  clearTimeout(seeking);
  const asked = await Promise.all([serves(""), ...elsewhere.others.map(serves)]);
  if (!lost) return;
  const there = elsewhere.others.filter((_, i) => asked[i + 1]);
  if (asked[0] || there.length === 0 || document.querySelector("[data-busy]")) { seeking = setTimeout(seek, 2000); return; }
  const base = there[Math.floor(Math.random() * there.length)];
  say(said("Connecting to %s…", base.replace(/^https?:\/\//, "")));
  const form = Object.assign(document.createElement("form"), {
    method: "post", hidden: true,
    action: base + "/sign-in/" + elsewhere.code + "?to=" + encodeURIComponent(wanted || location.pathname + location.search) + (wanted ? "" : filledIn()),
  });
  document.body.append(form);
  form.submit();
}

// While nobody would answer, forms are not sent and links are followed at the other coordinator.
document.addEventListener("submit", (e) => {
  if (!lost) return;
  e.preventDefault(); e.stopImmediatePropagation();
  if (!elsewhere.others.length) { say(said("Not sent: the farm does not answer. Your input is kept; send it again once this message is gone.")); return; }
  say(said("Not sent: connecting to another coordinator of the farm. Your input is kept."));
  seek();
}, true);
document.addEventListener("click", (e) => {
  const link = e.target.closest?.("a[href]");
  if (!lost || !link || link.origin !== location.origin || link.target || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  wanted = link.pathname + link.search;
  if (elsewhere.others.length) seek();
  else say(said("The farm does not answer. This page opens “%s” as soon as it does.", link.textContent.trim().slice(0, 40)));
}, true);

// filledIn is what was filled into the page's forms, as the end of an address, which browsers keep to themselves. Passwords and
// files do not go along.
function filledIn() {
  const forms = [...document.forms].map((form, n) => [n, form.getAttribute("action"), [...form.elements].filter(
    (f) => f.name && !/^(file|password|submit|button|reset|image|fieldset|output)$/.test(f.type),
  ).map((f) => [f.name, f.type, f.value, f.type === "select-multiple" ? [...f.selectedOptions].map((o) => o.value) : f.checked])]);
  const begun = forms.filter(([n]) => document.forms[n].dataset.touched || "table" in document.forms[n].dataset);
  return begun.length ? "#filled=" + elsewhere.code + "." + encodeURIComponent(JSON.stringify(begun)) : "";
}

// fillIn fills in what was filled in at another coordinator. Anybody can make a link with such an end; the code in it has to be the one
// by which this browser has just come here, which the farm says in a cookie.
function fillIn() {
  const [, code, text] = location.hash.match(/^#filled=([A-Z2-7]+)\.(.+)$/) || [];
  const [, moved] = document.cookie.match(/(?:^|; )overcrank_moved=([A-Z2-7]+)/) || [];
  if (moved) document.cookie = "overcrank_moved=; path=/; max-age=0";
  if (!location.hash.startsWith("#filled=") || document.querySelector("form[data-keeps-fragment]")) return;
  history.replaceState(null, "", location.pathname + location.search);
  if (!text || code !== moved) return;
  for (const [n, action, fields] of JSON.parse(decodeURIComponent(text))) {
    const same = [...document.forms].filter((f) => f.getAttribute("action") === action);
    const form = same.includes(document.forms[n]) ? document.forms[n] : same[0];
    if (!form) continue;
    const seen = {};
    for (const [name, type, value, chosen] of fields) {
      const box = type === "checkbox" || type === "radio", key = name + " " + type;
      const alike = [...form.elements].filter((f) => f.name === name && f.type === type && (!box || f.value === value));
      let field = box ? alike[0] : alike[seen[key] = (seen[key] ?? -1) + 1];
      if (!field && type === "hidden") {
        field = Object.assign(document.createElement("input"), { type, name });
        form.append(field);
      }
      if (!field) continue;
      if (box) field.checked = chosen;
      else if (type === "select-multiple") for (const o of field.options) o.selected = chosen.includes(o.value);
      else field.value = value;
    }
    for (let box = form.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    if ("table" in form.dataset) lookAtTable(form);
    else form.dataset.touched = "1";
  }
}

// Once all scripts are there: what was filled in elsewhere may be a table, which another script knows.
document.addEventListener("DOMContentLoaded", () => {
  fillIn();
  // A page that goes on here and is asked first keeps what was filled in.
  for (const form of document.querySelectorAll("form[data-keeps-fragment]")) if (location.hash) form.action += location.hash;
});
