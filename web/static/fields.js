// The fields of a new job: pairs of one value, files that are pasted or named by an address, and the keys of the form.
"use strict";

(() => {
  const form = document.querySelector("form[data-newjob]");
  if (!form) return;
  const tell = (field) => field.dispatchEvent(new Event("input", { bubbles: true }));

  // pair keeps two inputs of one value alike; only the second is sent.
  function pair(helper, field, fits) {
    helper.addEventListener("input", (e) => { e.stopPropagation(); field.value = helper.value; tell(field); });
    field.addEventListener("input", () => { if (fits(field.value)) helper.value = field.value; });
  }
  for (const box of form.querySelectorAll("[data-colour]")) {
    const [picker, hex] = box.querySelectorAll("input");
    pair(picker, hex, (v) => /^#[0-9a-f]{6}$/i.test(v));
    hex.addEventListener("change", () => { if (/^[0-9a-f]{6}$/i.test(hex.value)) { hex.value = "#" + hex.value; tell(hex); } });
  }
  for (const box of form.querySelectorAll("[data-number]")) {
    const slider = box.querySelector("input[type=range]");
    if (slider) pair(slider, box.querySelector("input[type=number]"), (v) => v !== "");
  }

  // A file can be pasted into its field; an address that is typed or pasted takes its place.
  for (const zone of form.querySelectorAll("[data-drop=asset]")) {
    const held = zone.querySelector("input[type=hidden]"), address = zone.querySelector("[data-address]"), say = zone.querySelector("[data-say]");
    const before = say.textContent.trim();
    zone.addEventListener("paste", (e) => {
      const file = e.clipboardData.files[0];
      if (!file) return;
      e.preventDefault();
      const list = new DataTransfer(), input = zone.querySelector("input[type=file]");
      list.items.add(file);
      input.files = list.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
    address.addEventListener("input", () => {
      held.value = address.value.trim();
      say.className = "small";
      say.textContent = held.value ? said("Fetched from this address when it is rendered") : before;
      for (const media of zone.querySelectorAll("img,video,audio")) media.hidden = true;
      tell(held);
    });
    held.addEventListener("input", () => { if (held.value !== address.value.trim()) address.value = ""; });
  }

  document.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && !e.shiftKey && !e.altKey && (e.target === document.body || form.contains(e.target))) {
      e.preventDefault();
      const render = form.querySelector("button.primary[type=submit]");
      if (!render.disabled) form.requestSubmit(render);
    }
  });
  // The form is sent once: keys and a second press on the button would make another job.
  form.addEventListener("submit", (e) => {
    if (form.dataset.sent) e.preventDefault();
    else if (!e.defaultPrevented) form.dataset.sent = "1";
  });
  addEventListener("pageshow", (e) => { if (e.persisted) delete form.dataset.sent; });
  // A folded part that holds something the browser does not accept is opened, so that it can be seen.
  form.addEventListener("invalid", (e) => { for (let box = e.target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true; }, true);
  form.querySelector("[aria-invalid=true]")?.focus();
  document.querySelector("[role=alert][autofocus]")?.focus();
})();
