// Times: the server writes the exact one, and the reader sees how long ago it was, by their own clock.
"use strict";

// clockOf is the reader's own way to write times in the language of the page, such as that of Britain, where the browser names one.
const clockOf = navigator.languages.find((l) => l.split("-")[0] === document.documentElement.lang) || document.documentElement.lang;
const ago = new Intl.RelativeTimeFormat(clockOf, { numeric: "auto" });
function tellTimes() {
  for (const el of document.querySelectorAll("time[datetime]")) {
    const at = new Date(el.dateTime), s = (at - Date.now()) / 1000, a = Math.abs(s);
    el.title = at.toLocaleString(clockOf);
    if ("clock" in el.dataset) {
      const clock = { hour: "2-digit", minute: "2-digit" };
      el.textContent = at.toDateString() === new Date().toDateString() ? at.toLocaleTimeString(clockOf, clock)
        : at.toLocaleString(clockOf, { weekday: "short", day: "numeric", month: "short", ...clock });
      continue;
    }
    const words = a < 45 ? said("just now") : a < 3600 ? ago.format(Math.round(s / 60), "minute")
      : a < 86400 ? ago.format(Math.round(s / 3600), "hour") : ago.format(Math.round(s / 86400), "day");
    el.textContent = words;
  }
}

// localTimes puts the fields of times, which come in UTC, on the reader's clock.
function localTimes() {
  for (const field of document.querySelectorAll("input[type=datetime-local]")) {
    const form = field.form, zone = form.querySelector("input[name=zone]");
    if (form.dataset.touched || zone.value !== "0" || field.dataset.local) continue;
    const utc = field.value ? new Date(field.value + "Z") : null, offset = (utc || new Date()).getTimezoneOffset();
    if (utc) field.value = new Date(utc - offset * 60000).toISOString().slice(0, 16);
    zone.value = offset; field.dataset.local = "1";
    form.querySelector("[data-zone]").textContent = said("in your time zone");
  }
}

// The time zone of the reader, where none was chosen.
for (const field of document.querySelectorAll("input[data-timezone]")) field.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone || "";

// The farm counts what was done today from when the reader's day began.
document.cookie = "overcrank_zone=" + encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone || "") + "; path=/; max-age=31536000; samesite=lax";

tellTimes(); localTimes();
setInterval(tellTimes, 20000);
