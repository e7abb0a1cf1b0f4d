package layered

import (
	"os"

	"pgregory.net/rapid"
)

// asFailer lets a property check use what tests use.
type asFailer struct {
	*rapid.T
	folder string
}

func (f asFailer) TempDir() string { return f.folder }

func tempDir(t *rapid.T) (folder string, done func()) {
	folder, err := os.MkdirTemp("", "layered-*")
	if err != nil {
		t.Fatal(err)
	}
	return folder, func() { _ = os.RemoveAll(folder) }
}
