package farm_test

import (
	"testing"

	"overcrank/farm"
)

func TestAFileLiesInARootOrNot(t *testing.T) {
	for _, test := range []struct {
		system, root, file string
		in                 bool
	}{
		{"linux", "/mnt/media", "/mnt/media/a/b.mov", true}, {"linux", "/mnt/media/", "/mnt/media", true}, {"linux", "/", "/etc/passwd", true},
		{"linux", "/mnt/media", "/mnt/media2/b.mov", false}, {"linux", "/mnt/media", "/mnt/media/../../etc/passwd", false},
		{"linux", "/mnt/media", "/mnt/Media/b.mov", false}, {"darwin", "/Volumes/Media", "/volumes/media/b.mov", true},
		{"windows", `C:\Media`, "/c:/media/b.mov", true}, {"windows", `C:\Media`, "/C:/Media2/b.mov", false}, {"windows", `C:\`, "/C:/b.mov", true},
		{"windows", `\\server\share`, "//server/share/b.mov", true}, {"linux", "/mnt", "", false},
	} {
		if got := farm.InRoots(test.system, []string{"/elsewhere", test.root}, test.file); got != test.in {
			t.Errorf("%q in %q on %s: %v", test.file, test.root, test.system, got)
		}
	}
	if farm.InRoots("linux", nil, "/") {
		t.Error("a machine without roots has one")
	}
}
