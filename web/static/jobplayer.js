// The player on a job's page. It begins when the film is there, also while the page is open.
"use strict";

(() => {
  let shown = "", player = null;
  function begin() {
    const viewer = document.getElementById("viewer"), data = viewer?.dataset.player || "";
    if (data === shown) return;
    player?.end();
    player = null;
    shown = data;
    if (!data) return;
    const { job, takes } = JSON.parse(data), take = (takes || []).find((t) => t.id === job);
    if (!take) return;
    const film = document.getElementById("film");
    player = playerOf(viewer, takes, take, {
      preload: "metadata",
      told: (n) => { if (film && !film.matches(":focus-visible, :hover")) film.setAttribute("aria-valuenow", n + take.first); },
    });
  }
  document.addEventListener("put", begin);
  // The strip of frames says which frame to show.
  document.addEventListener("frame", (e) => {
    if (!player) return;
    player.stop();
    player.go(e.detail - player.take().first);
  });
  begin();
})();
