package durable_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"overcrank/durable"
)

func TestFilesAreWholeOrAsBefore(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := durable.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the source broke off")
	err := durable.Write(path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	check := func(want string, perm os.FileMode) {
		t.Helper()
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("the file holds %q, %v; want %q", got, err, want)
		}
		info, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && info.Mode() != perm {
			t.Errorf("its mode is %v, %v; want %v", info.Mode(), err, perm)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("the folder holds %v, %v", entries, err)
		}
	}
	check("old", 0o600)
	if err := durable.WriteFile(path, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("new", 0o644)
	if err := durable.WriteFile(filepath.Join(dir, "nowhere", "file"), nil, 0o600); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestErrorsNameTheFileThatWasAskedFor, and the folder that is missing: nobody knows the name that a file has until it is whole.
func TestErrorsNameTheFileThatWasAskedFor(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing", "ca.pem")
	err := durable.WriteFile(missing, nil, 0o600)
	if want := "there is no folder " + filepath.Dir(missing) + ": make it, or name a file in another one"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v is not of its kind", err)
	}
	folder, file := filepath.Join(dir, "folder"), filepath.Join(dir, "file")
	if err := errors.Join(os.MkdirAll(filepath.Join(folder, "full"), 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, filepath.Join(file, "ca.pem")} {
		err := durable.WriteFile(path, nil, 0o600)
		if err == nil || strings.Contains(err.Error(), ".part-") || !strings.Contains(err.Error(), path) {
			t.Errorf("writing %s: %v", path, err)
		}
	}
}
