// Notifications of the browser: shown while a page is open, in browsers in which somebody has asked for them by a click.
"use strict";

(() => {
  const key = "notices", possible = "Notification" in window && window.isSecureContext;
  const on = () => possible && Notification.permission === "granted" && localStorage.getItem(key) === "on";

  document.addEventListener("notice", (e) => {
    if (!on()) return;
    const { text, path, tag } = e.detail;
    try {
      const shown = new Notification(text, { tag, icon: "/static/icon.svg" }); // of several tabs the tag leaves one
      shown.onclick = () => { window.focus(); location.assign(path); shown.close(); };
    } catch { /* some phones show them from service workers only */ }
  });

  const box = document.getElementById("browser-notices");
  if (!box) return;
  const button = box.querySelector("button"), words = box.querySelector("p");
  function show() {
    box.hidden = false;
    button.hidden = !possible || Notification.permission === "denied";
    button.textContent = on() ? said("Stop showing them in this browser") : said("Show them in this browser");
    words.textContent = !possible ? said("This browser shows notifications only for a farm at an https address.")
      : Notification.permission === "denied" ? said("This browser has been told to show no notifications of the farm; its settings can change that.")
      : on() ? said("Shown while a page of the farm is open.") : "";
  }
  button.addEventListener("click", async () => {
    if (on()) localStorage.removeItem(key);
    else if (await Notification.requestPermission() === "granted") localStorage.setItem(key, "on");
    show();
  });
  show();
})();
