//go:build linux

package pages_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a headless Chromium that notes everything that goes wrong in a page.
type browser struct {
	context.Context
	t        *testing.T
	server   string
	mu       sync.Mutex
	problems []string
	expected []string      // words of problems that a test brings about
	looked   time.Duration // how long axe took in all
}

// signedIn is a browser that has come in by a link.
func signedIn(t *testing.T, f *farmtest.Farm) *browser {
	t.Helper()
	b := newBrowser(t, f.Server)
	link, err := f.SignInLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Navigate(link))
	b.click(`form[data-keeps-fragment] button[type=submit]`)
	b.do(visible("#palette-open"))
	b.painted()
	return b
}

// newBrowser starts a browser; at the end of the test its pages must have had no script errors and no refusals by the
// content policy.
func newBrowser(t *testing.T, server string) *browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Fatal("no browser: scripts/require browser installs one")
	}
	profile, err := os.MkdirTemp("", "browser-*")
	if err != nil {
		t.Fatal(err)
	}
	var program *exec.Cmd
	start := func(cmd *exec.Cmd) { // in a group of its own, with its helpers, which ends with the tests
		program, cmd.SysProcAttr = cmd, &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("no-first-run", true), chromedp.Flag("disable-quic", true),
		chromedp.ModifyCmdFunc(start), chromedp.UserDataDir(profile), chromedp.WindowSize(1360, 900), chromedp.WSURLReadTimeout(farmtest.Patience))
	alloc, stopAlloc := chromedp.NewExecAllocator(t.Context(), opts...)
	// The driver complains of events that are newer than it is; what goes wrong in a page is noted below.
	ctx, stop := chromedp.NewContext(alloc, chromedp.WithErrorf(func(string, ...any) {}))
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	b := &browser{Context: ctx, t: t, server: server}
	chromedp.ListenTarget(ctx, b.note)
	t.Cleanup(func() {
		cancel()
		stop()
		stopAlloc()
		if program != nil && program.Process != nil { // its helpers would write to its profile until they notice
			_ = syscall.Kill(-program.Process.Pid, syscall.SIGKILL)
		}
		farmtest.Await(t, "the browser to leave its profile", func() bool { return os.RemoveAll(profile) == nil })
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			if !slices.ContainsFunc(b.expected, func(words string) bool { return strings.Contains(p, words) }) {
				t.Errorf("the page: %s", p)
			}
		}
	})
	// The browser lives as long as the context of its first command, so that one has no time limit of its own.
	if err := chromedp.Run(ctx, log.Enable(), runtime.Enable(), page.Enable(), emulation.SetDeviceMetricsOverride(1360, 900, 1, false)); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return b
}

// note keeps what goes wrong in a page, and says yes to its questions.
func (b *browser) note(event any) {
	problem := ""
	switch e := event.(type) {
	case *page.EventJavascriptDialogOpening:
		go func() { // listeners must not wait for the browser
			if err := chromedp.Run(b, page.HandleJavaScriptDialog(true)); err != nil {
				b.trouble("answer “" + e.Message + "”: " + err.Error())
			}
		}()
	case *runtime.EventExceptionThrown:
		problem = e.ExceptionDetails.Error()
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError {
			problem = e.Entry.Text + " " + e.Entry.URL
		}
	}
	if problem != "" {
		b.trouble(problem)
	}
}

func (b *browser) trouble(problem string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = append(b.problems, problem)
}

func (b *browser) do(actions ...chromedp.Action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b, farmtest.Patience)
	defer cancel()
	for _, action := range actions {
		if err := chromedp.Run(ctx, action); err != nil {
			b.failed(err)
		}
	}
}

// failed ends the test and tells what the page shows.
func (b *browser) failed(err error) {
	b.t.Helper()
	var where, text string
	_ = chromedp.Run(b, chromedp.Location(&where), chromedp.Evaluate(`document.body.innerText.slice(0, 2000)`, &text))
	b.t.Fatalf("%v\nat %s, which shows:\n%s", err, where, text)
}

func (b *browser) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.server+path), untilTrue(`!!document.querySelector("main")`))
	b.painted()
}

// painted waits until the page has been painted: before that a browser drops what keys and pointers do.
func (b *browser) painted() {
	b.t.Helper()
	b.until(`document.readyState === "complete" && performance.getEntriesByType("paint").length > 0`)
}

// click clicks what a selector finds, in one moment, since the farm draws parts of a page anew at any time. It has to be seen, and nothing may lie on it.
func (b *browser) click(selector string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`((e) => {
		if (!e?.checkVisibility() || e.disabled) return false;
		e.scrollIntoView({ block: "center", behavior: "instant" });
		const { left, top, width, height } = e.getBoundingClientRect();
		if (!e.contains(document.elementFromPoint(left + width / 2, top + height / 2))) return false;
		e.click();
		return true;
	})(document.querySelector(%q))`, selector))
}

// fill fills a field in, as somebody does who types: the farm does not draw it anew then.
func (b *browser) fill(selector, text string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`((e) => {
		if (!e?.checkVisibility()) return false;
		e.value = %q;
		return e.dispatchEvent(new Event("input", { bubbles: true }));
	})(document.querySelector(%q))`, text, selector))
}

// keysUntil has keys pressed until a script says true. Some belong together when they follow each other fast, which those of a busy machine do not always.
func (b *browser) keysUntil(script string, keys ...chromedp.Action) {
	b.t.Helper()
	farmtest.Await(b.t, "the keys to bring "+script, func() bool {
		b.do(keys...)
		for range 40 {
			var yes bool
			if chromedp.Run(b, chromedp.Evaluate(script, &yes)) == nil && yes {
				return true
			}
			time.Sleep(50 * time.Millisecond)
		}
		return false
	})
}

// dragUntil drags from a place within an element, a part of its width from its left side, over some pixels, until a script says true: what is above
// the element may grow between looking where it is and pressing the button.
func (b *browser) dragUntil(element string, part, pixels float64, script string) {
	b.t.Helper()
	farmtest.Await(b.t, "dragging over "+element+" to bring "+script, func() bool {
		place := value[struct{ X, Y float64 }](b, fmt.Sprintf(`((e) => {
			e.scrollIntoView({ block: "center", behavior: "instant" });
			const { left, top, width, height } = e.getBoundingClientRect();
			return { X: left + width * %g, Y: top + height / 2 };
		})(document.querySelector(%q))`, part, element))
		b.do(chromedp.MouseEvent(input.MousePressed, place.X, place.Y, chromedp.ButtonLeft), chromedp.MouseEvent(input.MouseMoved, place.X+pixels, place.Y, chromedp.ButtonLeft),
			chromedp.MouseEvent(input.MouseReleased, place.X+pixels, place.Y, chromedp.ButtonLeft))
		return value[bool](b, script)
	})
}

// expect tells of problems that the test is about to bring about, by words of theirs.
func (b *browser) expect(words ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = append(b.expected, words...)
}

// size sets the size of the window in CSS pixels, and waits until the page has been drawn in it: before that, what is measured is of both sizes.
func (b *browser) size(width, height int64) {
	b.t.Helper()
	b.do(emulation.SetDeviceMetricsOverride(width, height, 1, false))
	b.until(fmt.Sprintf(`((size) => {
		if (document.drawnIn === size) return innerWidth === %d;
		if (document.askedFor !== size) {
			document.askedFor = size;
			requestAnimationFrame(() => requestAnimationFrame(() => { document.drawnIn = size; }));
		}
		return false;
	})(%q)`, width, rand.Text()))
}

// scheme sets which colours the visitor's system asks for, and that nothing moves, so that they are there at once.
func (b *browser) scheme(name string) {
	b.t.Helper()
	b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}))
}

// value is what a script says.
func value[T any](b *browser, script string) T {
	b.t.Helper()
	var v T
	b.do(chromedp.Evaluate(script, &v, awaited))
	return v
}

// until waits for a script to say true.
func (b *browser) until(script string) {
	b.t.Helper()
	b.do(untilTrue(script))
}

// shows waits for words on the page, and until all of the page is there: what is asked next may stand further down than the words.
func (b *browser) shows(words string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.readyState !== "loading" && document.body.innerText.includes(%q)`, words))
}

// picture keeps a picture of the page for the documentation when OVERCRANK_PICTURES names a folder.
func (b *browser) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("OVERCRANK_PICTURES")
	if dir == "" {
		return
	}
	var shot []byte
	b.do(chromedp.Sleep(150*time.Millisecond), chromedp.CaptureScreenshot(&shot)) // pictures that were just put in are painted
	if err := os.WriteFile(filepath.Join(dir, name+".png"), shot, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
