//go:build linux

package films_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"golang.org/x/image/font/gofont/gosmallcaps"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
)

// TestTextIsDrawnWithTheTeamsOwnFont uploads a font that no machine has, and looks whether pictures change by it, and by what stands in for a font.
func TestTextIsDrawnWithTheTeamsOwnFont(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	still := func(font string, named ...string) (client.Job, []byte) {
		t.Helper()
		body := map[string]any{
			"template": map[string]string{"id": template, "composition": titlecard.Composition}, "settings": map[string]any{"type": "image", "frames": 60},
			"assets": []map[string]any{{"type": "function", "name": "nx:text-params-set", "params": map[string]any{"layerName": titlecard.TitleLayer, "font": font, "textValue": "small capitals"}}},
		}
		if len(named) > 0 {
			body["fonts"] = named
		}
		job, err := f.Submit(t.Context(), body)
		if err != nil {
			t.Fatal(err)
		}
		made := job
		job = f.Finished(job.ID)
		picture, err := os.ReadFile(f.Fetch(job))
		if err != nil {
			t.Fatal(err)
		}
		return made, picture
	}
	warned := func(id string) bool {
		return strings.Contains(string(f.Answer("/api/v2/jobs/"+id)), "' is not installed")
	}
	missing := func(id string) bool {
		return strings.Contains(string(f.Answer("/api/v2/jobs/"+id)), `"missingFonts":["GoSmallcaps"`)
	}

	without, fallback := still("GoSmallcaps")
	if !warned(without.ID) || !missing(without.ID) {
		t.Errorf("a font that is not there is substituted without a word: %s", f.Answer("/api/v2/jobs/"+without.ID))
	}
	path := filepath.Join(t.TempDir(), "Caps for us.ttf")
	if err := os.WriteFile(path, gosmallcaps.TTF, 0o600); err != nil {
		t.Fatal(err)
	}
	font, err := f.AddFont(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	with, drawn := still("GoSmallcaps")
	if warned(with.ID) || missing(with.ID) {
		t.Errorf("a font that is there is missed: %s", f.Answer("/api/v2/jobs/"+with.ID))
	}
	if bytes.Equal(drawn, fallback) {
		t.Error("the font changes nothing")
	}
	if _, named := still("GoSmallcaps", "Caps for us.ttf"); !bytes.Equal(named, drawn) {
		t.Error("the same font, named, draws something else")
	}
	// Under another name it is drawn for that one, and nothing is said to be missing.
	if unknown, other := still("Gotham-Black"); !warned(unknown.ID) || bytes.Equal(other, drawn) {
		t.Errorf("a font that nobody has is drawn as another one, or without a word: %s", f.Answer("/api/v2/jobs/"+unknown.ID))
	}
	made, err := f.StandIn(t.Context(), font.ID, client.StandIn{Name: "Gotham-Black"})
	if err != nil || made.CopyOf != "GoSmallcaps" || made.FileName != "GoSmallcaps for Gotham-Black.ttf" {
		t.Fatalf("the copy is %+v, %v", made, err)
	}
	if stood, picture := still("Gotham-Black"); warned(stood.ID) || !bytes.Equal(picture, drawn) {
		t.Errorf("what stands in for a font draws something else than itself: %s", f.Answer("/api/v2/jobs/"+stood.ID))
	}
	if err := f.DeleteFont(t.Context(), font.ID); err != nil {
		t.Fatal(err)
	}
	if _, again := still("GoSmallcaps"); !bytes.Equal(again, fallback) {
		t.Error("a font that was deleted is still drawn with")
	}
}
