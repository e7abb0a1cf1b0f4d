package names

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNearFindsWhatWasMeant(t *testing.T) {
	known := []string{"Title", "Subtitle", "Picture", "Accent", "Überschrift"}
	for _, c := range []struct {
		wanted string
		want   []string
	}{
		{"Titel", []string{"Title"}},
		{"title", []string{"Title", "Subtitle"}},
		{"Pictrue", []string{"Picture"}},
		{"Uberschrift", []string{"Überschrift"}},
		{"sub", []string{"Subtitle"}},
		{"Nothing like it", nil},
		{"", nil},
	} {
		if got := Near(c.wanted, known); !slices.Equal(got, c.want) {
			t.Errorf("Near(%q) is %q, want %q", c.wanted, got, c.want)
		}
	}
}

func TestFileNamesAreSafe(t *testing.T) {
	for text, want := range map[string]string{
		"Spring Sale":         "Spring Sale",
		"../../etc/passwd":    "_.._etc_passwd",
		`C:\films\a`:          "C__films_a",
		"50 % off? \"now\"":   "50 % off_ _now_",
		"con":                 "_con",
		"Aux.1":               "_Aux.1",
		"line\nbreak\x00\x1b": "line break",
		"日本語":                 "日本語",
		" . ":                 "",
		"":                    "",
		"trailing... ":        "trailing",
	} {
		if got := File(text); got != want {
			t.Errorf("File(%q) is %q, want %q", text, got, want)
		}
	}
}

func TestNamesOfFilesStayInTheirFolderAndDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var files Files
		seen := map[string]bool{}
		for _, text := range rapid.SliceOfN(rapid.String(), 1, 20).Draw(t, "texts") {
			name := files.Name(text, "job", ".mp4")
			if name == ".mp4" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, `/\`) || len(name) > 255 {
				t.Fatalf("%q became %q", text, name)
			}
			if folded := strings.ToLower(name); seen[folded] {
				t.Fatalf("%q became %q, which is taken", text, name)
			} else {
				seen[folded] = true
			}
		}
	})
}

func TestNamesThatMayHaveBeenMeantStandOnOneLine(t *testing.T) {
	if got, want := DidYouMean("spott", []string{"spot\n\x1b[31m"}), "did you mean 'spot  [31m'?"; got != want && got != "there are 'spot  [31m'" {
		t.Errorf("it says %q, want %q", got, want)
	}
}
