// Many jobs from a table: what the page shows of it is looked at anew whenever the form changes.
"use strict";

let looks = 0;

async function lookAtTable(form, what = "look") {
  const mine = ++looks, body = new FormData(form), say = form.querySelector("[data-say]");
  body.set("do", what); body.delete("files");
  if (form.sheet?.files[0]?.size > Number(form.dataset.limit)) {
    say.textContent = said("%s is larger than %d MiB. Split it, or submit it from the command line.", form.sheet.files[0].name, form.dataset.limit / 1048576); say.className = "bad";
    form.sheet.value = ""; return;
  }
  try {
    const answer = await waitFor(byId("table"), fetched(form.action, { method: "POST", body, headers: { Accept: "text/html" } }));
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("table");
    if (mine !== looks) return;
    if (!fresh) throw new Error(said("The farm answered %s.", String(answer.status)));
    if (form.sheet) form.sheet.value = "";
    say.textContent = ""; // its text stands in the field of the cells now
    put("table", fresh.outerHTML, true); // what the reader has just changed is never held back, wherever the pointer rests
  } catch (err) {
    if (mine === looks) { say.textContent = err.message; say.className = "bad"; }
  }
}

// keepFiles hands files over, one after the other, and looks at the table with them.
async function keepFiles(form, files) {
  const say = form.querySelector("[data-say]");
  form.dataset.busy = "1";
  try {
    for (const [i, file] of files.entries()) {
      const src = await keepFile(form, file, files.length > 1 ? said("%s (%d of %d)", file.name, i + 1, files.length) : file.name);
      const kept = document.createElement("input");
      kept.type = "hidden"; kept.name = "kept"; kept.value = src + " " + file.name;
      form.append(kept);
    }
    form.files.value = "";
    await lookAtTable(form);
  } catch (err) {
    say.textContent = err.message; say.className = err.cancelled ? "small" : "bad";
  }
  delete form.dataset.busy;
}

function tables() {
  const form = document.querySelector("form[data-table]");
  if (!form) return;
  const zone = form.querySelector("[data-table-drop]");
  let soon;
  form.addEventListener("change", (e) => {
    if ("own" in e.target.dataset) return; // it changes nothing of the table
    if (e.target === form.files) keepFiles(form, [...form.files.files]);
    else lookAtTable(form);
  });
  form.addEventListener("input", (e) => {
    if (!e.target.matches("textarea#cells,input[type=text]")) return;
    clearTimeout(soon);
    soon = setTimeout(() => lookAtTable(form), 400);
  });
  form.addEventListener("submit", (e) => {
    if (form.dataset.busy || !["order", "rest"].includes(e.submitter?.value)) { e.preventDefault(); if (!form.dataset.busy) lookAtTable(form, e.submitter?.value === "more" ? "more" : "look"); return; }
    form.dataset.busy = "1"; // a second click orders nothing twice
    looks++;
  });
  addEventListener("pageshow", (e) => { if (e.persisted) delete form.dataset.busy; });
  zone.addEventListener("dragover", (e) => { e.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (e) => {
    e.preventDefault(); zone.classList.remove("over");
    const dropped = [...e.dataTransfer.files], isTable = (f) => /\.(xlsx|csv|tsv|tab|txt)$/i.test(f.name);
    const table = dropped.find(isTable), others = dropped.filter((f) => f !== table);
    if (table && form.sheet) {
      const list = new DataTransfer();
      list.items.add(table);
      form.sheet.files = list.files;
    }
    if (others.length > 0) keepFiles(form, others);
    else if (table) lookAtTable(form);
  });
}

tables();
