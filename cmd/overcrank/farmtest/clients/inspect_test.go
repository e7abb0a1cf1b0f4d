//go:build linux

package clients_test

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// lackingCard is a title card without its footage, with a font that nobody has, pixels of two shapes and an expression that fails.
func lackingCard(t *testing.T) (path string) {
	t.Helper()
	p := titlecard.Project()
	p.Composition(titlecard.Strip).Comp.PixelAspect = 2
	for _, l := range p.Composition(titlecard.Composition).Comp.Layers {
		switch l.Name {
		case titlecard.TitleLayer, titlecard.SubtitleLayer:
			doc := l.Props.Find("ADBE Text Properties", "ADBE Text Document").Value.(*aep.TextDocument)
			doc.Runs[0].Style.Font = "NobodyHasIt-Bold"
		case "Curtain":
			opacity := l.Props.Find("ADBE Transform Group", "ADBE Opacity")
			opacity.Expression, opacity.ExpressionOn = "noSuchThing * 2", true
		}
	}
	var b bytes.Buffer
	if err := aep.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "card.aep")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAProjectIsInspectedBeforeItIsRendered(t *testing.T) {
	t.Parallel()
	card := lackingCard(t)
	for name, args := range map[string][]string{
		"inspect.txt":  {"inspect", card},
		"inspect.json": {"inspect", card, "--comp", titlecard.Composition, "--json"},
	} {
		code, stdout, stderr := farmtest.Run(t, args...)
		if code != 0 || stderr != "" {
			t.Errorf("%v: exit code %d, %s", args, code, stderr)
		}
		farmtest.Golden(t, name, strings.ReplaceAll(stdout, filepath.Dir(card), "/work"))
	}
}

func TestAnArchiveIsInspectedWithItsFootage(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := farmtest.Run(t, "inspect", farmtest.SmallCard(t), "--json")
	var got struct {
		Type         string `json:"type"`
		Compositions []struct {
			Name     string        `json:"name"`
			Findings []aep.Finding `json:"findings"`
		} `json:"compositions"`
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 || got.Type != "zip" || len(got.Compositions) != 2 {
		t.Fatalf("exit code %d, %s%s, %v", code, stdout, stderr, err)
	}
	for _, c := range got.Compositions {
		for _, f := range c.Findings {
			if f.Kind != aep.FontFinding { // which fonts there are differs between machines
				t.Errorf("%s: %+v", c.Name, f)
			}
		}
	}
}

func TestAFrameIsDrawnWithoutAFarm(t *testing.T) {
	t.Parallel()
	card, dir := farmtest.SmallCard(t), t.TempDir()
	for name, c := range map[string]struct {
		args          []string
		frame         int
		width, height int
	}{
		"look.png": {[]string{"--time", "2.5"}, 62, farmtest.SmallWidth, farmtest.SmallHeight},
		"half.jpg": {[]string{"--time", "149f", "--scale", "0.5", "--comp", titlecard.Composition}, 149, farmtest.SmallWidth / 2, farmtest.SmallHeight / 2},
	} {
		path := filepath.Join(dir, name)
		code, stdout, stderr := farmtest.Run(t, append([]string{"frame", card, "-o", path, "--json"}, c.args...)...)
		var got struct {
			File, Composition    string
			Frame, Width, Height int
			Warnings             []string
		}
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 || got.File != path || got.Composition != titlecard.Composition || got.Frame != c.frame {
			t.Fatalf("exit code %d, %s%s, %v", code, stdout, stderr, err)
		}
		if stderr != "" && len(got.Warnings) == 0 {
			t.Errorf("%s is not among the warnings", stderr)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		picture, kind, err := image.DecodeConfig(file)
		if err != nil || picture.Width != c.width || picture.Height != c.height || got.Width != c.width || "."+kind[:1] != filepath.Ext(path)[:2] {
			t.Errorf("%s is %+v, %s, %v", name, picture, kind, err)
		}
	}
}

func TestAFrameShowsWhatATemplateIsFilledWith(t *testing.T) {
	t.Parallel()
	card, dir := farmtest.TitleCard(t), t.TempDir()
	drawn := func(name string, flags ...string) string {
		path := filepath.Join(dir, name)
		if code, _, stderr := farmtest.Run(t, append([]string{"frame", card, "--time", "3", "--scale", "0.25", "-o", path}, flags...)...); code != 0 {
			t.Fatalf("%v: exit code %d, %s", flags, code, stderr)
		}
		picture, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(picture)
	}
	pictures := map[string]bool{
		drawn("plain.png"): true,
		drawn("text.png", "--text", titlecard.TitleLayer+"=Spring"):                 true,
		drawn("data.png", "--data", titlecard.PictureLayer+":transform.opacity=20"): true,
	}
	if len(pictures) != 3 {
		t.Errorf("%d of three frames look different", len(pictures))
	}
	code, _, stderr := farmtest.Run(t, "frame", card, "-o", filepath.Join(dir, "none.png"), "--text", "Titel=Spring")
	if code != exit.Failed || !strings.Contains(stderr, "Layer 'Titel' not found") {
		t.Errorf("a layer that is not there: exit code %d, %s", code, stderr)
	}
}

func TestAFrameThatCannotBeDrawnIsSaidWithItsWayOut(t *testing.T) {
	t.Parallel()
	card := farmtest.SmallCard(t)
	out := filepath.Join(t.TempDir(), "a.png")
	for says, c := range map[string]struct {
		code int
		args []string
	}{
		"which has the frames 0f to 149f":                {exit.Usage, []string{"-o", out, "--time", "150f"}},
		"write seconds (2.5) or a frame (62f)":           {exit.Usage, []string{"-o", out, "--time", "soon"}},
		"it has to end in .png or .jpg":                  {exit.Usage, []string{"-o", "film.mp4"}},
		"write it as layer:property=value":               {exit.Usage, []string{"-o", out, "--data", "Title=1"}},
		"above 0, and 8 at most":                         {exit.Usage, []string{"-o", out, "--scale", "9"}},
		"no composition 'Mian'; the project has 'Title ": {exit.NotFound, []string{"-o", out, "--comp", "Mian"}},
	} {
		code, stdout, stderr := farmtest.Run(t, append([]string{"frame", card}, c.args...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, says) {
			t.Errorf("%v: exit code %d, %s%s", c.args, code, stdout, stderr)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was written")
	}
}

func TestWhatCannotBeInspectedIsSaidWithItsFile(t *testing.T) {
	t.Parallel()
	card, text := lackingCard(t), filepath.Join(t.TempDir(), "notes.aep")
	if err := os.WriteFile(text, []byte("no project"), 0o600); err != nil {
		t.Fatal(err)
	}
	for says, c := range map[string]struct {
		code int
		args []string
	}{
		"notes.aep: This file is not an After Effects project": {exit.Failed, []string{text}},
		"has no composition 'Mian': it has 'Title Card'":       {exit.NotFound, []string{card, "--comp", "Mian"}},
		"has to be .aep, .aet, .aepx, .zip or .mogrt":          {exit.Usage, []string{"inspect_test.go"}},
		"--reading-memory is 1":                                {exit.Usage, []string{card, "--reading-memory", "1"}},
	} {
		code, stdout, stderr := farmtest.Run(t, append([]string{"inspect"}, c.args...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, says) {
			t.Errorf("%v: exit code %d, %s%s", c.args, code, stdout, stderr)
		}
	}
}
