package aerender

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSavedProjectRendersAsTheScriptLeftIt moves the saved project with its folder before it is rendered without the script.
func TestSavedProjectRendersAsTheScriptLeftIt(t *testing.T) {
	project := lay(t, sample())
	dir := filepath.Dir(project)
	var picture bytes.Buffer
	img := image.NewRGBA(image.Rect(0, 0, 40, 20))
	for i := range 40 * 20 {
		img.Set(i%40, i/40, color.RGBA{200, 0, 200, 255})
	}
	if err := png.Encode(&picture, img); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "(Assets)", "0"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "(Assets)", "0", "logo.png"), picture.String())
	script := put(t, filepath.Join(dir, "job.jsx"), `
		var comp = app.project.item(1);
		var title = comp.layer("title").property("Source Text");
		var doc = title.value;
		doc.text = "Another"; doc.fontSize = 30; doc.fillColor = [1, 1, 0];
		title.setValue(doc);
		comp.layer("bar").property("Position").expression = "[80, 45]";
		comp.layer("back").property("Opacity").setValue(80);
		comp.layer("film").remove();
		var logo = app.project.importFile(new ImportOptions(new File("`+filepath.ToSlash(filepath.Join(dir, "(Assets)", "0", "logo.png"))+`")));
		comp.layer("picture").replaceSource(logo, false);
		comp.layer("sound").startTime = 0.5;
	`)
	still := func(project string, more ...string) string {
		output := filepath.Join(t.TempDir(), "still.png")
		code, out := start(t, t.Context(), append([]string{"-project", project, "-comp", "main", "-output", output, "-s", "5", "-e", "5"}, more...)...)
		if code != 0 {
			t.Fatalf("exit code %d:\n%s", code, out)
		}
		data, err := os.ReadFile(output)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	want := still(project, "-r", script)

	code, out := start(t, t.Context(), "-project", project, "-r", script, "-save", filepath.Join(dir, "filled.aep"))
	if code != 0 || strings.Contains(out, "not saved") {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	has(t, out, `INFO:Saved project "filled.aep".`)
	elsewhere := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(dir, elsewhere); err != nil {
		t.Fatal(err)
	}
	if still(filepath.Join(elsewhere, "filled.aep")) != want {
		t.Error("the saved project does not render as the script left it")
	}
}

func TestSavingThatFailsLeavesNothing(t *testing.T) {
	project := lay(t, sample())
	dir := filepath.Dir(project)
	saved := put(t, filepath.Join(dir, "filled.aep"), "somebody's")
	code, out := start(t, t.Context(), "-project", project, "-save", saved)
	if code != exitRender || !strings.Contains(out, "aerender ERROR: After Effects error: the project can't be saved") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	if data, err := os.ReadFile(saved); err != nil || string(data) != "somebody's" {
		t.Errorf("the file that was there is now %q, %v", data, err)
	}
	throws := put(t, filepath.Join(dir, "throws.jsx"), `throw new Error("no");`)
	if code, _ := start(t, t.Context(), "-project", project, "-r", throws, "-save", filepath.Join(dir, "none.aep")); code != exitScript {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(filepath.Join(dir, "none.aep")); !os.IsNotExist(err) {
		t.Errorf("a failed script left a project: %v", err)
	}
}
