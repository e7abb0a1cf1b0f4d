//go:build linux

package main

import (
	"context"
	"fmt"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/titlecard"
)

// browser is a headless Chromium that notes everything that goes wrong in a page.
type browser struct {
	context.Context
	t        *testing.T
	server   string
	mu       sync.Mutex
	problems []string
}

// newBrowser starts a browser; at the end of the test its pages must have had no script errors and no refusals by the
// content policy.
func newBrowser(t *testing.T, server string) *browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Fatal("no browser: scripts/require browser installs one")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("no-first-run", true), chromedp.Flag("disable-quic", true),
		chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1360, 900), chromedp.WSURLReadTimeout(time.Minute))
	alloc, stopAlloc := chromedp.NewExecAllocator(t.Context(), opts...)
	ctx, stop := chromedp.NewContext(alloc)
	ctx, cancel := context.WithTimeout(ctx, 4*time.Minute)
	b := &browser{Context: ctx, t: t, server: server}
	chromedp.ListenTarget(ctx, b.note)
	t.Cleanup(func() {
		cancel()
		stop()
		stopAlloc()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			t.Errorf("the page: %s", p)
		}
	})
	// The browser lives as long as the context of its first command, so that one has no time limit of its own.
	if err := chromedp.Run(ctx, log.Enable(), runtime.Enable(), emulation.SetDeviceMetricsOverride(1360, 900, 1, false)); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return b
}

func (b *browser) note(event any) {
	problem := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		problem = e.ExceptionDetails.Error()
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError {
			problem = e.Entry.Text + " " + e.Entry.URL
		}
	}
	if problem != "" {
		b.mu.Lock()
		b.problems = append(b.problems, problem)
		b.mu.Unlock()
	}
}

func (b *browser) do(actions ...chromedp.Action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b, 90*time.Second)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		b.failed(err)
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
	b.do(chromedp.Navigate(b.server+path), chromedp.WaitReady("main"))
}

// until waits for a script to say true. The page may change while it waits: a script that is cut off by that is asked
// again on the next page.
func (b *browser) until(script string) {
	b.t.Helper()
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var yes bool
		if err = chromedp.Run(b, chromedp.Evaluate(script, &yes)); err == nil && yes {
			return
		}
	}
	b.failed(fmt.Errorf("never true: %s (last error: %v)", script, err))
}

// shows waits for words on the page.
func (b *browser) shows(words string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.body.innerText.includes(%q)`, words))
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

func TestAProducerRendersInTheBrowser(t *testing.T) {
	f := startUp(t, t.TempDir())
	b := newBrowser(t, f.Server)
	link, err := f.SignInLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Navigate(link))
	b.shows("Nothing has been rendered yet")
	b.picture("home-empty")

	b.open("/templates")
	b.do(chromedp.SetUploadFiles("#project", []string{titleCardZip(t)}, chromedp.ByQuery))
	b.until(`location.pathname.startsWith("/templates/")`)
	b.shows("Subtitle")
	b.shows("Film Strip")
	b.picture("template")

	b.do(chromedp.Click(`.head a.primary`, chromedp.ByQuery), chromedp.WaitVisible("textarea", chromedp.ByQuery))
	b.do(chromedp.SetValue("textarea", "Night Shift", chromedp.ByQuery), chromedp.SetValue("#name", "Spring spot", chromedp.ByQuery))
	picture := filepath.Join(t.TempDir(), "night.png")
	if err := writeTo(picture, func(w io.Writer) error { return png.Encode(w, titlecard.Picture(titlecard.Night)) }); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(`input[type=file][accept="image/*"]`, []string{picture}, chromedp.ByQuery))
	b.until(`document.querySelector('[data-drop=asset] input[type=hidden]').value.startsWith("farm://")`)
	b.picture("new-job")
	b.do(chromedp.Click(`form button.primary`, chromedp.ByQuery))

	b.until(`location.pathname.startsWith("/jobs/")`)
	b.until(`document.querySelectorAll(".film img").length >= 4`)
	b.until(`document.querySelectorAll("#log span").length > 3`)
	b.picture("job")
	b.until(`document.getElementById("player") !== null && document.getElementById("player").duration > 5.9`)
	b.until(`[...document.querySelectorAll(".film img")].every((i) => i.complete && i.naturalWidth > 0)`)
	b.picture("job-finished")

	b.open("/jobs")
	b.shows("Spring spot")
	b.open("/machines")
	b.shows("embedded")
	b.picture("machines")
	b.open("/")
	b.shows("Just finished")
	b.picture("home")
}

func TestThePagesFollowTheThemeAndTheKeys(t *testing.T) {
	f := startUp(t, t.TempDir())
	template := f.card()
	f.finished(f.submitCard(template, map[string]any{"frames": []int{0, 30}}))
	b := newBrowser(t, f.Server)
	b.open("/sign-in")
	b.do(chromedp.SendKeys("#token", f.Token+kb.Enter, chromedp.ByQuery))
	b.shows("Is my work fine?")

	var light, dark string
	background := `getComputedStyle(document.body).backgroundColor`
	b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}}), chromedp.Evaluate(background, &light))
	b.do(chromedp.Click(`button[name=theme]`, chromedp.ByQuery))
	b.until(`document.documentElement.dataset.theme === "dark" && document.readyState === "complete"`)
	b.do(chromedp.Evaluate(background, &dark))
	if light == dark {
		t.Errorf("light and dark have the same ground: %s", dark)
	}
	b.picture("home-dark")

	b.do(chromedp.KeyEvent("g"), chromedp.KeyEvent("m"))
	b.until(`location.pathname === "/machines"`)
	b.until(`document.readyState === "complete"`)
	b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(input.ModifierCtrl)))
	b.until(`document.getElementById("palette").open`)
	b.do(chromedp.SendKeys("#palette-search", "failed"+kb.Enter, chromedp.ByQuery))
	b.until(`location.pathname === "/jobs" && location.search === "?state=failed"`)
	b.shows("No such jobs")

	b.do(chromedp.Click(`form[action="/sign-out"] button`, chromedp.ByQuery), chromedp.WaitVisible("#token", chromedp.ByQuery))
}

func TestAWrongTokenIsToldApart(t *testing.T) {
	f := startUp(t, t.TempDir())
	b := newBrowser(t, f.Server)
	b.open("/jobs")
	b.do(chromedp.SendKeys("#token", "nonsense"+kb.Enter, chromedp.ByQuery))
	b.shows("does not know this token")
	b.mu.Lock()
	b.problems = withoutStatus(b.problems, "401")
	b.mu.Unlock()
}

// withoutStatus leaves out the browser's own note that a page was answered with a status that was asked for.
func withoutStatus(problems []string, status string) []string {
	var out []string
	for _, p := range problems {
		if !strings.Contains(p, "status of "+status) {
			out = append(out, p)
		}
	}
	return out
}
