package library

import (
	"strings"
	"testing"

	"overcrank/farm"
)

func TestWhatTextAndJobsCallAFont(t *testing.T) {
	for name, want := range map[string]lackedFont{
		"Gotham-Bold":         {"Gotham-Bold", ""},
		" Gotham-Bold ":       {"Gotham-Bold", ""},
		"Open Sans Bold":      {"OpenSansBold", ""},
		"Gotham-Bold.ttf":     {"Gotham-Bold", "Gotham-Bold.ttf"},
		"Gotham Bold (2).OTF": {"GothamBold2", "Gotham Bold (2).OTF"},
		"Go.Mono":             {"Go.Mono", ""},
	} {
		if got, err := readLacked(name); err != nil || got != want {
			t.Errorf("%q is read as %+v, %v", name, got, err)
		}
	}
	for name, says := range map[string]string{
		"": "is missing", " ": "is missing", "---": "may only have", "Größe-Bold": "may only have", "…": "may only have", "a/b.ttf": "plain file name", ".ttf": "may only have",
		strings.Repeat("x", 64): "has 64 characters", strings.Repeat("x", 300) + ".ttf": "plain file name",
	} {
		if got, err := readLacked(name); farm.CodeOf(err) != farm.CodeInvalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%q is read as %+v, %v", name, got, err)
		}
	}
}

func TestTheFileOfACopySaysWhatItIs(t *testing.T) {
	text, file := lackedFont{postScript: "Gotham-Bold"}, lackedFont{postScript: "Gotham-Bold", file: "Gotham-Bold.ttf"}
	for _, c := range []struct {
		lacked              lackedFont
		of, content, called string
	}{
		{text, "Inter-Bold", "\x00\x01\x00\x00", "Inter-Bold for Gotham-Bold.ttf"},
		{text, "Inter-Bold", "OTTO", "Inter-Bold for Gotham-Bold.otf"},
		{text, "What?*", "OTTO", "What__ for Gotham-Bold.otf"},
		{file, "Inter-Bold", "OTTO", "Gotham-Bold.ttf"},
	} {
		if got := c.lacked.copyOf(c.of, []byte(c.content)); got != c.called {
			t.Errorf("a copy of %s for %+v is called %q, want %q", c.of, c.lacked, got, c.called)
		}
	}
	if got := text.copyOf(strings.Repeat("Ü", 100), []byte("OTTO")); checkFontName(got) != nil {
		t.Errorf("a copy of a font with a long name is called %q", got)
	}
}

func TestAFaceIsChosenByItsName(t *testing.T) {
	family := farm.Font{ID: "f1", FileName: "Family.ttc", Faces: []farm.FontUse{{PostScript: "Go-Bold"}, {PostScript: "GoRegular"}}}
	one := farm.Font{ID: "f2", FileName: "One.ttf", Faces: []farm.FontUse{{PostScript: "Inter-Bold"}}}
	if n, err := faceOf(family, "goregular"); n != 1 || err != nil {
		t.Errorf("the face has the number %d, %v", n, err)
	}
	if n, err := faceOf(one, ""); n != 0 || err != nil {
		t.Errorf("the only face has the number %d, %v", n, err)
	}
	for _, name := range []string{"", "Inter-Bold"} {
		if _, err := faceOf(family, name); farm.CodeOf(err) != farm.CodeInvalid || !strings.Contains(err.Error(), "Go-Bold, GoRegular") {
			t.Errorf("the face %q: %v", name, err)
		}
	}
	newer, copied := one, one
	newer.ID, copied.ID, copied.CopyOf = "f3", "f4", "Go-Bold"
	for _, c := range []struct {
		list     []farm.Font
		name, id string
	}{
		{[]farm.Font{family, one}, "inter bold", "f2"}, {[]farm.Font{one, newer, copied}, "Inter-Bold", "f3"}, {[]farm.Font{copied, one}, "Inter-Bold", "f2"},
		{[]farm.Font{copied}, "Inter-Bold", "f4"}, {[]farm.Font{family}, "Inter-Bold", ""}, {[]farm.Font{family}, "-", ""},
	} {
		if id, _, found := FaceNamed(c.list, c.name); id != c.id || found != (c.id != "") {
			t.Errorf("%q is found in %q", c.name, id)
		}
	}
}
