// A change that can be taken back: it is sent some seconds after it was asked for, or when the reader asks for another one or leaves the page.
"use strict";

const changing = (() => {
  const box = document.getElementById("undo"), wait = 6000;
  let held = null; // what is to be sent: { change, timer }

  function show(text, button) {
    box.replaceChildren(document.createTextNode(text + " "));
    if (button) box.append(button);
    box.hidden = false;
  }

  // let go of what is held, with which lists draw their rows anew.
  function take() {
    const { change, timer } = held;
    held = null;
    clearTimeout(timer);
    document.dispatchEvent(new CustomEvent("changing"));
    return change;
  }

  async function send() {
    if (!held) return;
    const change = take();
    try {
      const answer = await fetched(change.to, { method: "POST", body: change.body, headers: { Accept: "application/json" }, keepalive: true }, said("The farm did not answer. Nothing was changed; try again."));
      const told = await answer.json();
      if (!answer.ok) {
        change.refused();
        throw new Error(told.error);
      }
      show(told.message, told.to && Object.assign(document.createElement("a"), { className: "button", href: told.to, textContent: said("Show") }));
    } catch (err) {
      show(err.message);
    }
  }

  // hold keeps a change: { to, body, words, takenBack, refused }, of which the last two are called when it comes to nothing.
  function hold(change) {
    send();
    const back = Object.assign(document.createElement("button"), { type: "button", textContent: said("Undo") });
    back.addEventListener("click", () => {
      if (held?.change !== change) return;
      take();
      box.hidden = true;
      change.takenBack();
    });
    held = { change, timer: setTimeout(send, wait) };
    show(change.words, back);
    document.dispatchEvent(new CustomEvent("changing"));
    back.focus();
  }

  addEventListener("pagehide", send);
  return { hold, ids: () => held ? held.change.body.getAll("id") : [] };
})();
