//go:build linux

package pages_test

import (
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestAClientReviewsAFilm follows a producer who makes a link, and a client in another browser who comments on a frame, with a drawing.
func TestAClientReviewsAFilm(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	job := f.Finished(f.SubmitCard(f.Card(), map[string]any{"frames": []int{0, 23}}))
	producer := signedIn(t, f)
	producer.open("/jobs/" + job.ID)
	producer.canBeRead("/jobs/… with reviews")
	producer.click("#new-review summary")
	producer.fill("#review-for", "Client")
	producer.fill("#review-password", "tungsten")
	producer.click(`#new-review button[type=submit]`)
	producer.until(`document.getElementById("review-address") !== null`)
	address := value[string](producer, `document.getElementById("review-address").textContent`)
	_, path, _ := strings.Cut(address, "/review/")
	producer.open("/jobs/" + job.ID)
	producer.shows("Link for Client")

	client := newBrowser(t, f.Server)
	client.open("/jobs/" + job.ID) // leads to the sign-in page: the client has no account
	client.until(`location.pathname === "/sign-in"`)
	client.open("/review/" + path)
	client.canBeRead("/review/… with a password")
	client.fill("#password", "tungsten")
	client.click(`button[type=submit]`)
	client.until(`document.querySelector("[data-review]")?.dataset.frame === "0" && document.querySelector("video").readyState >= 2`)
	client.canBeRead("/review/…")
	client.keysUntil(`document.querySelector("[data-review]").dataset.frame === "2" && !document.querySelector("video").seeking`, chromedp.KeyEvent(kb.ArrowRight))
	client.until(`Math.floor(document.querySelector("video").currentTime * JSON.parse(document.querySelector("[data-review]").dataset.review).takes[0].rate) === 2`)
	client.fill("#name", "Cleo")
	client.fill("#text", "Warmer, please")
	client.click("#draw")
	client.do(chromedp.Evaluate(`(() => {
		const pad = document.querySelector("svg.drawing"), r = pad.getBoundingClientRect();
		for (const [type, x, y] of [["pointerdown", .2, .2], ["pointermove", .5, .5], ["pointermove", .8, .3], ["pointerup", .8, .3]])
			pad.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, isPrimary: true, clientX: r.left + x * r.width, clientY: r.top + y * r.height }));
	})()`, nil))
	client.until(`document.querySelectorAll("svg polyline").length === 1`)
	client.click(`#say button[type=submit]`)
	client.until(`document.querySelector("#remarks")?.textContent.includes("Frame 2, with a drawing")`)
	producer.shows("Warmer, please")
	client.picture("review")
}
