package bom_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/installers/macos/bom"
)

// entries is a bill of a folder with n files, some of them in folders, and a link.
func entries(n int) []bom.Entry {
	list := []bom.Entry{
		{Path: ".", Kind: bom.Directory, Mode: 0o40755},
		{Path: "a folder", Kind: bom.Directory, Mode: 0o40700, GID: 80},
		{Path: "a folder/link", Kind: bom.Symlink, Mode: 0o120755, Size: 9, Target: "../file 0", Checksum: 7},
	}
	for i := range n {
		list = append(list, bom.Entry{Path: fmt.Sprintf("file %d", i), Kind: bom.File, Mode: 0o100644, ModTime: 1_700_000_000, Size: uint32(i), Checksum: uint32(i * 77)})
	}
	return list
}

func written(t testing.TB, list []bom.Entry) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := bom.Write(&out, list); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestABillIsReadBack(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 253, 254, 300, 1400} { // one leaf, one that is just full, and several
		want := entries(n)
		got, err := bom.Read(written(t, want))
		if err != nil {
			t.Fatalf("%d files: %v", n, err)
		}
		byPath := func(a, b bom.Entry) int { return strings.Compare(a.Path, b.Path) }
		slices.SortFunc(want, byPath)
		slices.SortFunc(got, byPath)
		if !slices.Equal(got, want) {
			t.Errorf("%d files: %d were read back, and not the same", n, len(got))
		}
	}
}

func TestTheOrderOfEntriesDoesNotMatter(t *testing.T) {
	t.Parallel()
	list := entries(400)
	first := written(t, list)
	slices.Reverse(list)
	if !bytes.Equal(first, written(t, list)) {
		t.Error("the same entries in another order give other bytes")
	}
}

func TestWhatIsNoTreeIsRefused(t *testing.T) {
	t.Parallel()
	top := bom.Entry{Path: ".", Kind: bom.Directory}
	for name, list := range map[string][]bom.Entry{
		"no top folder":    {{Path: "a", Kind: bom.File}},
		"two top folders":  {top, top},
		"no folder for it": {top, {Path: "a/b", Kind: bom.File}},
		"a file in a file": {top, {Path: "a", Kind: bom.File}, {Path: "a/b", Kind: bom.File}},
		"twice":            {top, {Path: "a", Kind: bom.File}, {Path: "a", Kind: bom.File}},
		"outside":          {top, {Path: "../a", Kind: bom.File}},
		"absolute":         {top, {Path: "/a", Kind: bom.File}},
	} {
		if err := bom.Write(&bytes.Buffer{}, list); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}

// TestChecksums compares with cksum(1), which POSIX describes.
func TestChecksums(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("cksum")
	if err != nil {
		t.Skip("cksum is not installed")
	}
	for _, size := range []int{0, 1, 255, 256, 70_000} {
		data := bytes.Repeat([]byte{1, 2, 3, 250}, size)[:size]
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(program, file).Output()
		if err != nil {
			t.Fatal(err)
		}
		got, err := bom.Checksum(bytes.NewReader(data))
		if want, _, _ := strings.Cut(string(out), " "); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%d bytes: %d, %v; cksum says %s", size, got, err, want)
		}
	}
}

func TestEveryBillThatIsCutShortIsRefused(t *testing.T) {
	t.Parallel()
	whole := written(t, entries(3))
	for n := range len(whole) - 16 { // the free list at the end is not read
		if _, err := bom.Read(whole[:n]); !errors.Is(err, bom.ErrFormat) {
			t.Fatalf("with %d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// TestLsbomReadsIt compares with the reader of others, where a machine has one: macOS, or the bomutils.
func TestLsbomReadsIt(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("lsbom")
	if err != nil {
		t.Skip("lsbom is not installed; Debian does not have it")
	}
	file := filepath.Join(t.TempDir(), "Bom")
	if err := os.WriteFile(file, written(t, entries(600)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "-s", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(out), "\n"); got != 603 {
		t.Errorf("lsbom lists %d paths of 603", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, entries(2)))
	f.Add(written(f, entries(600)))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := bom.Read(data)
		if err != nil && !errors.Is(err, bom.ErrFormat) {
			t.Fatal(err)
		}
		for _, e := range list {
			if strings.HasPrefix(e.Path, "/") || strings.HasPrefix(e.Path, "../") {
				t.Fatalf("a path that leads out: %q", e.Path)
			}
		}
	})
}
