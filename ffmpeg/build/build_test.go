package build

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// member is a file of an archive.
type member struct {
	name, content string
	mode          fs.FileMode
}

func archived(t testing.TB, members ...member) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		h.SetMode(m.mode | 0o644)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(m.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "build.zip")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func roomy(int64) error { return nil }

var good = []member{{name: "ffmpeg", content: "one"}, {name: "ffprobe", content: "two"}, {name: "LICENSE.txt", content: "you may"}, {name: "libavcodec.so.61", content: "three"}}

func TestABuildIsUnpacked(t *testing.T) {
	dir := t.TempDir()
	if err := Unpack(archived(t, good...), "linux", dir, roomy); err != nil {
		t.Fatal(err)
	}
	for _, m := range good {
		path := filepath.Join(dir, m.name)
		text, err := os.ReadFile(path)
		if err != nil || string(text) != m.content {
			t.Errorf("%s: %q, %v", m.name, text, err)
		}
		info, err := os.Stat(path)
		if err != nil || (info.Mode()&0o100 != 0) != strings.HasPrefix(m.name, "ff") {
			t.Errorf("%s: %v, %v", m.name, info.Mode(), err)
		}
	}
	full := errors.New("no room")
	if err := Unpack(archived(t, good...), "linux", t.TempDir(), func(n int64) error {
		if n != 18 {
			t.Errorf("asked for %d bytes", n)
		}
		return full
	}); !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
}

func TestHostileArchivesAreRefused(t *testing.T) {
	with := func(more ...member) []member { return append(append([]member{}, good...), more...) }
	many := with()
	for range MaxFiles {
		many = append(many, member{name: "LICENSE" + strings.Repeat("x", len(many))})
	}
	for name, members := range map[string][]member{
		"a path upwards":      with(member{name: "../evil"}),
		"an absolute path":    with(member{name: "/etc/evil"}),
		"a folder":            with(member{name: "bin/", mode: fs.ModeDir}),
		"a file in a folder":  with(member{name: "bin/evil"}),
		"a path of Windows":   with(member{name: `..\evil`}),
		"a device of Windows": with(member{name: "NUL"}),
		"a stream of Windows": with(member{name: "ffmpeg.exe:evil"}),
		"a link":              with(member{name: "evil", content: "/etc/passwd", mode: fs.ModeSymlink}),
		"a name twice":        with(member{name: "FFMPEG"}),
		"too many files":      many,
		"no ffprobe":          {good[0], good[2]},
		"no licence":          good[:2],
		"for Windows":         {{name: "ffmpeg.exe"}, {name: "ffprobe.exe"}, good[2]},
		"nothing":             nil,
	} {
		dir := t.TempDir()
		if err := Unpack(archived(t, members...), "linux", dir, roomy); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
			t.Errorf("%s: %v was unpacked, %v", name, left, err)
		}
	}
	whole, err := os.ReadFile(archived(t, good...))
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{whole[:len(whole)/2], bytes.Replace(whole, []byte("one"), []byte("two"), 1), []byte("no archive")} {
		path := filepath.Join(t.TempDir(), "build.zip")
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Unpack(path, "linux", t.TempDir(), roomy); err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("%v", err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	whole, err := os.ReadFile(archived(f, good...))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Fuzz(func(t *testing.T, archive []byte) {
		root := t.TempDir()
		path, dir := filepath.Join(root, "build.zip"), filepath.Join(root, "dir")
		if err := errors.Join(os.WriteFile(path, archive, 0o600), os.Mkdir(dir, 0o700)); err != nil {
			t.Fatal(err)
		}
		err := Unpack(path, "linux", dir, func(n int64) error {
			if n > 1<<20 {
				return errors.New("too large for a test")
			}
			return nil
		})
		if list, _ := os.ReadDir(root); len(list) != 2 {
			t.Errorf("something lies outside: %v, %v", list, err)
		}
	})
}
