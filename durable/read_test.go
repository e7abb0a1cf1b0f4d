package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestReadSmall(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadSmall(path, 5); err != nil || string(text) != "12345" {
		t.Errorf("it is %q, %v", text, err)
	}
	if _, err := ReadSmall(path, 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a file that is too large: %v", err)
	}
	if _, err := ReadSmall(path+"x", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	refused := errors.New("refused")
	if _, err := ReadSmall(path, 5, func(fs.FileInfo) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("a file that is refused: %v", err)
	}
}
