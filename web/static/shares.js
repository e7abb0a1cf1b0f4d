// What shares would be by what is typed into the form of the sharing, before it is saved.
"use strict";

(() => {
  const form = document.getElementById("sharing"), shown = document.getElementById("sharing-shares");
  if (!form || form.querySelector("fieldset:disabled")) return;
  let soon = 0, asked = new AbortController();

  async function ask() {
    asked.abort();
    asked = new AbortController();
    try {
      const answer = await fetch("/settings/sharing/shares", { method: "POST", body: new URLSearchParams(new FormData(form)), signal: asked.signal });
      if (answer.ok && !answer.redirected) Idiomorph.morph(shown, await answer.text(), { morphStyle: "innerHTML" });
    } catch {
      // The next change asks again; Save says what is wrong.
    }
  }

  form.addEventListener("input", () => {
    clearTimeout(soon);
    soon = setTimeout(ask, 250);
  });
})();
