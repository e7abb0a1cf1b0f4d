// The result and delivery of a new job: the line that says what is set, presets, and the call that the form stands for.
"use strict";

(() => {
  const form = document.querySelector("form[data-newjob]"), box = form?.querySelector("[data-output]");
  if (!box) return;
  const line = box.querySelector("[data-said]"), preset = form.querySelector("[data-preset]"), value = (name) => form.elements[name]?.value.trim() || "";
  const bucket = box.querySelector("[data-bucket]");

  // summarize writes the line; it says the same as the farm's own when the page comes.
  function summarize() {
    const parts = [form.elements.codec.selectedOptions[0].textContent.trim()], first = value("first"), last = value("last");
    if (first && first === last) parts.push(said("frame %s", first));
    else if (first || last) parts.push(said("frames %s to %s", first || "0", last || said("the last")));
    if (value("quality") === "draft") parts.push(said("draft quality"));
    if (value("missing") === "bars") parts.push(said("colour bars for missing footage"));
    if (value("reuse") === "no") parts.push(said("every frame drawn anew"));
    if (value("bucket")) parts.push(said("to %s", value("bucket")));
    if (value("webhook")) { let host = ""; try { host = new URL(value("webhook")).hostname; } catch { /* half typed */ } parts.push(host ? said("webhook to %s", host) : said("webhook")); }
    if (form.elements.notify.checked) parts.push(said("you are told when it is done"));
    line.textContent = parts.join(" · ");
    bucket.hidden = !value("bucket");
  }
  box.addEventListener("input", summarize);
  bucket.hidden = !value("bucket");

  // ---- presets ----
  const save = box.querySelector("[data-preset-save]");
  function choose() {
    const option = preset.selectedOptions[0];
    if (option.dataset.fields) for (const [name, text] of Object.entries(JSON.parse(option.dataset.fields))) {
      const field = form.elements[name];
      if (!field) continue; // a preset's project, where all projects are archived
      field.value = text;
      if (field.selectedIndex < 0) field.selectedIndex = 0; // one that is archived by now
    }
    if (save) { save.querySelector("input").value = option.value; save.querySelector("[data-delete]").hidden = !option.value; }
    summarize();
    form.elements.codec.dispatchEvent(new Event("input", { bubbles: true }));
  }
  preset?.addEventListener("change", choose);
  if (save) {
    const name = save.querySelector("input"), told = save.querySelector("[data-told]"), remove = save.querySelector("[data-delete]");
    if (preset?.value) { name.value = preset.value; remove.hidden = false; }
    const send = async (address, done) => {
      const body = new URLSearchParams(new FormData(form));
      body.set("presetName", name.value);
      if (save.querySelector("[data-default]").checked) body.set("presetDefault", "1");
      try {
        const answer = await (await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } })).json();
        told.classList.toggle("bad", Boolean(answer.error));
        told.textContent = answer.error ? answer.error.charAt(0).toUpperCase() + answer.error.slice(1) : done(answer.name);
      } catch { told.classList.add("bad"); told.textContent = said("The farm does not answer. Try again."); }
    };
    save.querySelector("[data-save]").addEventListener("click", () => send("/new/presets", (of) => said("Saved “%s”. New jobs offer it.", of)));
    // Enter saves here and does not submit the form, which it does by its keypress.
    name.addEventListener("keypress", (e) => { if (e.key === "Enter" && !e.ctrlKey && !e.metaKey) { e.preventDefault(); save.querySelector("[data-save]").click(); } });
    remove.addEventListener("click", () => { if (confirm(said("Delete the preset “%s” for the whole team?", name.value))) send("/new/presets/delete", (of) => said("Deleted “%s”.", of)); });
  }

  // ---- the call ----
  const call = form.querySelector("[data-call]");
  if (!call) return;
  const shown = call.querySelector("pre"), tabs = [...call.querySelectorAll("[data-tab]")], copy = call.querySelector("[data-call-copy]");
  let calls = {}, timer = 0, asked = 0;
  function show() {
    const tab = tabs.find((t) => t.getAttribute("aria-selected") === "true");
    shown.textContent = calls.error || calls[tab.dataset.tab] || "";
    shown.setAttribute("aria-labelledby", tab.id);
    copy.dataset.copy = calls[tab.dataset.tab] || ""; copy.textContent = said("Copy"); copy.disabled = !copy.dataset.copy;
  }
  async function ask() {
    if (!call.open) return;
    const mine = ++asked;
    try {
      const told = await (await fetch("/new/call", { method: "POST", body: new URLSearchParams(new FormData(form)), headers: { Accept: "application/json" } })).json();
      if (mine === asked) calls = told;
    } catch { if (mine === asked) calls = { error: said("The farm does not answer.") }; }
    show();
  }
  call.addEventListener("toggle", ask);
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 200); });
  for (const tab of tabs) {
    tab.addEventListener("click", () => {
      for (const t of tabs) { t.setAttribute("aria-selected", String(t === tab)); t.tabIndex = t === tab ? 0 : -1; }
      show();
    });
    tab.addEventListener("keydown", (e) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!step) return;
      e.preventDefault();
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
      next.click(); next.focus();
    });
  }
})();
