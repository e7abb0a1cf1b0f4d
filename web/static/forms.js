// Forms: what somebody has begun to fill in is kept, what cannot be taken back is asked for, and words are copied.
"use strict";

// A form that somebody has begun to fill in stays as it is until it is sent, but for the one of the table, which the farm's
// answers to what is filled in draw anew.
document.addEventListener("input", (e) => {
  if (e.target.form && !("table" in e.target.form.dataset)) e.target.form.dataset.touched = "1";
  if (e.target.type === "datetime-local" && e.target.value) e.target.form.querySelector("input[name=zone]").value = new Date(e.target.value).getTimezoneOffset();
});

function confirms() {
  document.addEventListener("submit", (e) => {
    const ask = e.target.dataset.confirm;
    if (ask && !confirm(ask)) e.preventDefault();
  });
  document.addEventListener("click", async (e) => {
    const b = e.target.closest("[data-copy]");
    if (!b) return;
    b.textContent = await copy(b.dataset.copy) ? said("Copied") : said("Copying failed");
  });
}

// copy puts words on the clipboard, also where the farm is reached without TLS and browsers have no clipboard interface.
async function copy(words) {
  if (navigator.clipboard) return navigator.clipboard.writeText(words).then(() => true, () => false);
  const field = document.createElement("textarea");
  field.value = words;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

confirms();
