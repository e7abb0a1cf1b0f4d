// Passkeys: signing in with a device, by a button or among the names that the browser offers, and adding one to an account.
"use strict";

(() => {
  const enter = document.getElementById("passkey-enter"), add = document.getElementById("passkey-add");
  const place = enter ?? add;
  if (!place || !window.PublicKeyCredential || !window.isSecureContext) return;
  if (location.hostname !== place.dataset.domain) return;

  const renew = 9 * 60 * 1000; // ms after which a challenge that waits for an answer is replaced, before it runs out
  let waiting = null; // what is asked of the devices now

  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

  // send asks the farm for something, and gives what it answers; its own words are the error otherwise.
  async function send(path, body) {
    const answer = await fetched(path, { method: "POST", headers: { Accept: "application/json", "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) });
    const told = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(told.error || said("The farm did not answer. Try again in a moment."));
    return told;
  }

  // say shows what went wrong.
  function say(words) {
    const line = place.querySelector("[data-say]");
    line.textContent = words && !/[.!?]$/.test(words) ? words + "." : words;
    line.hidden = !words;
  }

  // why is an error in words, "" for somebody who changed their mind.
  function why(e) {
    if (e.name === "NotAllowedError" || e.name === "AbortError") return "";
    if (e.name === "InvalidStateError") return said("This device has a passkey for your account already.");
    return e.message.charAt(0).toUpperCase() + e.message.slice(1);
  }

  function stop() {
    waiting?.abort();
    waiting = new AbortController();
    return waiting.signal;
  }

  // signIn asks the devices who is there. Quietly: the browser offers them in the field for the name, whenever it is used.
  async function signIn(quietly) {
    const signal = stop();
    try {
      const { publicKey } = await send("/passkey/challenge");
      if (signal.aborted) return;
      publicKey.challenge = bytes(publicKey.challenge);
      const ask = { publicKey, signal };
      if (quietly) ask.mediation = "conditional";
      const key = await navigator.credentials.get(ask);
      say("");
      const r = key.response;
      const { to } = await send("/passkey/sign-in", { to: place.dataset.to, answer: {
        id: key.id, rawId: text(key.rawId), type: key.type, clientExtensionResults: {},
        response: { clientDataJSON: text(r.clientDataJSON), authenticatorData: text(r.authenticatorData), signature: text(r.signature), userHandle: r.userHandle ? text(r.userHandle) : "" },
      } });
      location.assign(to);
    } catch (e) {
      if (signal.aborted) return;
      if (!quietly || e.name !== "NotAllowedError") say(why(e));
      if (!quietly) offer();
    }
  }

  let again = 0;
  async function offer() {
    clearTimeout(again);
    if (!await PublicKeyCredential.isConditionalMediationAvailable?.()) return;
    again = setTimeout(offer, renew);
    signIn(true);
  }

  async function make() {
    const signal = stop();
    say("");
    try {
      const { publicKey } = await send("/account/passkeys/challenge");
      publicKey.challenge = bytes(publicKey.challenge);
      publicKey.user.id = bytes(publicKey.user.id);
      for (const known of publicKey.excludeCredentials ?? []) known.id = bytes(known.id);
      const key = await navigator.credentials.create({ publicKey, signal });
      const r = key.response;
      const { to } = await send("/account/passkeys", { name: add.querySelector("[name=name]").value, answer: {
        id: key.id, rawId: text(key.rawId), type: key.type, clientExtensionResults: {},
        response: { clientDataJSON: text(r.clientDataJSON), attestationObject: text(r.attestationObject), transports: r.getTransports?.() ?? [] },
      } });
      location.assign(to);
    } catch (e) {
      if (!signal.aborted) say(why(e));
    }
  }

  place.hidden = false;
  document.querySelectorAll("[data-without-passkeys]").forEach((e) => { e.hidden = true; });
  if (enter) {
    enter.querySelector("button").addEventListener("click", () => { clearTimeout(again); signIn(false); });
    offer();
  }
  if (add) add.addEventListener("submit", (e) => { e.preventDefault(); make(); });
})();
