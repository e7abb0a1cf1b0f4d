package project

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep/aeptest"
	"overcrank/durable"
)

func TestRealProjectsAreLaidOut(t *testing.T) {
	root := aeptest.Samples(t)
	cases := []struct{ path, composition, want, file string }{
		{"inlife+nexrender-boilerplate/assets/nm05ae12.aet", "main", "main", "nm05ae12.aep"},
		{"inlife+nexrender-boilerplate/assets/nm05ae12.aepx", "", "main", "nm05ae12.aepx"},
		{"inlife+nexrender/packages/nexrender-action-mogrt/test/assets/ae.mogrt", "", "", ""},
	}
	for _, c := range cases {
		dir := t.TempDir()
		p, err := Prepare(t.Context(), filepath.Join(root, c.path), filepath.Base(c.path), "", dir, c.composition, nil)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if rel, err := filepath.Rel(dir, p.Path); err != nil || !filepath.IsLocal(rel) {
			t.Errorf("%s was laid out at %s", c.path, p.Path)
		}
		if c.want != "" && (p.Composition != c.want || filepath.Base(p.Path) != c.file || p.Settings.Width == 0) {
			t.Errorf("%s: %+v", c.path, p)
		}
		if p.Composition == "" {
			t.Errorf("%s: no composition", c.path)
		}
	}
}

func TestProjectsThatCannotBeRenderedAreRefused(t *testing.T) {
	root := aeptest.Samples(t)
	write := func(content string) string {
		p := filepath.Join(t.TempDir(), "x.aep")
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	cases := []struct{ path, composition, want string }{
		{filepath.Join(root, "inlife+nexrender-boilerplate/assets/nm05ae12.aet"), "other", "Composition 'other' not found"},
		{write("hello"), "main", "The project is no After Effects project"},
		{write(""), "main", "The project is no After Effects project"},
		{write("RIFX\x00\x00\x10\x00Egg!"), "main", "The project cannot be opened"},
		{write("<html></html>"), "main", "The project cannot be opened"},
		{write("PK\x03\x04broken"), "main", "The project cannot be unpacked"},
	}
	for _, c := range cases {
		_, err := Prepare(t.Context(), c.path, "p.aep", "", t.TempDir(), c.composition, nil)
		var r *Refused
		if !errors.As(err, &r) || !strings.HasPrefix(r.Message, c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestProjectIsFoundAnywhereInAZip(t *testing.T) {
	root := aeptest.Samples(t)
	content, err := os.ReadFile(filepath.Join(root, "inlife+nexrender-boilerplate/assets/nm05ae12.aet"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "p.zip")
	archive := aeptest.Archive(t, map[string][]byte{"a/b/show.aep": content, "a/(Footage)/nm.png": []byte("x")})
	if err := os.WriteFile(path, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(t.Context(), path, "p.zip", "zip", t.TempDir(), "", nil)
	if err != nil || filepath.Base(p.Path) != "show.aep" || p.Composition != "main" {
		t.Fatalf("%+v, %v", p, err)
	}
}

func TestStaticFilesStayBesideTheProject(t *testing.T) {
	p := &Project{Dir: t.TempDir()}
	p.Path = filepath.Join(p.Dir, "p.aep")
	if err := os.Symlink("/", filepath.Join(p.Dir, "out")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, good := range []string{"a.json", "deep/er/a.json", `win\a.json`, "a/../b.json"} {
		if path, err := p.Place(good); err != nil || !strings.HasPrefix(path, p.Dir) {
			t.Errorf("%s: %s, %v", good, path, err)
		}
	}
	for _, bad := range []string{"", ".", "..", "../x", "/etc/passwd", "out/x", `C:\x`, "p.aep", "a\x00b", `..\x`} {
		if path, err := p.Place(bad); err == nil {
			t.Errorf("%q became %s", bad, path)
		}
	}
}

func TestNamesFromOutsideBecomePlain(t *testing.T) {
	for in, want := range map[string]string{"../../a.aep": "a", `C:\x\b.aet`: "b", "": "project", "...": "project", "a<b>.aep": "a_b_", "nul\x00.aep": "nul_"} {
		if got := baseName(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}

// An archive that the machine has no room for is not unpacked at all, and that is the machine's matter and not the project's.
func TestAnArchiveIsUnpackedWithinTheRoomThereIs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "p.zip")
	const size = 3 << 20
	film := bytes.Repeat([]byte("frame by frame "), size/15)
	if err := os.WriteFile(path, aeptest.Archive(t, map[string][]byte{"footage/a.mov": film, "footage/b.mov": film}), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var asked int64
	_, err := Prepare(t.Context(), path, "p.zip", "zip", dir, "", func(bytes int64) error {
		asked = bytes
		return durable.ErrNoRoom
	})
	var refused *Refused
	if !durable.Full(err) || errors.As(err, &refused) {
		t.Errorf("without room: %v", err)
	}
	if asked != 2*(size/15*15) {
		t.Errorf("room was asked for %d bytes", asked)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}
