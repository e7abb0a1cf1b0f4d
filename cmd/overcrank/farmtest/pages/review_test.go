//go:build linux

package pages_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestAClientReviewsAFilm follows a producer who makes a link, and a client in another browser who comments on a frame, rejects and approves,
// until the link is revoked.
func TestAClientReviewsAFilm(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	job := f.Finished(f.SubmitCard(f.Register("zip", farmtest.TitleCard(t)).ID, map[string]any{"frames": []int{60, 83}}))
	producer := signedIn(t, f)
	producer.open("/jobs/" + job.ID)
	producer.canBeRead("/jobs/… with reviews")
	producer.click("#new-review summary")
	producer.fill("#review-for", "Client")
	producer.expect("status of 400")
	producer.fill("#review-password", "short")
	producer.click(`#new-review button[type=submit]`)
	producer.until(`document.querySelector("#review-password[aria-invalid]") !== null && document.querySelector("#review-for").value === "Client"`)
	producer.fill("#review-password", "tungsten")
	producer.click(`#new-review button[type=submit]`)
	producer.until(`document.getElementById("review-address") !== null`)
	address := value[string](producer, `document.getElementById("review-address").textContent`)
	_, path, _ := strings.Cut(address, "/review/")
	producer.namesTheStudio()
	producer.open("/jobs/" + job.ID)
	producer.shows("Link for Client")

	client := newBrowser(t, f.Server)
	client.open("/jobs/" + job.ID) // leads to the sign-in page: the client has no account
	client.until(`location.pathname === "/sign-in"`)
	client.expect("status of 401", "status of 404") // before the password, and after the link was revoked
	client.open("/review/" + path)
	client.canBeRead("/review/… with a password")
	client.fill("#password", "tungsten")
	client.click(`button[type=submit]`)
	client.until(`document.querySelector("[data-review]")?.dataset.frame === "0" && document.querySelector("video").readyState >= 2`)
	client.until(`document.querySelector(".studio img.logo")?.naturalWidth > 0`)
	client.canBeRead("/review/…")
	client.stepsTo(2)
	client.until(`Math.floor(document.querySelector("video").currentTime * JSON.parse(document.querySelector("[data-review]").dataset.review).takes[0].rate) === 2`)
	client.switchesKeysOff()
	client.stepsTo(2)
	client.fill("#name", "Cleo")
	client.fill("#text", "Warmer, please")
	client.size(1360, 400)
	client.until(`((pad, film) => Math.abs(pad.width / pad.height - film.videoWidth / film.videoHeight) < .02)(document.querySelector(".stage svg").getBoundingClientRect(), document.querySelector("video"))`)
	client.size(1360, 900)
	client.click("#draw")
	client.do(chromedp.Evaluate(`(() => {
		const pad = document.querySelector("svg.drawing"), r = pad.getBoundingClientRect();
		for (const [type, x, y] of [["pointerdown", .2, .2], ["pointermove", .5, .5], ["pointermove", .8, .3], ["pointerup", .8, .3]])
			pad.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, isPrimary: true, clientX: r.left + x * r.width, clientY: r.top + y * r.height }));
	})()`, nil))
	client.until(`document.querySelectorAll("svg polyline").length === 1`)
	client.click(`#say button[type=submit]`)
	client.until(`document.querySelector("#remarks")?.textContent.includes("Frame 62, with a drawing")`) // as the strip of the job calls it
	producer.shows("Warmer, please")
	client.picture("review")
	client.decides()
	producer.until(`document.querySelector("#reviews").textContent.includes("Too dark")`)
	producer.until(`document.querySelector("#reviews").textContent.includes("approved")`)
	producer.shows("frame 62")
	client.do(network.Enable())
	client.speaks("de")
	client.open("/review/" + path)
	client.until(`document.querySelector("#remarks").textContent.includes("abgelehnt") && document.querySelector("#remarks").textContent.includes("freigegeben")`)
	client.speaks("en")
	client.open("/review/" + path)
	client.size(390, 844)
	client.until(`document.documentElement.scrollWidth <= innerWidth`)
	client.scheme("dark")
	client.canBeRead("/review/… with verdicts")

	producer.click(`form[action$="/revoke"] button`)
	producer.until(`document.querySelector("#reviews ul") !== null && document.querySelector('form[action$="/revoke"]') === null`)
	client.until(`document.querySelector("#problem").textContent.includes("was revoked")`)
	client.open("/review/" + path)
	client.shows("was revoked")
	client.canBeRead("/review/… that was revoked")
}

// switchesKeysOff switches the keys of one letter off on a client's page, which the browser keeps as long as they are not switched on again.
func (b *browser) switchesKeysOff() {
	b.t.Helper()
	at := func(frame int) {
		b.t.Helper()
		b.until(fmt.Sprintf(`document.querySelector("[data-review]")?.dataset.frame === "%d" && document.querySelector("video").readyState >= 2 && !document.querySelector("video").seeking`, frame))
	}
	b.do(chromedp.KeyEvent("?"))
	b.until(`document.getElementById("keys").open`)
	if listed := value[string](b, `[...document.querySelectorAll("#keys h3")].filter((h) => h.checkVisibility()).map((h) => h.textContent).join()`); listed != "Everywhere,Player" {
		b.t.Errorf("the keys of a review are those of %s", listed)
	}
	b.canBeRead("the keys of a review")
	b.click("#single-keys")
	b.open(value[string](b, `location.pathname`))
	at(0)
	b.do(chromedp.KeyEvent("?"), chromedp.KeyEvent("."), chromedp.KeyEvent("l"), chromedp.KeyEvent(kb.ArrowRight))
	at(1) // by the arrow alone
	if value[bool](b, `document.getElementById("keys").open || !document.querySelector("video").paused`) {
		b.t.Error("keys of one letter do something though they are switched off")
	}
	b.click("#keys-open")
	b.click("#single-keys")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until(`!document.getElementById("keys").open && !document.activeElement.closest("dialog")`) // which has the keys until then
	b.do(chromedp.KeyEvent(","))
	at(0)
}

// stepsTo goes to a frame by the keys, back too if one came twice.
func (b *browser) stepsTo(frame int) {
	b.t.Helper()
	farmtest.Await(b.t, fmt.Sprintf("the keys to bring frame %d", frame), func() bool {
		switch at := value[int](b, `Number(document.querySelector("[data-review]").dataset.frame)`); {
		case at < frame:
			b.do(chromedp.KeyEvent(kb.ArrowRight))
		case at > frame:
			b.do(chromedp.KeyEvent(kb.ArrowLeft))
		default:
			return true
		}
		return false
	})
	b.until(`!document.querySelector("video").seeking`)
}

// decides rejects by the keyboard, which needs words, and approves by the mouse.
func (b *browser) decides() {
	b.t.Helper()
	reject := []chromedp.Action{focus(`[data-verdict=rejected]`), chromedp.KeyEvent(kb.Enter)}
	b.keysUntil(`document.querySelector("#problem").textContent.includes("Say what is wrong") && document.activeElement.id === "text"`, reject...)
	b.fill("#text", "Too dark")
	b.keysUntil(`document.querySelector("#remarks").textContent.includes("rejected")`, reject...)
	b.click(`[data-verdict=approved]`)
	b.until(`document.querySelector("#remarks").textContent.includes("approved")`)
}

// namesTheStudio has the pages of links show a logo, as an administrator does.
func (b *browser) namesTheStudio() {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "logo.png")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 900, 300))); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, picture.Bytes(), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.open("/settings/studio")
	b.canBeRead("/settings/studio")
	b.do(chooseFiles(`[data-drop="logo"] input`, path))
	b.until(`document.querySelector(".clients-see img")?.naturalWidth === 480`)
	b.canBeRead("/settings/studio with a logo")
	b.picture("settings-studio")
}
