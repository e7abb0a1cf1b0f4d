// The wall: nobody touches it, so it loads itself anew. After the farm was away it may be another release, whose pages and scripts are others; and
// only a page that is loaded has its cookie replaced, which is due each twelve hours (coordinator/people/session.go).
"use strict";

document.addEventListener("regained", () => location.reload());
setInterval(async () => { if (!lost && await serves("")) location.reload(); }, 13 * 3600 * 1000);
