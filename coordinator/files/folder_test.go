package files

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func folder(t *testing.T, minFree int64) *Folder {
	t.Helper()
	f, err := OpenFolder(t.TempDir(), minFree)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// contents lists every file in the store's folder, incomplete ones included.
func contents(t *testing.T, f *Folder) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(f.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(f.dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestFullDiskRefusesFiles(t *testing.T) {
	f := folder(t, 100)
	left := int64(150)
	f.free = func() (int64, error) { return left, nil }
	if _, err := f.Put(t.Context(), "k", strings.NewReader(strings.Repeat("x", 51)), Limits{Size: 51}); !errors.Is(err, ErrFull) {
		t.Errorf("a file that leaves too little free: got %v", err)
	}
	if _, err := f.Append("log", make([]byte, 51)); !errors.Is(err, ErrFull) {
		t.Errorf("lines that leave too little free: got %v", err)
	}
	left = 99
	if _, err := f.Put(t.Context(), "k", strings.NewReader("x"), Limits{Size: -1}); !errors.Is(err, ErrFull) {
		t.Errorf("a file of unknown size: got %v", err)
	}
	if names := contents(t, f); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

func FuzzPartIsAlwaysASafeKey(f *testing.F) {
	for _, name := range []string{"Mein Film.mp4", "../../etc/passwd", `C:\x\y.aep`, "", ".", "..", ".hidden", strings.Repeat("é", 300)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		part := Part(name)
		if err := Check(part); err != nil || strings.Contains(part, "/") {
			t.Errorf("Part(%q) = %q: %v", name, part, err)
		}
	})
}

func TestOpenDeletesIncompleteFiles(t *testing.T) {
	dir := t.TempDir()
	f, err := OpenFolder(dir, -1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, temporary, "half"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err = OpenFolder(dir, -1); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if left := contents(t, f); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAppendCreatesAndExtends(t *testing.T) {
	f := folder(t, -1)
	for _, line := range []string{"one\n", "two\n"} {
		if _, err := f.Append("logs/j.log", []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := f.Open(t.Context(), "logs/j.log")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if text, err := io.ReadAll(r); err != nil || string(text) != "one\ntwo\n" || r.Size != 8 {
		t.Errorf("read %q of %d bytes, %v", text, r.Size, err)
	}
}

func TestAFolderThatIsSweptMeanwhileTakesItsFirstFile(t *testing.T) {
	f := folder(t, -1)
	for name, put := range map[string]func(key string) error{
		"put": func(key string) error {
			_, err := f.Put(t.Context(), key, strings.NewReader("film"), Limits{Size: 4})
			return err
		},
		"rename": func(key string) error {
			if _, err := f.Put(t.Context(), "from", strings.NewReader("film"), Limits{Size: 4}); err != nil {
				return err
			}
			return f.Rename(t.Context(), "from", key)
		},
		"append": func(key string) error {
			_, err := f.Append(key, []byte("film"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			var sweeping sync.WaitGroup
			sweeping.Go(func() {
				for ctx.Err() == nil {
					time.Sleep(rand.N(100 * time.Microsecond))
					for _, folder := range []string{"attempts/task/1", "attempts/task", "attempts"} {
						_ = f.root.Remove(folder) // as another coordinator on the same storage does; refused while a file is there
					}
				}
			})
			defer sweeping.Wait()
			defer stop()
			for range 500 {
				const key = "attempts/task/1/film.mp4"
				if err := put(key); err != nil {
					t.Fatal(err)
				}
				if err := f.Delete(t.Context(), key); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
