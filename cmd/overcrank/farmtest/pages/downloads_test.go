//go:build linux

package pages_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	download "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/farmtest"
)

// file is what a browser has downloaded.
type file struct {
	name string // that the farm gave it
	data []byte
}

// table is the file as a table in which all rows have the columns of the first.
func (f file) table(t *testing.T) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(f.data)).ReadAll()
	if err != nil || len(rows) == 0 || !strings.HasSuffix(f.name, ".csv") {
		t.Fatalf("%s is no table (%v):\n%s", f.name, err, f.data)
	}
	return rows
}

// packed are the names of what the file packs.
func (f file) packed(t *testing.T) (names []string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(f.data), int64(len(f.data)))
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	for _, packed := range z.File {
		if packed.UncompressedSize64 == 0 {
			t.Errorf("%s packs %s without a byte", f.name, packed.Name)
		}
		names = append(names, packed.Name)
	}
	return names
}

// loads presses a link or a button, with the mouse or by Enter, and gives the file that the browser downloads then.
func (b *browser) loads(selector string, byKeys bool) file {
	b.t.Helper()
	listening, done := context.WithTimeout(b, farmtest.Patience)
	defer done()
	events := make(chan any, 64)
	chromedp.ListenTarget(listening, func(event any) {
		switch e := event.(type) {
		case *download.EventDownloadWillBegin:
			events <- e
		case *download.EventDownloadProgress:
			if e.State != download.DownloadProgressStateInProgress {
				events <- e
			}
		}
	})
	dir := b.t.TempDir()
	b.painted()
	b.do(download.SetDownloadBehavior(download.SetDownloadBehaviorBehaviorAllowAndName).WithDownloadPath(dir).WithEventsEnabled(true))
	if byKeys {
		b.do(visible(selector), focus(selector), chromedp.KeyEvent(kb.Enter))
	} else {
		b.click(selector)
	}
	names := map[string]string{}
	for {
		select {
		case event := <-events:
			switch e := event.(type) {
			case *download.EventDownloadWillBegin:
				names[e.GUID] = e.SuggestedFilename
			case *download.EventDownloadProgress:
				data, err := os.ReadFile(filepath.Join(dir, e.GUID))
				if err != nil || e.State != download.DownloadProgressStateCompleted {
					b.failed(fmt.Errorf("downloading %s was %s: %w", names[e.GUID], e.State, err))
				}
				return file{names[e.GUID], data}
			}
		case <-listening.Done():
			b.failed(fmt.Errorf("%s downloads nothing", selector))
		}
	}
}

// takesResultsHome downloads what became of a batch of six films as a table, and the films under names of the producer's choice.
func (b *browser) takesResultsHome(batch string) {
	b.t.Helper()
	b.open("/batches/" + batch)
	for _, byKeys := range []bool{false, true} {
		rows := b.loads(`a[href$="/results.csv"]`, byKeys).table(b.t)
		state, named, title := slices.Index(rows[0], "state"), slices.Index(rows[0], "name"), slices.Index(rows[0], "Title")
		if len(rows) != 7 || state < 0 || named < 0 || title < 0 || rows[3][named] != "Spring, German" || rows[3][title] != "Frühling" || rows[3][state] != "finished" {
			b.t.Errorf("what became of the batch: %q", rows)
		}
	}

	const first = `document.querySelector("ol.names li")?.textContent`
	const gets, previews = `#names-form button.primary`, `#names-form button:not(.primary)`
	b.presses(`a[href$="/batches/` + batch + `/download"]`)
	b.until(first + ` === "Spring, English.mp4"`)
	b.expect("status of 400") // the batch has no column of this name
	b.fill("#names", "{season}")
	b.presses(previews)
	b.until(`document.querySelector("#names-problem").textContent.includes("season")`)
	b.fill("#names", "{row} {Title}")
	b.presses(previews)
	b.until(first + ` === "1 Spring Sale.mp4"`)
	if got, want := b.loads(gets, false).packed(b.t), []string{"1 Spring Sale.mp4", "2 Soldes.mp4", "3 Frühling.mp4", "4 Lente.mp4", "5 Forår.mp4", "6 Vår.mp4"}; !slices.Equal(got, want) {
		b.t.Errorf("the files are called %q, not %q", got, want)
	}

	b.open("/batches/" + batch)
	b.entersUntil(`location.pathname.endsWith("/download") && document.readyState === "complete"`, `a[href$="/batches/`+batch+`/download"]`)
	b.painted()
	b.do(untilTrue(`((e) => { e.focus(); e.select(); return document.activeElement === e; })(document.getElementById("names"))`), chromedp.KeyEvent("{name}, row {row}"+kb.Enter))
	b.until(first + ` === "Spring, English, row 1.mp4"`)
	if got := b.loads(gets, true).packed(b.t); len(got) != 6 || got[5] != "Spring, Swedish, row 6.mp4" {
		b.t.Errorf("by keyboard the files are called %q", got)
	}
}

// countsWhatItCost gives machine hours a price, by mouse and then another by keyboard, and downloads the report of a batch of six films each time.
func (b *browser) countsWhatItCost() {
	b.t.Helper()
	b.open("/reports")
	b.fill("#perHour", "3600") // a second costs one
	b.fill("#currency", "EUR")
	b.presses(`form[action="/reports/rates"] button`)
	b.until(`document.getElementById("perHour").value === "3600"`)
	b.costs("3600", "EUR", false)
	b.do(untilTrue(`((e) => { e.focus(); e.select(); return document.activeElement === e; })(document.getElementById("currency"))`), chromedp.KeyEvent("CHF"+kb.Enter))
	b.until(`document.readyState === "complete" && document.querySelector(".figures").textContent.includes("CHF")`)
	b.costs("3600", "CHF", true)
}

// costs checks that the page of reports and its table have costs at a rate for all machine hours.
func (b *browser) costs(perHour, currency string, byKeys bool) {
	b.t.Helper()
	b.until(fmt.Sprintf(`[...document.querySelectorAll(".figures div")].find((e) => e.textContent.startsWith("Cost"))?.textContent.includes(%q)`, currency))
	rows := b.loads(`a[href^="/reports.csv"]`, byKeys).table(b.t)
	column := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	rate, err := strconv.ParseFloat(perHour, 64)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, row := range rows[1:] {
		if column(row, "by") != "template" || column(row, "name") != "Season spot" {
			continue
		}
		hours, wrong := strconv.ParseFloat(column(row, "machine hours"), 64)
		cost, bad := strconv.ParseFloat(column(row, "cost"), 64)
		if wrong != nil || bad != nil || column(row, "jobs finished") != "6" || column(row, "currency") != currency || hours <= 0 || math.Abs(cost-hours*rate) > rate*0.0001 {
			b.t.Errorf("six films at %s %s an hour: %q", perHour, currency, row)
		}
		return
	}
	b.t.Errorf("the template of the films is in no row: %q", rows)
}
