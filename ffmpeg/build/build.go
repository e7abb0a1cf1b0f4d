// Package build is about builds of ffmpeg that a farm hands out to its machines: a zip archive that holds, beside each other and without folders,
// ffmpeg, ffprobe, the libraries that they bring, and the text of their licence.
package build

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overcrank/farm/names"
)

// Bounds of a build.
const (
	MaxArchive  = 512 << 20 // bytes of the archive; what a farm hands out is not larger
	MaxUnpacked = 1 << 30   // bytes of all its files
	MaxFiles    = 200       // ffmpeg's own libraries are nine
)

// ErrRefused marks an archive that is no build of ffmpeg, or may do harm.
var ErrRefused = errors.New("not a build of ffmpeg that can be used")

// Refused is ErrRefused with what is wrong.
func Refused(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// Programs are the names of the programs that a build has to hold, for a system as Go names it.
func Programs(system string) []string {
	if system == "windows" {
		return []string{"ffmpeg.exe", "ffprobe.exe"}
	}
	return []string{"ffmpeg", "ffprobe"}
}

// IsLicence tells whether a file is the text of a licence, by its name.
func IsLicence(name string) bool {
	upper := strings.ToUpper(name)
	return slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING"}, func(prefix string) bool { return strings.HasPrefix(upper, prefix) })
}

// IsLibrary tells whether a file is a library that programs beside it load, by its name.
func IsLibrary(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, ".dll") || strings.HasSuffix(lower, ".dylib") || strings.HasSuffix(lower, ".so") || strings.Contains(lower, ".so.")
}

// Unpack unpacks the archive at path, a build for a system, into the folder dir, which has to be empty. room is asked before anything is written whether
// there is room for so many bytes. The error wraps ErrRefused when the archive is not a build.
func Unpack(path, system, dir string, room func(bytes int64) error) error {
	archive, err := zip.OpenReader(path)
	if err != nil {
		if errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrAlgorithm) || errors.Is(err, zip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) {
			return Refused("%v", err)
		}
		return fmt.Errorf("opening a build of ffmpeg: %w", err)
	}
	defer func() { _ = archive.Close() }() // only read
	total, err := check(archive.File, system)
	if err != nil {
		return err
	}
	if err := room(total); err != nil {
		return err
	}
	for _, f := range archive.File {
		if err := unpackFile(f, filepath.Join(dir, f.Name), Mode(f.Name, system)); err != nil {
			return err
		}
	}
	return nil
}

// check refuses what is not a build, and returns the size of its files.
func check(list []*zip.File, system string) (total int64, err error) {
	if len(list) > MaxFiles {
		return 0, Refused("it has %d files, more than %d", len(list), MaxFiles)
	}
	seen := map[string]bool{}
	for _, f := range list {
		lower := strings.ToLower(f.Name)
		switch {
		case !names.IsElement(f.Name) || !f.Mode().IsRegular():
			return 0, Refused("%q is not a plain file at its top", f.Name)
		case seen[lower]:
			return 0, Refused("it has %q twice", f.Name)
		case f.UncompressedSize64 > MaxUnpacked || total+int64(f.UncompressedSize64) > MaxUnpacked:
			return 0, Refused("unpacked it is larger than %d bytes", MaxUnpacked)
		}
		seen[lower] = true
		total += int64(f.UncompressedSize64)
	}
	for _, program := range Programs(system) {
		if !slices.ContainsFunc(list, func(f *zip.File) bool { return f.Name == program }) {
			return 0, Refused("it has no %s", program)
		}
	}
	if !slices.ContainsFunc(list, func(f *zip.File) bool { return IsLicence(f.Name) }) {
		return 0, Refused("it has no text of a licence, LICENSE or COPYING")
	}
	return total, nil
}

// Mode is the mode of an unpacked file: only programs can be started.
func Mode(name, system string) os.FileMode {
	if slices.Contains(Programs(system), name) {
		return 0o755
	}
	return 0o644
}

func unpackFile(f *zip.File, path string, mode os.FileMode) (err error) {
	in, err := f.Open()
	if err != nil {
		return Refused("%s: %v", f.Name, err)
	}
	defer in.Close()
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return fmt.Errorf("unpacking a build of ffmpeg: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	// One byte more than it says shows a file that lies about its size.
	n, err := io.Copy(out, io.LimitReader(in, int64(f.UncompressedSize64)+1))
	switch {
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, io.ErrUnexpectedEOF), err == nil && uint64(n) != f.UncompressedSize64:
		return Refused("%s is damaged", f.Name)
	case err != nil:
		return fmt.Errorf("unpacking a build of ffmpeg: %w", err)
	}
	return out.Sync()
}
