//go:build linux

package pages_test

import (
	"archive/zip"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/farmtest"
)

// TestMissingFootageIsDroppedOnATemplatesPage uploads the title card's project without its files, and gives it these where the page names them as
// missing: the place for them comes while the page is open, with what was read.
func TestMissingFootageIsDroppedOnATemplatesPage(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	project, others := cardInParts(t)
	b := signedIn(t, f)
	b.open("/templates")
	b.do(chooseFiles("#project", project))
	b.until(`location.pathname.startsWith("/templates/")`)
	b.until(`document.querySelector("#footage") !== null`)
	b.shows("Footage is missing.")
	b.canBeRead("/templates/… without its footage")
	bare := value[string](b, `location.pathname`)

	b.until(`document.querySelectorAll("#footage [data-drop]").length === ` + strconv.Itoa(len(others)))
	for name, file := range others {
		b.do(chooseFiles(`#footage input[type=file][aria-label*="`+name+`"]`, file))
		b.until(`document.querySelector('#footage input[name="footage:` + name + `"]').value.startsWith("farm://")`)
	}
	b.do(focus(`#footage button[type=submit]`), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("#lacks") === null && document.body.innerText.includes("Subtitle")`)
	if at := value[string](b, `location.pathname`); at != bare {
		t.Errorf("with its files the template is at %s, not %s", at, bare)
	}
}

// cardInParts is the title card's project and its files, by their names, each on its own.
func cardInParts(t testing.TB) (project string, others map[string]string) {
	t.Helper()
	card, err := zip.OpenReader(farmtest.TitleCard(t))
	if err != nil {
		t.Fatal(err)
	}
	defer card.Close()
	dir := t.TempDir()
	others = map[string]string{}
	for _, file := range card.File {
		if file.FileInfo().IsDir() {
			continue
		}
		from, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(from)
		from.Close()
		if err != nil {
			t.Fatal(err)
		}
		name := path.Base(file.Name)
		to := filepath.Join(dir, name)
		if err := os.WriteFile(to, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if path.Ext(name) == ".aep" {
			project = to
		} else {
			others[name] = to
		}
	}
	return project, others
}
