package aerender

import (
	"slices"
	"testing"
)

func TestScriptCommandOfEachSystem(t *testing.T) {
	cases := []struct {
		goos, engine, script string
		want                 []string
	}{
		{"windows", `C:\Program Files\Adobe\Adobe After Effects 2026\Support Files\aerender.exe`, `C:\w\s.jsx`,
			[]string{`C:\Program Files\Adobe\Adobe After Effects 2026\Support Files\AfterFX.exe`, "-m", "-noui", "-r", `C:\w\s.jsx`}},
		{"darwin", "/Applications/Adobe After Effects 2026/aerender", `/w/a "b".jsx`,
			[]string{"/usr/bin/osascript", "-e", "with timeout of 1200 seconds", "-e", `tell application "Adobe After Effects 2026" to DoScriptFile "/w/a \"b\".jsx"`, "-e", "end timeout"}},
		{"linux", "/opt/aerender", "/s.jsx", nil},
	}
	for _, c := range cases {
		if got := ScriptCommand(c.goos, c.engine, c.script); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", c.goos, got)
		}
	}
}
