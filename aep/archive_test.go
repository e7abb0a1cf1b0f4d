package aep_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/rifx"
)

// tinyProject is the smallest project that reads: no items.
func tinyProject(t testing.TB) []byte {
	t.Helper()
	f := rifx.File{Form: rifx.FormProject, Children: []rifx.Chunk{
		rifx.Leaf("head", make([]byte, 20)), rifx.List("Fold"),
	}}
	data, err := f.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type zipEntry struct {
	name string
	body []byte
	mode fs.FileMode
}

func makeZip(t testing.TB, entries ...zipEntry) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.mode != 0 {
			h.SetMode(e.mode)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func unpack(t testing.TB, data []byte, lim aep.Limits) (dir string, u aep.Unpacked, err error) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "inside")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	u, err = aep.Unpack(context.Background(), bytes.NewReader(data), int64(len(data)), dir, lim)
	entries, e := os.ReadDir(filepath.Dir(dir))
	if e != nil || len(entries) != 1 {
		t.Errorf("something was written outside the folder: %v %v", entries, e)
	}
	return dir, u, err
}

func TestProjectIsFoundInAnArchive(t *testing.T) {
	project := tinyProject(t)
	for name, c := range map[string]struct {
		entries []zipEntry
		want    string
	}{
		"at the top":           {[]zipEntry{{name: "a.aep", body: project}}, "a.aep"},
		"in a folder":          {[]zipEntry{{name: "x/"}, {name: "x/y/b.AEPX", body: project}}, "x/y/b.AEPX"},
		"nearest the top":      {[]zipEntry{{name: "a/b.aep", body: project}, {name: "z.aep", body: project}}, "z.aep"},
		"aep before its copy":  {[]zipEntry{{name: "f/a.aepx", body: project}, {name: "f/b.aep", body: project}}, "f/b.aep"},
		"template":             {[]zipEntry{{name: "t.aet", body: project}}, "t.aet"},
		"not an old version":   {[]zipEntry{{name: "Adobe After Effects Auto-Save/a.aep", body: project}, {name: "f/g/a.aep", body: project}}, "f/g/a.aep"},
		"not what macOS adds":  {[]zipEntry{{name: "__MACOSX/._a.aep", body: []byte{1}}, {name: "f/a.aep", body: project}}, "f/a.aep"},
		"names in other words": {[]zipEntry{{name: "Ünï/ö.aep", body: project}}, "Ünï/ö.aep"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, u, err := unpack(t, makeZip(t, c.entries...), aep.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(dir, filepath.FromSlash(c.want)); u.Project != want {
				t.Errorf("found %s, want %s", u.Project, want)
			}
			if _, err := aep.Open(context.Background(), u.Project, aep.Limits{}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTemplatesOfPremiereWithAProjectOfAfterEffectsOpen(t *testing.T) {
	words := []byte(`{"authorApp":"ppro","sourceInfoLocalized":{"en_US":{"name":"card"}}}`)
	inner := makeZip(t, zipEntry{name: "a.prproj"}, zipEntry{name: "graphic/a.aep", body: tinyProject(t)})
	for _, name := range []string{"project.prgraphic", "project.aegraphic"} {
		dir, u, err := unpack(t, makeZip(t, zipEntry{name: "definition.json", body: words}, zipEntry{name: name, body: inner}), aep.Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := filepath.Join(dir, "graphic", "a.aep"); u.Project != want || u.Definition.Composition != "card" {
			t.Errorf("%s: found %s with the composition %q", name, u.Project, u.Definition.Composition)
		}
	}
}

func TestUnsafeEntriesAreRefusedByName(t *testing.T) {
	for _, name := range []string{
		"../out.aep", "a/../../out.aep", "/etc/out.aep", `a\b.aep`, `..\out.aep`, "C:/out.aep", "a/./b.aep", "a//b.aep",
		"CON", "con.aep", "x/nul.txt", "LPT1.png", "a/com¹.aep", "trailing./a.aep", "space /a.aep", "what?.aep", "line\nbreak.aep",
		"a:stream.aep", strings.Repeat("d/", 100) + "deep.aep", strings.Repeat("n", 300) + ".aep",
	} {
		_, _, err := unpack(t, makeZip(t, zipEntry{name: name, body: []byte("x")}), aep.Limits{})
		if !errors.Is(err, aep.ErrUnsafe) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestUnsafeEntriesAreRefusedByKind(t *testing.T) {
	one := zipEntry{name: "a.aep", body: []byte("x")}
	for name, entries := range map[string][]zipEntry{
		"symbolic link":      {one, {name: "link", body: []byte("/etc/passwd"), mode: fs.ModeSymlink | 0o777}},
		"device":             {one, {name: "dev", mode: fs.ModeDevice | 0o666}},
		"twice":              {one, one},
		"twice but for case": {one, {name: "A.AEP", body: []byte("y")}},
		"file as folder":     {one, {name: "a.aep/b", body: []byte("y")}},
		"folder as file":     {{name: "a/b", body: []byte("y")}, {name: "a", body: []byte("x")}},
	} {
		if _, _, err := unpack(t, makeZip(t, entries...), aep.Limits{}); !errors.Is(err, aep.ErrUnsafe) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestArchiveBombsAreRefused(t *testing.T) {
	zeros := make([]byte, 700)
	for name, c := range map[string]struct {
		data []byte
		lim  aep.Limits
	}{
		"ratio":         {bomb(t, 1, 65<<20), aep.Limits{}},
		"size":          {makeZip(t, zipEntry{name: "a", body: zeros}, zipEntry{name: "b", body: zeros}), aep.Limits{ArchiveSize: 1000}},
		"ratio of many": {bomb(t, 17, 63<<20), aep.Limits{}},
		"count":         {makeZip(t, zipEntry{name: "a"}, zipEntry{name: "b"}, zipEntry{name: "c"}), aep.Limits{ArchiveFiles: 2}},
		"within a template": {makeZip(t, zipEntry{name: "definition.json", body: []byte("{}")},
			zipEntry{name: "project.aegraphic", body: bomb(t, 1, 65<<20)}), aep.Limits{}},
	} {
		if _, _, err := unpack(t, c.data, c.lim); !errors.Is(err, aep.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEntryThatLiesAboutItsSizeIsRefused(t *testing.T) {
	data := makeZip(t, zipEntry{name: "a.aep", body: bytes.Repeat([]byte("liar"), 1000)})
	// The length unpacked stands at byte 24 of the entry's line in the table of contents.
	at := bytes.LastIndex(data, []byte("PK\x01\x02"))
	copy(data[at+24:], []byte{100, 0, 0, 0})
	if _, _, err := unpack(t, data, aep.Limits{}); err == nil {
		t.Error("accepted")
	}
}

func TestArchivesWithoutProject(t *testing.T) {
	whole := makeZip(t, zipEntry{name: "a.aep", body: bytes.Repeat(tinyProject(t), 50)})
	broken := bytes.Clone(whole)
	broken[len("PK")+50] ^= 0x55
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing of use": {makeZip(t, zipEntry{name: "readme.txt"}), aep.ErrNoProject},
		"no entries":     {makeZip(t), aep.ErrNoProject},
		"no archive":     {[]byte("hello, this is no archive at all"), aep.ErrNotProject},
		"empty":          {nil, aep.ErrNotProject},
		"cut":            {whole[:len(whole)-30], aep.ErrTruncated},
		"damaged":        {broken, aep.ErrBroken},
		"premiere":       {makeZip(t, zipEntry{name: "definition.json", body: []byte("{}")}, zipEntry{name: "project.prgraphic"}), aep.ErrPremiere},
		"only premiere's own project": {makeZip(t, zipEntry{name: "definition.json", body: []byte(`{"authorApp":"ppro"}`)},
			zipEntry{name: "project.prgraphic", body: makeZip(t, zipEntry{name: "a.prproj"})}), aep.ErrPremiere},
	} {
		if _, _, err := unpack(t, c.data, aep.Limits{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestTemplatesOfTheSamplesUnpack(t *testing.T) {
	dir, files := sampleFiles(t, ".mogrt")
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			t.Fatal(err)
		}
		_, u, err := unpack(t, data, aep.Limits{})
		if filepath.Base(f) == "premiere.mogrt" {
			if !errors.Is(err, aep.ErrPremiere) {
				t.Errorf("%s: %v", f, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		p, err := aep.Open(context.Background(), u.Project, aep.Limits{})
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		it := p.Composition(u.Definition.Composition)
		if it == nil {
			t.Errorf("%s: composition %q is missing", f, u.Definition.Composition)
			continue
		}
		controllersMatch(t, p, it, u.Definition)
	}
	t.Logf("samples: %d templates opened", len(files))
}

// controllersMatch compares the panel of a composition with what the template says of it.
func controllersMatch(t *testing.T, p *aep.Project, it *aep.Item, d *aep.Definition) {
	t.Helper()
	if len(it.Comp.Controllers) != len(d.Fields) || len(d.Fields) == 0 {
		t.Fatalf("%d controllers and %d fields", len(it.Comp.Controllers), len(d.Fields))
	}
	aep.Complete(p)
	for i, c := range it.Comp.Controllers {
		f := d.Fields[i]
		if c.ID != f.ID || c.Name != f.Name || c.Type != f.Type {
			t.Errorf("controller %+v, field %+v", c, f)
		}
		if c.Layer == 0 {
			continue
		}
		for _, l := range it.Comp.Layers {
			if l.ID == c.Layer && c.Type != 14 && c.Property(l) == nil {
				t.Errorf("controller %q: no property at %v in layer %q", c.Name, c.Path, p.DisplayName(l))
			}
		}
	}
}

func TestFootageIsFoundWhereTheProjectSays(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	beside := write("project/assets/a.png")
	write("(Footage)/a.png")
	collected := write("project/(Footage)/sub/B.PNG")
	write("project/other/b.png")
	anywhere := write("elsewhere/c.wav")
	outside := filepath.Join(t.TempDir(), "secret.png")
	if err := os.WriteFile(outside, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "secret.png")); err != nil {
		t.Skip(err)
	}
	for name, c := range map[string]struct {
		ref  aep.FileReference
		want string
	}{
		"by its way":          {aep.FileReference{FullPath: `C:\old\assets\a.png`, Platform: "windows", AscendBase: 1, AscendTarget: 2}, beside},
		"up and down":         {aep.FileReference{FullPath: "/old/project/assets/a.png", Platform: "macos", AscendBase: 2, AscendTarget: 3}, beside},
		"collected":           {aep.FileReference{FullPath: "/gone/b.png", Platform: "macos", AscendBase: 1, AscendTarget: 1}, collected},
		"anywhere":            {aep.FileReference{FullPath: "/gone/c.wav", Platform: "macos"}, anywhere},
		"missing":             {aep.FileReference{FullPath: "/gone/d.wav", Platform: "macos", AscendBase: 1, AscendTarget: 1}, ""},
		"outside by steps":    {aep.FileReference{FullPath: "/etc/passwd", Platform: "macos", AscendBase: 40, AscendTarget: 2}, ""},
		"outside by a link":   {aep.FileReference{FullPath: "/x/secret.png", Platform: "macos", AscendBase: 2, AscendTarget: 1}, ""},
		"nothing":             {aep.FileReference{}, ""},
		"only upward":         {aep.FileReference{FullPath: "../../..", Platform: "macos", AscendBase: 9, AscendTarget: 3}, ""},
		"a folder for a file": {aep.FileReference{FullPath: "/x/assets", Platform: "macos", AscendBase: 1, AscendTarget: 1}, ""},
	} {
		f := &aep.Footage{Kind: aep.FootageFile, File: c.ref}
		p := &aep.Project{Path: filepath.Join(dir, "project", "p.aep"), Items: []*aep.Item{{Kind: aep.ItemFootage, Footage: f}}}
		if err := aep.Resolve(context.Background(), p, dir, aep.Limits{}); err != nil {
			t.Fatal(err)
		}
		if f.File.Resolved != c.want {
			t.Errorf("%s: %q, want %q", name, f.File.Resolved, c.want)
		}
	}
}

// bomb is an archive of n entries that each declare to unpack to size bytes, from fifty.
func bomb(t testing.TB, n int, size uint64) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for i := range n {
		h := &zip.FileHeader{Name: fmt.Sprintf("%d.aep", i), Method: zip.Deflate, CompressedSize64: 50, UncompressedSize64: size}
		w, err := z.CreateRaw(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, 50)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestSilenceMayPackWell(t *testing.T) {
	data := makeZip(t, zipEntry{name: "silence.wav", body: make([]byte, 4<<20)}, zipEntry{name: "a.aep", body: tinyProject(t)})
	if _, _, err := unpack(t, data, aep.Limits{}); err != nil {
		t.Error(err)
	}
}
