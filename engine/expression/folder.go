package expression

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"overcrank/aep"
)

// maxData is the largest file that an expression reads, in bytes.
const maxData = 64 << 20

var errMissing = errors.New("the file is missing")

// ReadData reads the file of a footage item, for Host.ReadData.
func ReadData(it *aep.Item) ([]byte, error) {
	if it.Footage == nil || it.Footage.File.Resolved == "" {
		return nil, errMissing
	}
	f, err := os.Open(it.Footage.File.Resolved)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readSome(f)
}

// Folder is the only folder that expressions read from. Both paths are absolute and without symbolic links.
type Folder struct {
	Path   string
	Beside string // the folder of the project, within Path
}

// Read reads a file of the folder, named by its path there or its absolute path, for Host.ReadFile. Projects name files as they lay on
// their author's disk: a file from elsewhere is searched for by name beside the project.
func (d Folder) Read(path string) ([]byte, error) {
	root, err := os.OpenRoot(d.Path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	for _, try := range []string{path, filepath.Join(d.Beside, baseName(path))} {
		if filepath.IsAbs(try) {
			if try, err = filepath.Rel(d.Path, try); err != nil {
				continue
			}
		}
		f, err := root.Open(try)
		if err != nil {
			continue
		}
		defer f.Close()
		return readSome(f)
	}
	return nil, fmt.Errorf("'%s' is not in the job's folder", baseName(path))
}

func readSome(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxData {
		return nil, fmt.Errorf("'%s' is not a file of at most %d MiB", filepath.Base(f.Name()), maxData>>20)
	}
	return io.ReadAll(io.LimitReader(f, maxData))
}
