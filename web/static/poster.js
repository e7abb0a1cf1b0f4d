// What stands for a film that begins in the dark, until somebody moves it: a frame from further on, in which something is to be seen.
"use strict";

// dark says whether nothing can be seen of what a video shows.
function dark(video) {
  const small = Object.assign(document.createElement("canvas"), { width: 32, height: 18 }), pen = small.getContext("2d", { willReadFrequently: true });
  const visible = 32; // of 255
  pen.drawImage(video, 0, 0, small.width, small.height);
  const { data } = pen.getImageData(0, 0, small.width, small.height);
  for (let i = 0; i < data.length; i += 4) {
    if ((0.2126 * data[i] + 0.7152 * data[i + 1] + 0.0722 * data[i + 2]) * data[i + 3] / 255 >= visible) return false;
  }
  return true;
}

// posterOver lays a poster over a video in its box once the frame that it is on is there, if that one is dark. given ends with the reader's first move,
// which takes the poster away.
async function posterOver(box, video, given) {
  const sought = () => new Promise((done) => {
    video.addEventListener("seeked", done, { once: true, signal: given });
    given.addEventListener("abort", done, { once: true });
  });
  const seek = (to) => { const there = sought(); video.currentTime = to; return there; };
  if (video.seeking || video.readyState < 2) await sought();
  if (given.aborted || !dark(video)) return;
  const was = video.currentTime;
  for (const part of [0.5, 0.25, 0.75]) {
    await seek(video.duration * part);
    if (given.aborted) return;
    if (dark(video)) continue;
    const wide = Math.min(video.videoWidth, Math.ceil(box.clientWidth * devicePixelRatio)) || 1;
    const poster = Object.assign(document.createElement("canvas"), { className: "poster-over", width: wide, height: Math.max(1, Math.round(wide * video.videoHeight / video.videoWidth)) });
    poster.setAttribute("aria-hidden", "true");
    poster.getContext("2d").drawImage(video, 0, 0, poster.width, poster.height);
    video.after(poster);
    given.addEventListener("abort", () => poster.remove());
    break;
  }
  await seek(was);
}
