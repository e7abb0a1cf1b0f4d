//go:build linux

package pages_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/farmtest"
)

// TestAnEarlierVersionIsRenderedAndMadeCurrent replaces a template, renders its first version by mouse, and makes that current by keyboard.
func TestAnEarlierVersionIsRenderedAndMadeCurrent(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	if code, _, stderr := f.Command("templates", "replace", template, anotherCard(t), "--wait"); code != 0 {
		t.Fatalf("replacing the template exits with %d: %s", code, stderr)
	}
	b := signedIn(t, f)
	b.open("/templates/" + template)
	b.shows("This is version 2.")
	b.canBeRead("/templates/… with versions")
	b.looksRight("/templates/… with versions", "template-versions")
	b.shows("From version 1 to version 2")

	// The versions that are compared are chosen by keys: the other way round.
	b.do(focus(`#versions select[name=from]`), chromedp.KeyEvent("2"), focus(`#versions select[name=to]`), chromedp.KeyEvent("1"))
	b.until(`document.querySelector("#versions select[name=from]").value === "2" && document.querySelector("#versions select[name=to]").value === "1"`)
	b.do(focus(`#versions form[method=get] button`), chromedp.KeyEvent(kb.Enter))
	b.until(`location.search === "?from=2&to=1" && location.hash === "#versions"`)
	b.shows("From version 2 to version 1")

	b.click(`#versions a[href^="/new"][href$="&version=1"]`)
	b.until(`location.search.endsWith("version=1")`)
	b.do(visible("textarea"))
	b.shows("This job renders version 1 of the template")
	b.canBeRead("/new with a version")
	b.fill("#name", "As before")
	b.click(`button.primary[aria-keyshortcuts="Control+Enter"]`)
	b.until(`location.pathname.startsWith("/jobs/")`)
	b.shows("Version 1; the template has version 2 now.")

	b.open("/templates/" + template)
	b.do(focus(`#versions button[name=version]`), chromedp.KeyEvent(kb.Enter))
	b.shows("This is version 3.")
}

// anotherCard is the title card with one more file beside it.
func anotherCard(t testing.TB) string {
	t.Helper()
	card, err := zip.OpenReader(farmtest.TitleCard(t))
	if err != nil {
		t.Fatal(err)
	}
	defer card.Close()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, file := range card.File {
		if err := archive.Copy(file); err != nil {
			t.Fatal(err)
		}
	}
	if note, err := archive.Create("note.txt"); err != nil {
		t.Fatal(err)
	} else if _, err := note.Write([]byte("second version\n")); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "card.zip")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
