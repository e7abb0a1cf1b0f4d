//go:build linux

package pages_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// looks is a script's function that gives the pixels of the preview.
const looks = `looks = () => {
	const img = document.querySelector("[data-preview] img"), c = Object.assign(document.createElement("canvas"), { width: img.naturalWidth, height: img.naturalHeight });
	c.getContext("2d").drawImage(img, 0, 0);
	return c.toDataURL();
}`

func TestThePreviewFollowsWhatIsTyped(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	b := signedIn(t, f)
	b.uploadsTheCard()
	b.click(`.head a.primary`)
	b.do(visible("textarea"))
	b.painted()
	b.until(`document.querySelector("[data-preview]").dataset.drawn === "` + strconv.Itoa(titlecard.Frames/2) + `"`)
	b.do(chromedp.Evaluate(looks+`; before = looks()`, nil))

	b.looksBusy()
	b.fill("textarea", "Another word")
	b.until(`looks() !== before`)
	b.fill("textarea", "Overcrank")
	b.until(`looks() === before`)
	b.keysToPictures("Northlight")
	b.fill("textarea", "Overcrank")
	b.until(`looks() === before`)

	// Keys move the time, frame by frame; the picture of the time before stays until there is another.
	b.do(focus("[data-preview] input"), chromedp.KeyEvent(kb.ArrowRight))
	b.until(`document.querySelector("[data-preview]").dataset.drawn === "` + strconv.Itoa(titlecard.Frames/2+1) + `"`)
	b.do(chromedp.KeyEvent(kb.Home))
	b.until(`document.querySelector("[data-preview]").dataset.drawn === "0" && looks() !== before`)
	b.click("[data-play]")
	b.until(`document.querySelector("[data-preview]").dataset.drawn !== "0"`)
	b.click("[data-play]")
	b.until(`document.querySelector("[data-play]").textContent === "Play"`)

	b.do(focus("[data-preview] input"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.PageUp))
	b.until(`((p, s) => !p.hasAttribute("aria-busy") && p.dataset.drawn === s.value)(document.querySelector("[data-preview]"), document.querySelector("[data-preview] input"))`)
	b.do(chromedp.Evaluate(`before = looks()`, nil))
	b.do(chooseFiles(`input[type=file][accept="image/*"]`, picturePath(t, titlecard.Night)))
	b.until(`looks() !== before`)
	b.canBeRead(value[string](b, `location.pathname + location.search`))
	b.picture("preview")
}

// keysToPictures types letters, each once the picture of the one before is there, and tells how long pictures take from the key on. They are held to 300 ms
// where OVERCRANK_FIGURES is set (make release-checks): elsewhere the machine has other work.
func (b *browser) keysToPictures(letters string) {
	b.t.Helper()
	b.do(chromedp.Evaluate(`took = []; ((box) => {
		let since = 0;
		document.addEventListener("input", () => { since = performance.now(); }, true);
		new MutationObserver(() => {
			if (!since || box.hasAttribute("aria-busy")) return;
			took.push(performance.now() - since);
			since = 0;
		}).observe(box, { attributes: true, attributeFilter: ["aria-busy"] });
	})(document.querySelector("[data-preview]"))`, nil), focus("textarea"))
	for i, letter := range letters {
		b.do(chromedp.KeyEvent(string(letter)))
		b.until(fmt.Sprintf(`took.length === %d`, i+1))
	}
	took := value[[]float64](b, `took`)
	slices.Sort(took)
	median, most := took[len(took)/2], took[len(took)-1]
	b.t.Logf("from a key to its picture: %.0f ms, at most %.0f", median, most)
	if os.Getenv("OVERCRANK_FIGURES") != "" && median > 300 {
		b.t.Errorf("a picture takes %.0f ms from its key, 300 are asked for", median)
	}
}

// looksBusy has a preview that is waited for say so, by a line that moves only for those who have nothing against it.
func (b *browser) looksBusy() {
	b.t.Helper()
	const busy = `((p) => {
		p.setAttribute("aria-busy", "true");
		const screen = p.querySelector(".screen"), looks = getComputedStyle(screen, "::before").animationName + " " + getComputedStyle(screen, "::after").content;
		p.removeAttribute("aria-busy");
		return looks;
	})(document.querySelector("[data-preview]"))`
	for motion, want := range map[string]string{"no-preference": `shows, runs "Drawing…"`, "reduce": `shows "Drawing…"`} {
		b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: motion}}))
		if got := value[string](b, busy); got != want {
			b.t.Errorf("to a reader whose wish for motion is %q a preview that is waited for shows %s, want %s", motion, got, want)
		}
	}
	b.do(emulation.SetEmulatedMedia())
}
