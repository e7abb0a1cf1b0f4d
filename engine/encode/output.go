package encode

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// hashes is the placeholder of the number in the name of numbered pictures, as in "shot_[#####].png".
var hashes = regexp.MustCompile(`\[(#+)\]`)

// Name is the path of the output, as the -output flag gives it.
type Name struct {
	Path   string // with the [####] of numbered pictures
	digits int
}

// ParseName adjusts the path that a caller gave to what template t writes for so many frames: it adds a missing
// extension, replaces one of the same kind, and adds a number for several pictures. changed describes the changes for
// people, "" for none.
func ParseName(path string, t Template, frames int) (n Name, changed string, err error) {
	if path == "" || strings.HasSuffix(path, string(filepath.Separator)) {
		return n, "", errors.New("the output has no file name")
	}
	ext := filepath.Ext(path)
	switch {
	case t.holds(ext):
	case ext == "" || strings.ContainsAny(ext, "[]# "):
		path += t.Ext
	case t.Film == isPicture(ext):
		return n, "", fmt.Errorf("output %q does not fit the output module %q, which writes %s files", filepath.Base(path), t.Name, t.Ext)
	default:
		path = strings.TrimSuffix(path, ext) + t.Ext
		changed = fmt.Sprintf("output module %q does not write %s files: the output is %q", t.Name, ext, filepath.Base(path))
	}
	base := filepath.Base(path)
	if m := hashes.FindStringSubmatch(base); m != nil {
		n.digits = len(m[1])
	}
	if t.single() && n.digits > 0 {
		path = filepath.Join(filepath.Dir(path), strings.TrimRight(hashes.ReplaceAllString(strings.TrimSuffix(base, filepath.Ext(base)), ""), "_-. ")+filepath.Ext(base))
		n.digits = 0
	}
	if !t.single() && n.digits == 0 && frames > 1 {
		ext = filepath.Ext(path)
		path = strings.TrimSuffix(path, ext) + "_[#####]" + ext
		n.digits = 5
		changed = fmt.Sprintf("%d pictures need numbers: the output is %q", frames, filepath.Base(path))
	}
	n.Path = path
	return n, changed, nil
}

func isPicture(ext string) bool {
	switch strings.ToLower(ext) {
	case ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".psd", ".exr", ".tga", ".bmp":
		return true
	}
	return false
}

// File is the path of the picture of frame number.
func (n Name) File(number int) string {
	if n.digits == 0 {
		return n.Path
	}
	dir, base := filepath.Split(n.Path)
	first := true
	return dir + hashes.ReplaceAllStringFunc(base, func(s string) string {
		if !first {
			return s
		}
		first = false
		digits := strconv.Itoa(max(number, -number))
		digits = strings.Repeat("0", max(0, len(s)-2-len(digits))) + digits
		if number < 0 {
			digits = "-" + digits
		}
		return digits
	})
}

// part is the name of a file while it is being written, in the same folder and with the same extension.
func part(path string) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, "."+strings.TrimSuffix(base, filepath.Ext(base))+".part"+strconv.Itoa(os.Getpid())+filepath.Ext(base))
}

// failure adds the name of the file that could not be written.
func failure(path string, err error) error {
	if isFull(err) {
		return fmt.Errorf("writing '%s': the disk is full: free some space and render again: %w", filepath.Base(path), err)
	}
	return fmt.Errorf("writing '%s': %w", filepath.Base(path), err)
}

func isFull(err error) bool {
	s := err.Error()
	return errors.Is(err, errNoSpace) || strings.Contains(s, "No space left on device") || strings.Contains(s, "not enough space") ||
		strings.Contains(s, "Disk quota exceeded")
}
