//go:build linux

package pages_test

import (
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/durable"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/titlecard"
	"overcrank/raftstore/porttest"
)

// TestMain lets four tests run at a time, unless it is told how many: they wait for farms and browsers more than they compute, and whoever runs all tests
// would wait for the last of them with a processor idle.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestAProducerRendersInTheBrowser(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir(), "--slots", "3")
	b := signedIn(t, f)
	b.shows("Nothing has been rendered yet")

	template := b.uploadsTheCard()
	night := picturePath(t, titlecard.Night)
	b.fillsIn("Night Shift", "Spring spot", night)
	b.click(`form button.primary`)
	id := b.watchesItRender()
	b.scrubs()
	f.Await("the page to show the whole log", func() bool {
		return value[string](b, `[...document.querySelectorAll("#log span")].map((s) => s.textContent).join("")`) == f.LogOf(id)
	})

	b.open("/templates/" + template)
	b.until(`document.querySelector("img.poster").naturalWidth == 640`) // what the engine drew of it, not the sign that stands for a picture
	b.picture("template")
	b.fillsIn("Late Night Shift", "Spring spot, late", night)
	b.until(`((p) => "drawn" in p.dataset && !p.hasAttribute("aria-busy"))(document.querySelector("[data-preview]"))`)
	b.do(chromedp.Evaluate(`delete document.querySelector("[data-preview]").dataset.drawn`, nil)) // which may be of before it was filled in
	b.do(chromedp.Evaluate(`document.querySelector("textarea").dispatchEvent(new Event("input", { bubbles: true }))`, nil))
	b.until(`"drawn" in document.querySelector("[data-preview]").dataset`)
	b.picture("new-job")
	b.threeAtOnce(f, template, night)
	b.open("/jobs")
	b.shows("Spring spot")
}

// uploadsTheCard brings a file that is no project, then the title card, and gives the template's id.
func (b *browser) uploadsTheCard() string {
	b.t.Helper()
	wrong := filepath.Join(b.t.TempDir(), "notes.txt")
	if err := os.WriteFile(wrong, []byte("no project"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.open("/templates")
	b.do(chooseFiles("#project", wrong))
	b.shows("notes.txt is not an After Effects project")
	project := filepath.Join(b.t.TempDir(), "Title Card.zip")
	if err := os.Link(farmtest.TitleCard(b.t), project); err != nil {
		b.t.Fatal(err)
	}
	b.do(chooseFiles("#project", project))
	b.until(`location.pathname.startsWith("/templates/")`)
	b.shows("Subtitle")
	b.shows("Film Strip")
	b.shows("Draws exactly") // the strip, which has no text
	return strings.TrimPrefix(value[string](b, `location.pathname`), "/templates/")
}

// fillsIn opens the form of the template that is shown, and fills it in.
func (b *browser) fillsIn(title, name, picture string) {
	b.t.Helper()
	b.click(`.head a.primary`)
	b.do(visible("textarea"))
	b.painted()
	b.fill("textarea", title)
	b.fill("#name", name)
	b.do(chooseFiles(`input[type=file][accept="image/*"]`, picture))
	b.until(`document.querySelector('[data-drop=asset] input[type=hidden]').value.startsWith("farm://")`)
	b.until(`document.querySelector('[data-drop=asset] img').naturalWidth > 0`)
}

// watchesItRender stays on the job's page until the film is there, and gives the job's id.
func (b *browser) watchesItRender() string {
	b.t.Helper()
	b.until(`location.pathname.startsWith("/jobs/")`)
	b.until(`document.querySelectorAll(".film img").length >= 6`)
	b.until(`document.querySelectorAll("#log span").length > 3`)
	b.picture("job")
	b.until(`document.getElementById("player") !== null && document.getElementById("player").duration > 5.9`)
	b.until(`document.querySelectorAll(".film img").length === 12`)
	b.until(`[...document.querySelectorAll(".film img")].every((i) => i.complete && i.naturalWidth > 0)`)
	return strings.TrimPrefix(value[string](b, `location.pathname`), "/jobs/")
}

// scrubs plays the film, and goes through it by pointer and by keys.
func (b *browser) scrubs() {
	b.t.Helper()
	b.until(`document.querySelector("#stage .poster-over") !== null && !document.getElementById("player").seeking`) // the film begins in the dark
	b.until(`document.getElementById("viewer").dataset.frame === "0" && dark(document.getElementById("player"))`)
	b.picture("job-poster")
	b.do(chromedp.Evaluate(`document.getElementById("player").muted = true; document.getElementById("player").play().catch(() => {})`, nil))
	b.until(`document.getElementById("player").currentTime > 0.1 && document.querySelector("#stage .poster-over") === null`)
	b.do(chromedp.Evaluate(`document.getElementById("player").pause()`, nil))
	place := value[struct{ X, Y float64 }](b, `(({left, top, width, height}) => ({X: left + width * 0.55, Y: top + height / 2}))(document.querySelector("#film ol").getBoundingClientRect())`)
	b.do(chromedp.MouseEvent(input.MouseMoved, place.X, place.Y))
	b.until(`!document.getElementById("peek").hidden && document.querySelector("#peek img").naturalWidth > 0`)
	b.do(chromedp.MouseClickXY(place.X, place.Y))
	b.until(`(({currentTime, seeking, readyState}) => currentTime > 2.8 && currentTime < 3.8 && !seeking && readyState >= 3)(document.getElementById("player"))`)
	b.do(chromedp.MouseEvent(input.MouseMoved, 1, 1))
	b.until(`document.getElementById("peek").hidden`)
	b.picture("job-finished")
	b.do(focus("#film"), chromedp.KeyEvent(kb.Home))
	b.until(`document.getElementById("player").currentTime < 0.1`)
	b.do(chromedp.KeyEvent(kb.ArrowRight))
	b.until(`document.getElementById("player").currentTime > 0 && document.activeElement.getAttribute("aria-valuenow") !== "0"`)
	// What the farm draws meanwhile does not move the place that the reader is at.
	b.do(chromedp.Evaluate(`at = document.activeElement.getAttribute("aria-valuenow");
		put("job", document.getElementById("job").outerHTML.replace('aria-valuenow="' + at + '"', 'aria-valuenow="0"'))`, nil))
	b.until(`document.getElementById("film").getAttribute("aria-valuenow") === at && at !== "0"`)
	b.do(chromedp.KeyEvent(" "))
	b.until(`!document.getElementById("player").paused`)
	b.do(chromedp.KeyEvent(" "))
	b.until(`document.getElementById("player").paused`)
}

// threeAtOnce shows the pages while three jobs render and one waits, and cancels one.
func (b *browser) threeAtOnce(f *farmtest.Farm, template, night string) {
	b.t.Helper()
	morning := f.HandOver(picturePath(b.t, morningColours)) // painting takes longer than the farm may have for its jobs
	order := func(name, picture string) string {
		assets := []map[string]any{{"type": "text", "layerName": titlecard.TitleLayer, "value": name}, farmtest.Busy()}
		if picture != "" {
			assets = append(assets, map[string]any{"type": "image", "layerName": titlecard.PictureLayer, "src": picture})
		}
		job, err := f.Submit(b.t.Context(), map[string]any{
			"name": name, "template": map[string]string{"id": template, "composition": titlecard.Composition}, "assets": assets,
		})
		if err != nil {
			b.t.Fatal(err)
		}
		return job.ID
	}
	order("Winter sale", f.HandOver(night))
	order("Autumn spot", "")
	order("Frühling im Norden", morning)
	order("Autumn spot, French", "")
	b.open("/")
	b.shows("Latest results")
	b.until(`[...document.querySelectorAll(".run .film")].filter((f) => f.querySelectorAll("img").length >= 4).length === 3`)
	b.until(`[...document.images].every((i) => !i.checkVisibility() || i.getBoundingClientRect().top > innerHeight || i.naturalWidth > 0)`)
	b.picture("home")
	b.scheme("dark")
	b.picture("home-dark")
	b.scheme("light")
	order("Autumn spot, Dutch", "")
	order("Frühling im Süden", morning)
	b.open("/machines")
	b.until(`document.querySelectorAll(".atwork img").length > 0 && [...document.querySelectorAll(".atwork img")].every((i) => i.naturalWidth > 100)`)
	b.picture("machines")

	b.open("/jobs/" + order("Autumn spot, Danish", ""))
	b.click(`.head button.danger`)
	b.shows("Cancelled before it finished")
}

// morningColours are those of a landscape in the morning.
var morningColours = titlecard.Palette{
	Sky:    [3][3]float64{{120, 190, 235}, {190, 226, 232}, {255, 240, 205}},
	Sun:    [3]float64{255, 252, 235},
	SunAt:  [2]float64{0.66, 0.34},
	Ridges: [5][3]float64{{150, 196, 176}, {104, 166, 132}, {66, 130, 94}, {36, 92, 66}, {16, 56, 44}},
}

// picturePath is a file with a picture in given colours.
func picturePath(t *testing.T, p titlecard.Palette) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "picture.png")
	if err := durable.Write(path, 0o600, func(w io.Writer) error { return png.Encode(w, titlecard.Picture(p)) }); err != nil {
		t.Fatal(err)
	}
	return path
}

// findsOnATelephone checks that what a wide window has in its top line is there on a narrow one too: to find something, and one's account.
func (b *browser) findsOnATelephone() {
	b.t.Helper()
	b.size(390, 844)
	for _, control := range []string{"#palette-open", ".whoname", `form[action="/theme"] button`, `form[action="/sign-out"] button`} {
		b.until(`(() => { const at = document.querySelector(` + "`" + control + "`" + `).getBoundingClientRect(); return at.width >= 24 && at.height >= 24 && at.right <= 390; })()`)
	}
	b.click("#palette-open")
	b.until(`document.querySelector("#palette").open && document.activeElement.id === "palette-search"`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.click(".whoname")
	b.shows("Your account")
	b.size(1360, 900)
}

// setsHyphensClosely checks that the typeface has figures of one width, and yet words with hyphens as close as without.
func (b *browser) setsHyphensClosely() {
	b.t.Helper()
	type widths struct{ One, Seven, Hyphen, Plain float64 }
	got := value[widths](b, `document.fonts.load("15px Inter").then(() => {
		const line = document.body.appendChild(document.createElement("span")), root = document.documentElement;
		line.style.cssText = "position: absolute; white-space: pre";
		const wide = (text, figures) => { line.style.fontVariantNumeric = figures; line.textContent = text.repeat(100); return line.getBoundingClientRect().width / 100; };
		const page = getComputedStyle(root).fontVariantNumeric;
		const found = { One: wide("1", page), Seven: wide("7", page), Hyphen: wide("e-m", page), Plain: wide("e-m", "normal") };
		line.remove();
		return found;
	})`)
	if got.One != got.Seven || got.Hyphen != got.Plain || got.One == 0 {
		b.t.Errorf("figures and hyphens are as wide as %+v", got)
	}
}

func TestThePagesCanBeReadAndComeBackWithTheFarm(t *testing.T) {
	t.Parallel()
	listen := porttest.Address(t) // at which it comes back
	f := farmtest.Up(t, t.TempDir(), "--listen", listen)
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	still := f.SubmitCard(template, map[string]any{"type": "image", "frames": 30})
	failed := f.SubmitCard(template, nil, map[string]any{"type": "text", "layerName": "Titel", "value": "x", "composition": titlecard.Composition})
	f.Finished(still)
	f.Ended(failed)
	b := newBrowser(t, f.Server)
	b.open("/sign-in")
	b.setsHyphensClosely()
	b.canBeRead("/sign-in")
	b.open("/sign-in?with=secret")
	b.canBeRead("/sign-in?with=secret")
	b.do(types("#token", f.Token+kb.Enter))
	b.shows("Overview")
	b.shows("1 failed job needs you.")
	b.findsOnATelephone()
	b.open("/jobs/" + still) // everypage_test.go goes to all other pages
	b.canBeRead("/jobs/… of a picture")
	for _, page := range []struct{ path, picture string }{
		{"/failures", "failures"}, {"/wall", "wall"}, {"/settings/coordinators", "coordinators-alone"}, {"/settings/sharing", "sharing-alone"},
	} {
		b.open(page.path)
		b.canBeRead(page.path)
		b.looksRight(page.path, page.picture)
	}

	b.expect("WebSocket connection", "ERR_", "status of 503") // the farm is stopped, and takes a moment to begin again
	b.click(`.rail a[href="/jobs"]`)
	b.until(`document.querySelectorAll("tbody tr").length === 2`)
	b.rowsStayUnderThePointer(func() { f.Finished(f.SubmitCard(template, map[string]any{"type": "image", "frames": 35})) })
	f.Stop()
	b.shows("Live updates are paused")
	b.click(`.rail a[href="/machines"]`)
	b.shows("The farm does not answer. This page opens “Machines” as soon as it does.")
	f = farmtest.Up(t, f.Dir, "--listen", listen)
	b.until(`location.pathname === "/machines" && document.readyState === "complete" && document.getElementById("lost").hidden`)
	b.click(`.rail a[href="/jobs"]`)
	b.until(`document.querySelectorAll("tbody tr").length === 3`)
	f.Finished(f.SubmitCard(template, map[string]any{"type": "image", "frames": 40}))
	b.until(`document.querySelectorAll("tbody tr").length === 4`)
	b.overviewStaysUnderThePointer(func() { f.Finished(f.SubmitCard(template, map[string]any{"type": "image", "frames": 45})) })

	b.open("/wall")
	b.do(chromedp.Evaluate(`document.body.dataset.before = "1"`, nil))
	f.Stop()
	b.shows("Live updates are paused")
	farmtest.Up(t, f.Dir, "--listen", listen)
	b.until(`document.body.dataset.before === undefined && document.querySelector("#wall") !== null`) // it is another release, maybe
}

// rowsStayUnderThePointer points at the first row of the list of jobs while another job comes, which goes before it.
func (b *browser) rowsStayUnderThePointer(another func()) {
	b.t.Helper()
	const first = `document.querySelector("tbody tr").id`
	was := value[string](b, first)
	b.movesOnto(`document.querySelector("tbody tr")`)
	another()
	b.until(`waiting.get("jobs")?.split("<tr id").length === 4`)
	if now := value[string](b, first); now != was {
		b.t.Errorf("the row under the pointer was %s, and is %s", was, now)
	}
	b.movesUntil(1, 1, `document.querySelectorAll("tbody tr").length === 3 && waiting.size === 0`)
}

// overviewStaysUnderThePointer points at the first of the latest results while another comes, which goes before it when the reader asks for it.
func (b *browser) overviewStaysUnderThePointer(another func()) {
	b.t.Helper()
	const first = `document.querySelector("article.done[id^=done-]")`
	b.open("/")
	b.shows("Latest results")
	b.do(chromedp.Evaluate(first+`.scrollIntoView({ block: "center" })`, nil))
	was := value[string](b, first+`.id`)
	b.movesOnto(first)
	top := value[float64](b, first+`.getBoundingClientRect().top`)
	another()
	b.until(`!document.getElementById("changes").hidden`)
	if now, at := value[string](b, first+`.id`), value[float64](b, first+`.getBoundingClientRect().top`); now != was || at != top {
		b.t.Errorf("what was under the pointer was %s at %v, and is %s at %v", was, top, now, at)
	}
	b.click("#changes")
	// What came just behind what was shown waits again while the pointer, which is on the button still, is on a row beneath it.
	b.movesUntil(1, 1, first+`.id !== "`+was+`" && document.getElementById("changes").hidden`)
}

// movesUntil moves the pointer near a place until a script says true.
func (b *browser) movesUntil(x, y float64, script string) {
	b.t.Helper()
	b.moves(func() (float64, float64) { return x, y }, script)
}

// movesOnto moves the pointer onto an element, wherever that is meanwhile: a page that has just been opened may still be laid out.
func (b *browser) movesOnto(element string) {
	b.t.Helper()
	b.moves(func() (float64, float64) {
		place := value[struct{ X, Y float64 }](b, `(({left, top}) => ({X: left + 8, Y: top + 8}))(`+element+`.getBoundingClientRect())`)
		return place.X, place.Y
	}, element+`.matches(":hover")`)
}

// moves moves the pointer near a place, as a hand does that is not quite still, until a script says true: a browser drops what the pointer does
// while it has nothing painted, and one on a busy machine has been seen to drop a single move later too.
func (b *browser) moves(place func() (x, y float64), script string) {
	b.t.Helper()
	end := time.Now().Add(farmtest.Patience)
	for tremor := 0.0; !value[bool](b, script); tremor = 1 - tremor {
		if time.Now().After(end) {
			b.failed(fmt.Errorf("however the pointer moves, never true: %s", script))
		}
		x, y := place()
		b.do(chromedp.MouseEvent(input.MouseMoved, x+tremor, y), chromedp.Sleep(50*time.Millisecond))
	}
}

// canBeRead holds the page that is open to what axe looks at, dark on a telephone, and has it be no wider than its window. The walk over every page
// (everypage_test.go) has axe look at it in light and in a window too.
func (b *browser) canBeRead(path string) {
	b.t.Helper()
	b.scheme("dark")
	b.size(390, 900)
	b.isNotTooWide(path, 390)
	b.hasNoFinding(path + ", dark on a telephone")
	b.size(680, 900) // a window at 200 %
	b.isNotTooWide(path, 680)
	b.scheme("light")
	b.size(1360, 900)
	b.isNotTooWide(path, 1360)
}

// isNotTooWide has the page that is open be no wider than its window, which has some width.
func (b *browser) isNotTooWide(path string, width int64) {
	b.t.Helper()
	if out := value[string](b, `document.documentElement.scrollWidth > innerWidth
		? [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80)).slice(0, 3).join("; ") || "?" : ""`); out != "" {
		b.t.Errorf("%s is wider than a window of %d pixels: %s", path, width, out)
	}
}

// looksRight holds the page that is open to the widths of a telephone, a small and a large window: none is wider than its window, no control is
// smaller than a finger's 24 pixels (WCAG 2.2, 2.5.8; links within sentences are free), and no word is clipped. It keeps a picture of each.
func (b *browser) looksRight(path, picture string) {
	b.t.Helper()
	for _, width := range []int64{390, 1024, 1440} {
		b.size(width, 900)
		b.isNotTooWide(path, width)
		if small := value[string](b, smallControls); small != "" {
			b.t.Errorf("%s, %d pixels wide, has controls below 24 pixels: %s", path, width, small)
		}
		b.clipsNoWords(path, width)
		for _, scheme := range []string{"dark", "light"} {
			b.scheme(scheme)
			b.picture(fmt.Sprintf("%s-%d-%s", picture, width, scheme))
		}
	}
}

// clipsNoWords has all words of the page that is open be shown whole in its window, which has some width, and none be squeezed into a column of letters.
func (b *browser) clipsNoWords(path string, width int64) {
	b.t.Helper()
	if clipped := value[string](b, clippedWords); clipped != "" {
		b.t.Errorf("%s, %d pixels wide, clips words: %s", path, width, clipped)
	}
	if squeezed := value[string](b, squeezedWords); squeezed != "" {
		b.t.Errorf("%s, %d pixels wide, squeezes words: %s", path, width, squeezed)
	}
}

// smallControls lists the controls that are shown and lower or narrower than 24 pixels.
const smallControls = `[...document.querySelectorAll("main button, main select, main input:not([type=hidden],[type=checkbox],[type=radio])")].filter((e) => {
	const { width, height } = e.getBoundingClientRect();
	return e.checkVisibility() && width > 1 && (width < 24 || height < 24);
}).map((e) => e.outerHTML.slice(0, 80)).join("; ")`

// clippedWords lists texts that do not fit into what they stand in, without a sign that they go on.
const clippedWords = `[...document.querySelectorAll("main *")].filter((e) => {
	const style = getComputedStyle(e);
	return e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) && style.overflowX === "hidden" && style.textOverflow !== "ellipsis" &&
		e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1;
}).map((e) => e.textContent.trim().slice(0, 40)).join("; ")`

// squeezedWords lists texts of which three lines or more hold less than four letters each.
const squeezedWords = `(() => {
	const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT), found = [], range = document.createRange();
	while (walk.nextNode()) {
		const text = walk.currentNode.data.trim();
		if (text.length < 3 || text.length > 400 || !walk.currentNode.parentElement.checkVisibility()) continue;
		range.selectNodeContents(walk.currentNode);
		const lines = new Set([...range.getClientRects()].filter((r) => r.width > 1).map((r) => Math.round(r.top))).size;
		if (lines > 2 && text.length / lines < 4) found.push(text.slice(0, 40));
	}
	return found.join("; ");
})()`

func TestThePagesFollowTheThemeAndTheKeys(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	if _, err := f.CreatePerson(t.Context(), client.NewAccess{Name: "Mia", Role: "artist"}); err != nil { // a farm without people shows how it is set up
		t.Fatal(err)
	}
	b := newBrowser(t, f.Server)
	b.open("/sign-in?with=secret")
	b.do(types("#token", f.Token+kb.Enter))
	b.shows("Overview")

	const background = `getComputedStyle(document.body).backgroundColor`
	b.scheme("light")
	light := value[string](b, background)
	b.click(`button[name=theme]`)
	b.until(`document.documentElement.dataset.theme === "dark" && document.readyState === "complete"`)
	if dark := value[string](b, background); light == dark {
		t.Errorf("light and dark have the same ground: %s", dark)
	}

	b.painted()
	b.keysUntil(`location.pathname === "/machines"`, chromedp.KeyEvent("g"), chromedp.KeyEvent("m"))
	b.painted()
	b.do(chromedp.KeyEvent("?"))
	b.until(`document.getElementById("keys").open`)
	if shown := value[string](b, `[...document.querySelectorAll("#keys h3")].filter((h) => h.checkVisibility()).map((h) => h.textContent).join()`); shown != "Everywhere,Lists,Rows that are selected" {
		t.Errorf("the keys of the page of machines are those of %s", shown)
	}
	b.canBeRead("the list of keys")
	b.click("#single-keys")
	f.Await("the farm to keep that", func() bool {
		return value[bool](b, `fetch("/account").then((a) => a.text()).then((page) => !/name="on" value="1" checked/.test(page))`)
	})
	b.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("?"), chromedp.KeyEvent("g"), chromedp.KeyEvent("j"))
	b.open("/machines") // keys of one letter are off, and stay so
	b.do(chromedp.KeyEvent("?"))
	if value[bool](b, `document.getElementById("keys").open || document.getElementById("single-keys").checked || location.pathname !== "/machines"`) {
		t.Error("keys of one letter do something though they are switched off")
	}
	b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(input.ModifierCtrl)))
	b.until(`document.getElementById("palette").open`)
	b.do(types("#palette-search", "failed"+kb.Enter))
	b.until(`location.pathname === "/jobs" && location.search === "?state=failed"`)
	b.shows("No jobs in this state")
	b.painted()
	b.do(chromedp.KeyEvent(kb.Tab))
	b.until(`document.activeElement.className === "skip" && getComputedStyle(document.activeElement).outlineStyle === "solid"`)

	b.click(`form[action="/sign-out"] button`)
	b.do(visible("#name"))
	b.painted()
	b.expect("status of 401")
	b.do(types("#name", "nobody"+kb.Tab), types("#password", "nonsense"+kb.Enter))
	b.shows("do not belong together")
}
