//go:build linux

package pages_test

import (
	"archive/zip"
	"crypto/rand"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// largeProject is the title card with footage that nothing packs: three parts of an upload.
func largeProject(t *testing.T, name string) string {
	t.Helper()
	card, err := zip.OpenReader(farmtest.TitleCard(t))
	if err != nil {
		t.Fatal(err)
	}
	defer card.Close()
	path := filepath.Join(t.TempDir(), name)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := zip.NewWriter(file)
	for _, entry := range card.File {
		if err := w.Copy(entry); err != nil {
			t.Fatal(err)
		}
	}
	noise, err := w.CreateHeader(&zip.FileHeader{Name: "(Footage)/plate.mov", Method: zip.Store})
	if err == nil {
		_, err = io.CopyN(noise, rand.Reader, 20<<20)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// uploadsAt has the browser's uploads take no more than some bytes a second; below 0 as many as it can.
func (b *browser) uploadsAt(bytes float64) {
	b.t.Helper()
	b.do(network.EmulateNetworkConditions(false, 0, -1, bytes))
}

// TestALargeTemplateArrivesThroughTroubles uploads a project while the coordinator is killed and the page is loaded again, and cancels another one.
func TestALargeTemplateArrivesThroughTroubles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := farmtest.LaunchAs(t, "coordinator", dir)
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	b := signedIn(t, f)
	b.expect("WebSocket", "Failed to load resource", "ERR_CONNECTION") // while the coordinator is away
	project := largeProject(t, "Spring spot.zip")
	b.open("/templates")
	b.canBeRead("/templates without any")
	b.do(network.Enable())
	b.uploadsAt(3 << 20)
	b.do(chooseFiles("#project", project))
	b.shows("Sending Spring spot.zip")
	b.until(`document.querySelector("[data-rate]").textContent.includes("MB/s")`)
	b.until(`document.querySelector(".drop progress").value > 9e6`) // in the second part
	b.picture("upload")
	f.Kill()
	b.shows("The upload goes on by itself when it is back")
	at, err := url.Parse(f.Server)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := farmtest.StartProgram(t, farmtest.Program(t), "coordinator", dir, "--listen", at.Host)
	b.until(`document.querySelector("[data-say]").textContent === "Sending Spring spot.zip…"`)

	b.open("/templates") // as somebody who closed the page and comes back
	b.do(chooseFiles("#project", project))
	b.shows("have already arrived")
	b.uploadsAt(-1)
	b.until(`location.pathname.startsWith("/templates/")`)
	b.shows("Film Strip")
	b.until(`document.querySelector(".reel img").naturalWidth > 600`) // frames that the engine drew, side by side
	b.do(emulation.SetEmulatedMedia(), focus(".reel"))                // by somebody who has nothing against motion
	b.until(`document.querySelector(".reel").getAnimations({ subtree: true }).length > 0 || !document.querySelector(".reel").matches(":focus-visible")`)
	b.canBeRead("a template with frames of its compositions")
	b.picture("template-frames")

	b.do(emulation.SetEmulatedMedia()) // pages that are looked at have no motion
	b.open("/templates")
	row := value[struct{ X, Y float64 }](b, `(({left, top, width, height}) => ({X: left + width / 2, Y: top + height / 2}))(document.querySelector("td a.name").getBoundingClientRect())`)
	b.do(chromedp.MouseEvent(input.MouseMoved, row.X, row.Y))
	b.until(`document.querySelector(".plays[data-ready] .view img").naturalWidth > 600 && document.querySelector(".plays .view").checkVisibility()`)
	b.canBeRead("/templates, a row that plays")
	b.uploadsAt(1 << 20)
	b.do(chooseFiles("#project", largeProject(t, "Autumn spot.zip")))
	b.until(`document.querySelector(".drop progress").value > 0`)
	b.click("[data-cancel]")
	b.shows("Cancelled.")
	b.until(`document.querySelector(".drop progress").hidden && !document.querySelector("[data-cancel]")`)
	left := func() []string {
		found, err := filepath.Glob(filepath.Join(dir, "files", "uploads", "*", "*", "0*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	again.Await("no part to be kept", func() bool { return len(left()) == 0 })

	b.choosesFiles(largeProject(t, "Winter spot.zip")) // by keyboard
	b.entersUntil(`document.querySelector("[data-cancel]") !== null && document.querySelector(".drop progress").value > 0`, `.drop [data-choose]`)
	b.entersUntil(`document.querySelector(".drop progress").hidden && !document.querySelector("[data-cancel]")`, `[data-cancel]`)
	again.Await("no part of the other to be kept", func() bool { return len(left()) == 0 })
}
