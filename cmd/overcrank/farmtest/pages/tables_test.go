//go:build linux

package pages_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/image/font/gofont/goregular"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
)

// TestAProducerOrdersManyFromATable goes from a spreadsheet's file, and the pictures that it names, to films on the contact sheet.
func TestAProducerOrdersManyFromATable(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir(), "--slots", "3")
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	if _, err := f.RenameTemplate(t.Context(), template, "Season spot"); err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, f)
	b.shows("Nothing has been rendered yet")
	b.open("/templates/" + template)
	b.click(`a[href^="/new/table"]`)
	b.do(visible("#sheet"))
	b.painted()

	dir := t.TempDir()
	table := "\ufeffTitle;Headline;Picture;@name;@frames;#note\r\n"
	for _, row := range []string{
		"Spring Sale;Until Sunday;night.png;Spring, English;40-64;", "Soldes;Jusqu’à dimanche;night.png;Spring, French;40-64;",
		"Frühling;Bis Sonntag;morning.png;Spring, German;40-64;", "Lente;Tot zondag;morning.png;Spring, Dutch;40-64;",
		"Forår;Til søndag;;Spring, Danish;40-64;", "Vår;Till söndag;;Spring, Swedish;40-64;",
	} {
		table += row + "\r\n"
	}
	sheet := filepath.Join(dir, "variants.csv")
	if err := os.WriteFile(sheet, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	b.do(chooseFiles("#sheet", sheet))
	b.shows("the template has no layer “Headline”")
	b.shows("the file “night.png” is missing")
	b.until(`document.querySelector('button[value=order]').disabled && document.querySelector("#cells").value.includes("Frühling")`)
	// The second column's meaning is chosen by keys alone.
	b.keysUntil(`document.querySelector("#about-1").value === "Subtitle"`, focus("#about-1"), chromedp.KeyEvent("Sub"))
	b.until(`document.querySelector("#about-1").value === "Subtitle" && !document.body.innerText.includes("no layer “Headline”")`)

	var files []string
	for name, colours := range map[string]titlecard.Palette{"night.png": titlecard.Night, "morning.png": morningColours} {
		path := filepath.Join(dir, name)
		if err := os.Rename(picturePath(t, colours), path); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	b.do(chooseFiles("#files", files...))
	b.until(`!document.querySelector('button[value=order]').disabled && document.querySelectorAll('input[name=kept]').length === 2`)
	b.canBeRead("/new/table")
	b.size(1360, 1500)
	b.do(chromedp.Evaluate(`scrollTo(0, 0)`, nil))
	b.picture("table")
	b.size(1360, 900)

	b.keysUntil(`location.pathname.startsWith("/batches/")`, chromedp.Evaluate(`document.querySelector("button[value=order]")?.focus()`, nil), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelectorAll(".contact .state.finished").length === 6`)
	b.shows("6 of 6 finished")
	b.until(`[...document.querySelectorAll(".contact img")].every((i) => i.complete && i.naturalWidth > 200)`)
	b.canBeRead("/batches/…")
	b.size(1360, 900)
	b.picture("batch")
	b.do(chromedp.Evaluate(`fetch(location.pathname + "/results.zip").then((r) => r.blob()).then((blob) => {
		const reader = new FileReader();
		reader.onload = () => { window.packed = reader.result.split(",")[1]; };
		reader.readAsDataURL(blob);
	}), 0`, nil))
	b.until(`!!window.packed`)
	packed, err := base64.StdEncoding.DecodeString(value[string](b, `window.packed`))
	if err != nil {
		t.Fatal(err)
	}
	films, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(films.File) != 6 || films.File[0].Name != "Spring, English.mp4" {
		t.Errorf("the zip of the results holds %d files, %v", len(films.File), err)
	}

	batch := strings.TrimPrefix(value[string](b, `location.pathname`), "/batches/")
	b.click(".contact")
	b.shows("Spring, English")
	b.until(`document.getElementById("player") !== null && document.getElementById("player").duration > 0.9`)
	b.takesResultsHome(batch)
	b.countsWhatItCost()

	b.open("/new/table?template=" + template)
	b.do(chromedp.Evaluate(`(() => {
		const dropped = new DataTransfer();
		dropped.items.add(new File(["Title\tPicture\n5\" screen\ta.png\n"], "cells.tsv"));
		dropped.items.add(new File(["no picture, really"], "A.PNG"));
		document.querySelector("[data-table-drop]").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: dropped }));
	})()`, nil))
	b.until(`document.querySelector('button[value=order]')?.disabled === false && document.querySelector(".asrows textarea").value === '5" screen'`)
	b.do(chromedp.Evaluate(`(() => {
		const cells = document.querySelector("#cells");
		cells.value = "Titel\tPicture\nPasted\tb.png";
		cells.dispatchEvent(new Event("input", { bubbles: true }));
	})()`, nil))
	b.shows("Is this right?")
	b.shows("the file “b.png” is missing")

	// A line that is too long leaves the columns and the other rows where they are.
	b.do(chromedp.Evaluate(`(() => {
		const cells = document.querySelector("#cells");
		cells.value = "Title\tSubtitle\nGood\tx\nToo\tlong\tby one";
		cells.dispatchEvent(new Event("input", { bubbles: true }));
	})()`, nil))
	b.shows("Line 3, column 3: “by one” has no heading")
	b.until(`document.querySelector("#about-0").value === "Title" && document.querySelector("#about-1").value === "Subtitle" && document.querySelector(".asrows textarea").value === "Good"`)
	b.canBeRead("/new/table, with a line that is too long")
	b.do(focus(`button[value=rest]`), chromedp.KeyEvent(kb.Enter))
	b.shows("1 job was submitted.")
	b.until(`document.querySelector("#cells").value.includes("by one") && !document.querySelector("#cells").value.includes("Good")`)
}

// TestFailedJobsAreResubmittedInTheirPlaces shows what failed on the contact sheet, and has new takes stand there.
func TestFailedJobsAreResubmittedInTheirPlaces(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	job := func(layer string) map[string]any {
		return map[string]any{
			"name": "sets " + layer, "template": map[string]any{"id": f.Register("zip", farmtest.TitleCard(t)).ID, "composition": titlecard.Composition}, "settings": map[string]any{"frames": []int{0, 1}},
			"assets": []any{map[string]any{"type": "data", "layerName": layer, "property": "Effects.Nothing.Color", "value": 1}},
		}
	}
	made, err := f.CreateBatch(t.Context(), []map[string]any{job(titlecard.TitleLayer), job(titlecard.SubtitleLayer)})
	if err != nil {
		t.Fatal(err)
	}
	failed, err := json.Marshal([]string{made.Jobs[0].ID, made.Jobs[1].ID})
	if err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, f)
	b.open("/batches/" + made.BatchID)
	b.until(`document.querySelectorAll(".contact .why").length === 2`)
	b.until(fmt.Sprintf(`%s.every((id) => document.getElementById("job-" + id))`, failed))
	b.shows("Nothing")
	b.open("/batches/" + made.BatchID + "?state=failed")
	b.shows("2. sets Subtitle")
	b.canBeRead("/batches/…?state=failed")
	b.do(focus(`form[action$="/again"] button`), chromedp.KeyEvent(kb.Enter))
	b.until(fmt.Sprintf(`location.pathname.endsWith(%q) && location.search === ""`, "/batches/"+made.BatchID))
	b.until(fmt.Sprintf(`document.querySelectorAll(".contact .why").length === 2 && !%s.some((id) => document.getElementById("job-" + id))`, failed))
}

// TestAProducerLooksAfterTheSettings makes a token, brings a font, and chooses it in place of those that are missing: of a template, and of a job that failed.
func TestAProducerLooksAfterTheSettings(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	b := signedIn(t, f)
	b.shows("Nothing has been rendered yet")
	b.open("/settings/api-tokens")
	b.do(types("#name", "Render button of the shop"+kb.Enter))
	b.until(`document.querySelector(".secret").textContent.startsWith("oct_")`)
	b.canBeRead("/settings/api-tokens")
	b.size(1360, 900)
	b.do(chromedp.Evaluate(`document.querySelector(".secret").textContent = "oct_" + "•".repeat(32)`, nil))
	b.picture("tokens")

	withoutItsFont(f)
	failsForAFont(f, f.Card(), "Gotham-Bold.ttf")
	b.open("/settings/fonts")
	path := filepath.Join(t.TempDir(), "Go-Regular.ttf")
	if err := os.WriteFile(path, goregular.TTF, 0o600); err != nil {
		t.Fatal(err)
	}
	b.do(chooseFiles(`[data-drop=font] input[type=file]`, path))
	b.shows("Go Regular")
	b.until(`document.querySelector("img.specimen").naturalWidth > 100`)
	b.canBeRead("/settings/fonts")
	b.picture("fonts")
	b.click(`a[href="/settings/fonts/named?font=GoRegular"]`)
	b.shows("No template in use names it")
	b.until(`document.querySelector("img.specimen.large").naturalWidth > 100`)
	b.canBeRead("/settings/fonts/named")
	b.picture("font")
	for _, path := range []string{"/settings/secrets", "/batches"} { // which have none
		b.open(path)
		b.canBeRead(path)
	}
	b.choosesAnotherFont(f, "Gotham-Bold.ttf")
	fonts, err := f.Fonts(t.Context())
	if err != nil || len(fonts.Items) != 3 {
		t.Fatalf("the farm has the fonts %s, %v", fonts.JSON(), err)
	}
	for i, want := range []client.Font{{FileName: "Go-Regular.ttf"}, {FileName: "GoRegular for Exter-Bold.ttf", CopyOf: "GoRegular"}, {FileName: "Gotham-Bold.ttf", CopyOf: "GoRegular"}} {
		if got := fonts.Items[i]; got.FileName != want.FileName || got.CopyOf != want.CopyOf {
			t.Errorf("the font %d is %+v, want %+v", i, got, want)
		}
	}
}
