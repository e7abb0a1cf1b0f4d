package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
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

// contents lists every file in the store's folder, those that are not whole included.
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

func TestBlobIsKeptUnderItsHash(t *testing.T) {
	f := folder(t, -1)
	data := []byte("a project")
	sum := sha256.Sum256(data)
	obj, err := f.PutBlob(t.Context(), bytes.NewReader(data), Limits{Size: -1})
	if err != nil {
		t.Fatal(err)
	}
	if want := hex.EncodeToString(sum[:]); obj.SHA256 != want || obj.Size != 9 || obj.Key != "blobs/"+want[:2]+"/"+want {
		t.Errorf("kept as %+v, want hash %s", obj, want)
	}
	r, err := f.Open(obj.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Seek(2, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "project" {
		t.Errorf("read %q, %v from the third byte on", rest, err)
	}
}

func TestNothingIsLeftOfAnUploadThatFails(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		body io.Reader
		lim  Limits
		want error
	}{
		{"truncated", t.Context(), strings.NewReader("half"), Limits{Size: 8}, ErrShort},
		{"broken off", t.Context(), iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("half"))), Limits{Size: -1}, ErrShort},
		{"longer than announced", t.Context(), strings.NewReader("more than said"), Limits{Size: 4}, ErrTooLarge},
		{"announced too large", t.Context(), strings.NewReader("x"), Limits{Size: 11, Max: 10}, ErrTooLarge},
		{"turns out too large", t.Context(), strings.NewReader("01234567890"), Limits{Size: -1, Max: 10}, ErrTooLarge},
		{"given up", cancelled, strings.NewReader("x"), Limits{Size: -1}, context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := folder(t, -1)
			if _, err := f.Put(tt.ctx, "a/b", tt.body, tt.lim); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if left := contents(t, f); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestAFailedPutKeepsWhatWasThere(t *testing.T) {
	f := folder(t, -1)
	if _, err := f.Put(t.Context(), "k", strings.NewReader("old"), Limits{Size: 3}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Put(t.Context(), "k", strings.NewReader("ne"), Limits{Size: 3}); !errors.Is(err, ErrShort) {
		t.Fatalf("got %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(f.dir, "k")); err != nil || string(text) != "old" {
		t.Errorf("holds %q, %v", text, err)
	}
}

func TestAFullDiskTakesNothing(t *testing.T) {
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

func TestHostileKeysAreRefused(t *testing.T) {
	f := folder(t, -1)
	for _, key := range []string{"", "/", "a//b", "../x", "a/../../x", ".incoming/x", "a/.hidden", "a\\b", "a b", "a\x00b", "é", "a/", strings.Repeat("x", 600)} {
		_, put := f.Put(t.Context(), key, strings.NewReader("x"), Limits{Size: 1})
		_, open := f.Open(key)
		_, stat := f.Stat(key)
		_, add := f.Append(key, nil)
		for _, err := range []error{put, open, stat, add, f.Delete(key), f.Rename(key, "ok"), f.List(key, nil)} {
			if !errors.Is(err, ErrKey) {
				t.Errorf("%q: got %v, want ErrKey", key, err)
			}
		}
	}
	for _, hash := range []string{"", "../../etc/passwd", strings.Repeat("A", 64), strings.Repeat("a", 63)} {
		if _, err := BlobKey(hash); !errors.Is(err, ErrKey) {
			t.Errorf("hash %q: got %v, want ErrKey", hash, err)
		}
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

func TestAStartDropsUnfinishedFiles(t *testing.T) {
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

func TestListAndDelete(t *testing.T) {
	f := folder(t, -1)
	for _, key := range []string{"a/1", "a/b/2", "a/b/c/3"} {
		if _, err := f.Put(t.Context(), key, strings.NewReader(key), Limits{Size: -1}); err != nil {
			t.Fatal(err)
		}
	}
	list := func(key string) (keys []string) {
		if err := f.List(key, func(o Object) error { keys = append(keys, o.Key); return nil }); err != nil {
			t.Fatal(err)
		}
		slices.Sort(keys)
		return keys
	}
	if got := list("a"); !slices.Equal(got, []string{"a/1", "a/b/"}) {
		t.Errorf("listed %v", got)
	}
	if got := list("nothing"); got != nil {
		t.Errorf("listed %v where nothing is", got)
	}
	if err := f.Delete("a/b"); err != nil {
		t.Fatal(err)
	}
	if got := list("a"); !slices.Equal(got, []string{"a/1"}) {
		t.Errorf("listed %v after the removal of a/b", got)
	}
}

func TestDeleteIfSparesTheFreshAndTheNamed(t *testing.T) {
	f := folder(t, -1)
	put := func() {
		if _, err := f.Put(t.Context(), "k", strings.NewReader("x"), Limits{Size: 1}); err != nil {
			t.Fatal(err)
		}
	}
	there := func() bool { _, err := f.Stat("k"); return err == nil }
	put()
	named := func() (bool, error) { return true, nil }
	unnamed := func() (bool, error) { return false, nil }
	future := time.Now().Add(time.Hour)
	if err := f.DeleteIf("k", time.Now().Add(-time.Hour), unnamed); err != nil || !there() {
		t.Errorf("a fresh file is gone, or %v", err)
	}
	if err := f.DeleteIf("k", future, named); err != nil || !there() {
		t.Errorf("a named file is gone, or %v", err)
	}
	if err := f.DeleteIf("k", future, unnamed); err != nil || there() {
		t.Errorf("a file that nothing names is still there, or %v", err)
	}
}

func TestAppendMakesAndExtends(t *testing.T) {
	f := folder(t, -1)
	for _, line := range []string{"one\n", "two\n"} {
		if _, err := f.Append("logs/j.log", []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := f.Open("logs/j.log")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if text, err := io.ReadAll(r); err != nil || string(text) != "one\ntwo\n" || r.Size != 8 {
		t.Errorf("read %q of %d bytes, %v", text, r.Size, err)
	}
}
