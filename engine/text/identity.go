package text

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Identify writes what tells the book's fonts from others: the content of those of its own folders, and the names, sizes and times of the
// machine's. Text that is laid out with fonts of which the same was written looks the same on this machine.
func (b *Book) Identify(to io.Writer) error {
	for _, dir := range b.folders {
		for _, path := range fontFiles(dir) {
			if err := identifyContent(to, path); err != nil {
				return err
			}
		}
	}
	for _, dir := range b.system() {
		for _, path := range fontFiles(dir) {
			info, err := os.Stat(path)
			if err != nil {
				continue // it is no font of the machine either
			}
			if _, err := fmt.Fprintf(to, "%q %d %d\n", path, info.Size(), info.ModTime().UnixNano()); err != nil {
				return err
			}
		}
	}
	return nil
}

// fontFiles are the paths of the fonts under dir that an index of it has, in order.
func fontFiles(dir string) (paths []string) {
	eachFont(dir, func(path string) { paths = append(paths, path) })
	slices.Sort(paths)
	return paths
}

func identifyContent(to io.Writer, path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFontSize {
		return nil // addFile leaves it out
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("identify font '%s': %w", filepath.Base(path), err)
	}
	defer file.Close()
	if _, err := fmt.Fprintf(to, "%q %d\n", filepath.Base(path), info.Size()); err != nil {
		return err
	}
	if _, err := io.Copy(to, file); err != nil {
		return fmt.Errorf("identify font '%s': %w", filepath.Base(path), err)
	}
	return nil
}
