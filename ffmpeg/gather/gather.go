// Package gather makes builds of ffmpeg that a farm hands out of the archives that they are published in.
package gather

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ulikunitz/xz"

	"overcrank/farm/names"
	"overcrank/ffmpeg"
	"overcrank/ffmpeg/build"
)

// maxMembers bounds how many files an archive from the internet may have; nearly all of them are documentation, and left out.
const maxMembers = 20_000

// Build is a build of ffmpeg that was gathered from an archive, in memory.
type Build struct {
	System, Arch string // as Go names them; Arch is "universal" for a Mac's program for both processors
	Licence      string // ffmpeg.LGPL, GPL or Nonfree, by how it was configured; "" when that is not found
	files        map[string][]byte
}

// Read reads an archive as builds of ffmpeg are published in: zip, tar.gz or tar.xz, with the programs in any folder of it. Of its files it takes the
// programs, libraries beside them, and texts of licences; licences are files with such texts besides. The error wraps build.ErrRefused when the archive is not
// a build of ffmpeg.
func Read(archive string, licences ...string) (*Build, error) {
	found := map[string][]byte{} // by path in the archive
	var total int64
	members := 0
	take := func(name string, regular bool, r io.Reader) error {
		if members++; members > maxMembers {
			return build.Refused("it has more than %d files", maxMembers)
		}
		base := path.Base(name)
		if !regular || !names.IsElement(base) || !build.IsLicence(base) && !build.IsLibrary(base) && !isProgram(base) {
			return nil
		}
		content, err := io.ReadAll(io.LimitReader(r, build.MaxUnpacked-total+1))
		if err != nil {
			return build.Refused("%s: %v", base, err)
		}
		if total += int64(len(content)); total > build.MaxUnpacked || len(found) > build.MaxFiles {
			return build.Refused("its programs are larger than %d bytes, or too many", build.MaxUnpacked)
		}
		found[path.Clean(name)] = content
		return nil
	}
	if err := each(archive, take); err != nil {
		return nil, err
	}
	b, err := chosen(found)
	if err != nil {
		return nil, err
	}
	for _, l := range licences {
		text, err := os.ReadFile(l)
		if err != nil {
			return nil, fmt.Errorf("reading the licence: %w", err)
		}
		name := filepath.Base(l)
		if !build.IsLicence(name) {
			name = "LICENSE-" + name
		}
		b.files[name] = text
	}
	for name := range b.files {
		if build.IsLicence(name) {
			return b, nil
		}
	}
	return nil, build.Refused("it has no text of a licence; name the file with --licence")
}

func isProgram(name string) bool {
	return slices.Contains(build.Programs("windows"), name) || slices.Contains(build.Programs("linux"), name)
}

// each calls take for each file of an archive.
func each(archive string, take func(name string, regular bool, r io.Reader) error) error {
	f, err := os.Open(archive)
	if err != nil {
		return fmt.Errorf("opening a build of ffmpeg: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("opening a build of ffmpeg: %w", err)
	}
	if info.Size() > build.MaxArchive {
		return build.Refused("it is larger than %d bytes", build.MaxArchive)
	}
	lower := strings.ToLower(archive)
	var plain io.Reader
	switch {
	case strings.HasSuffix(lower, ".zip"):
		return eachOfZip(f, info.Size(), take)
	case strings.HasSuffix(lower, ".tar.gz"), strings.HasSuffix(lower, ".tgz"):
		plain, err = gzip.NewReader(f)
	case strings.HasSuffix(lower, ".tar.xz"):
		plain, err = xz.NewReader(f)
	default:
		return build.Refused("its name does not end in .zip, .tar.gz or .tar.xz")
	}
	if err != nil {
		return build.Refused("%v", err)
	}
	// What is skipped is unpacked too, so that all of it is bounded.
	reader := tar.NewReader(io.LimitReader(plain, 4*build.MaxUnpacked))
	for {
		h, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return build.Refused("%v", err)
		}
		if err := take(h.Name, h.Typeflag == tar.TypeReg, reader); err != nil {
			return err
		}
	}
}

func eachOfZip(f io.ReaderAt, size int64, take func(name string, regular bool, r io.Reader) error) error {
	archive, err := zip.NewReader(f, size)
	if err != nil {
		return build.Refused("%v", err)
	}
	for _, member := range archive.File {
		r, err := member.Open()
		if err != nil {
			return build.Refused("%s: %v", member.Name, err)
		}
		err = errors.Join(take(strings.ReplaceAll(member.Name, `\`, "/"), member.Mode().IsRegular(), r), r.Close())
		if err != nil {
			return err
		}
	}
	return nil
}

// chosen are the files of a build among those of an archive.
func chosen(found map[string][]byte) (*Build, error) {
	b := &Build{files: map[string][]byte{}}
	var folder string
	for name, content := range found {
		if base := path.Base(name); base == "ffmpeg" || base == "ffmpeg.exe" {
			if b.files[base] != nil || folder != "" {
				return nil, build.Refused("it has several ffmpegs")
			}
			folder = path.Dir(name)
			b.files[base] = content
			if b.System, b.Arch = machineOf(content); b.System == "" {
				return nil, build.Refused("its %s is not a program for Windows, macOS or Linux", base)
			}
			if slices.Index(build.Programs(b.System), base) != 0 {
				return nil, build.Refused("its %s is a program for %s", base, b.System)
			}
		}
	}
	if folder == "" {
		return nil, build.Refused("there is no ffmpeg in it")
	}
	var elsewhere []string // texts of licences
	for name, content := range found {
		switch base, beside := path.Base(name), path.Dir(name) == folder; {
		case beside && (build.IsLicence(base) || build.IsLibrary(base) || base == build.Programs(b.System)[1]):
			b.files[base] = content
		case build.IsLicence(base):
			elsewhere = append(elsewhere, name)
		}
	}
	slices.Sort(elsewhere) // the same archive makes the same build
	for _, name := range elsewhere {
		if base := path.Base(name); b.files[base] == nil { // that beside the programs is theirs, another may be a library's
			b.files[base] = found[name]
		}
	}
	if b.files[build.Programs(b.System)[1]] == nil {
		return nil, build.Refused("there is no %s beside its ffmpeg", build.Programs(b.System)[1])
	}
	b.Licence = licenceOf(b.files)
	return b, nil
}

// machineOf is for which system and processor a program was made, as Go names them; "" when it is none.
func machineOf(program []byte) (system, arch string) {
	r := bytes.NewReader(program)
	if f, err := elf.NewFile(r); err == nil {
		return "linux", map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[f.Machine]
	}
	if f, err := pe.NewFile(r); err == nil {
		return "windows", map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64"}[f.Machine]
	}
	if _, err := macho.NewFatFile(r); err == nil {
		return "darwin", "universal"
	}
	if f, err := macho.NewFile(r); err == nil {
		return "darwin", map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[f.Cpu]
	}
	return "", ""
}

// licenceOf is the licence of a build by the options that it was configured with, which its programs or libraries hold as text.
func licenceOf(files map[string][]byte) string {
	has := func(option string) bool {
		for name, content := range files {
			if !build.IsLicence(name) && bytes.Contains(content, []byte(option)) {
				return true
			}
		}
		return false
	}
	switch {
	case has("--enable-nonfree"):
		return ffmpeg.Nonfree
	case has("--enable-gpl"):
		return ffmpeg.GPL
	case has("--enable-") || has("--disable-") || has("--prefix="):
		return ffmpeg.LGPL
	}
	return ""
}

// Names are the names of its files, in order.
func (b *Build) Names() []string {
	list := make([]string, 0, len(b.files))
	for name := range b.files {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// Write writes the build as an archive that build.Unpack unpacks. The same build makes the same bytes.
func (b *Build) Write(w io.Writer) error {
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, name := range b.Names() {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(build.Mode(name, b.System))
		member, err := archive.CreateHeader(h)
		if err == nil {
			_, err = member.Write(b.files[name])
		}
		if err != nil {
			return fmt.Errorf("packing a build of ffmpeg: %w", err)
		}
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("packing a build of ffmpeg: %w", err)
	}
	return nil
}
