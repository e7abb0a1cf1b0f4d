package aep

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"
)

// Unpacked is the content of an archive.
type Unpacked struct {
	Project    string      // path of the .aep, .aet or .aepx
	Others     []string    // other projects in the archive, which are not used
	Definition *Definition // for a .mogrt
}

const (
	definitionFile = "definition.json"
	graphicFile    = "project.aegraphic" // the archive within a template made with After Effects
	premiereFile   = "project.prgraphic" // the same of one made with Premiere Pro
	encryptedFlag  = 0x1                 // of an entry's flags
	ratioFree      = 64 << 20            // entries up to so many bytes may have any ratio
	ratioFreeTotal = 1 << 30             // archives up to so many bytes may have any ratio
	roomEvery      = 64 << 20            // bytes written between two checks for room
	autoSave       = "auto-save"         // in the name of the folder of old versions
	resourceFolder = "__MACOSX"          // what macOS adds to archives
	maxDefinition  = 16 << 20            // bytes of a definition.json
	zipSignature   = "PK\x03\x04"        // at the beginning of an archive
	emptySignature = "PK\x05\x06"        // at the beginning of one without entries
)

// Unpack unpacks a project archive (.zip or .mogrt) of size bytes into the empty folder dir and finds the project in it.
// It never writes outside dir. Errors name the entry and the rule: ErrUnsafe, ErrLimit, ErrBroken, ErrTruncated,
// ErrNotProject for a file that is not an archive, ErrNoProject, ErrPremiere, ErrNoRoom.
func Unpack(ctx context.Context, r io.ReaderAt, size int64, dir string, lim Limits) (out Unpacked, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Unpacked{}, fmt.Errorf("unpacking: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	u := &unpacker{ctx: ctx, root: root, lim: lim.filled(), taken: map[string]bool{}}
	if err := u.archive(r, size); err != nil {
		return Unpacked{}, err
	}
	if err := u.template(&out); err != nil {
		return Unpacked{}, err
	}
	if len(u.projects) == 0 {
		return Unpacked{}, fmt.Errorf("%w: none of its %d files ends in .aep, .aet or .aepx", ErrNoProject, u.files)
	}
	sortProjects(u.projects)
	out.Project = filepath.Join(dir, filepath.FromSlash(u.projects[0]))
	out.Others = u.projects[1:]
	return out, nil
}

// unpacker writes the entries of an archive, and of the archive within it, below one folder.
type unpacker struct {
	ctx      context.Context
	root     *os.Root
	lim      Limits
	files    int
	bytes    int64
	owed     int64           // bytes that entries declare and that are not written yet
	unasked  int64           // bytes written since there was asked for room
	taken    map[string]bool // paths written, in lower case, with false for folders
	projects []string
}

func (u *unpacker) archive(r io.ReaderAt, size int64) error {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return archiveError(r, err)
	}
	// A lease waits for its project to be unpacked: this inflater takes well under the time of the standard library's.
	z.RegisterDecompressor(zip.Deflate, flate.NewReader)
	if err := u.survey(z.File, size); err != nil {
		return err
	}
	for _, f := range z.File {
		if err := u.ctx.Err(); err != nil {
			return err
		}
		if err := u.entry(f); err != nil {
			return err
		}
	}
	return nil
}

// archiveError distinguishes an archive that was cut short, and so lacks its table of contents, from a file that never
// was one.
func archiveError(r io.ReaderAt, err error) error {
	head := make([]byte, len(zipSignature))
	if _, e := r.ReadAt(head, 0); e != nil && !errors.Is(e, io.EOF) {
		return fmt.Errorf("reading the archive: %w", e)
	}
	switch {
	case bytes.Equal(head, []byte(zipSignature)):
		return fmt.Errorf("%w: the archive lacks its table of contents", ErrTruncated)
	case bytes.Equal(head, []byte(emptySignature)):
		return fmt.Errorf("%w: the archive is damaged", ErrBroken)
	case errors.Is(err, zip.ErrFormat):
		return fmt.Errorf("%w: it is not a zip archive", ErrNotProject)
	}
	return fmt.Errorf("reading the archive: %w", err)
}

// entry checks one entry and writes it.
func (u *unpacker) entry(f *zip.File) error {
	name := entryName(f)
	if ignored(name) {
		return nil
	}
	if err := checkName(name); err != nil {
		return err
	}
	folder := strings.HasSuffix(name, "/")
	name = strings.TrimSuffix(name, "/")
	if err := u.claim(name, folder); err != nil {
		return err
	}
	mode := f.Mode()
	switch {
	case folder:
		return u.mkdir(name)
	case mode&fs.ModeSymlink != 0:
		return fmt.Errorf("%w: entry %q is a symbolic link", ErrUnsafe, name)
	case !mode.IsRegular():
		return fmt.Errorf("%w: entry %q is neither file nor folder", ErrUnsafe, name)
	case f.Flags&encryptedFlag != 0:
		return fmt.Errorf("%w: entry %q is protected by a password", ErrBroken, name)
	}
	if err := u.write(f, name); err != nil {
		return err
	}
	if isProject(name) {
		u.projects = append(u.projects, name)
	}
	return nil
}

// entryName is an entry's name as UTF-8: old Windows programs write code page 437.
func entryName(f *zip.File) string {
	if utf8.ValidString(f.Name) {
		return f.Name
	}
	return inEncoding(f.Name, codePage437)
}

// ignored tells whether an entry is not needed: what macOS adds, and old versions that After Effects saved.
func ignored(name string) bool {
	for _, step := range strings.Split(name, "/") {
		if step == resourceFolder || step == ".DS_Store" || strings.Contains(strings.ToLower(step), autoSave) {
			return true
		}
	}
	return false
}

// claim reserves a path for an entry, so that no two entries write the same file, on any system.
func (u *unpacker) claim(name string, folder bool) error {
	key := strings.ToLower(name)
	if isFile, known := u.taken[key]; known && (isFile || !folder) {
		return fmt.Errorf("%w: two entries are called %q", ErrUnsafe, name)
	}
	for up := path.Dir(key); up != "."; up = path.Dir(up) {
		if u.taken[up] {
			return fmt.Errorf("%w: entry %q lies within another file", ErrUnsafe, name)
		}
		u.taken[up] = false
	}
	u.taken[key] = !folder
	if u.files++; u.files > u.lim.ArchiveFiles {
		return fmt.Errorf("%w: the archive holds more than %d files", ErrLimit, u.lim.ArchiveFiles)
	}
	return nil
}

// survey adds up the sizes that entries declare, before anything is written. Silence and blank pictures compress very
// well, so that the limit on the ratio is only for large entries, and for large archives as a whole.
func (u *unpacker) survey(files []*zip.File, size int64) error {
	if len(files) > u.lim.ArchiveFiles {
		return fmt.Errorf("%w: the archive holds more than %d files", ErrLimit, u.lim.ArchiveFiles)
	}
	room, total := uint64(u.lim.ArchiveSize-u.bytes), uint64(0)
	for _, f := range files {
		if ignored(entryName(f)) {
			continue
		}
		if f.UncompressedSize64 > room-total {
			return fmt.Errorf("%w: with entry %q the archive unpacks to more than %d bytes", ErrLimit, f.Name, u.lim.ArchiveSize)
		}
		total += f.UncompressedSize64
		if f.UncompressedSize64 > ratioFree && f.UncompressedSize64/max(1, f.CompressedSize64) >= uint64(u.lim.Ratio) {
			return fmt.Errorf("%w: entry %q unpacks to more than %d times its size", ErrLimit, f.Name, u.lim.Ratio)
		}
	}
	if total > ratioFreeTotal && total/uint64(max(1, size)) >= uint64(u.lim.Ratio) {
		return fmt.Errorf("%w: the archive unpacks to more than %d times its size", ErrLimit, u.lim.Ratio)
	}
	u.owed += int64(total)
	return u.room()
}

// room asks Limits.Room whether the rest may be written.
func (u *unpacker) room() error {
	u.unasked = 0
	if err := u.lim.Room(u.owed); err != nil {
		return fmt.Errorf("%w: %w", ErrNoRoom, err)
	}
	return nil
}

func (u *unpacker) mkdir(name string) error {
	if name == "." {
		return nil
	}
	if err := u.root.MkdirAll(filepath.FromSlash(name), 0o755); err != nil {
		return fmt.Errorf("unpacking %q: %w", name, err)
	}
	return nil
}

// write unpacks one file. An entry that is larger than it declares is cut off with an error.
func (u *unpacker) write(f *zip.File, name string) (err error) {
	if err := u.mkdir(path.Dir(name)); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return fmt.Errorf("%w: entry %q: %w", ErrBroken, name, err)
	}
	defer in.Close()
	out, err := u.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("unpacking %q: %w", name, err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	declared := int64(f.UncompressedSize64)
	n, err := u.copy(out, io.LimitReader(contextReader{u.ctx, in}, declared+1))
	switch {
	case u.ctx.Err() != nil:
		return u.ctx.Err()
	case errors.Is(err, ErrNoRoom):
		return err
	case n > declared:
		return fmt.Errorf("%w: entry %q unpacks to more than it declares", ErrLimit, name)
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrFormat), errors.Is(err, io.ErrUnexpectedEOF), isCorrupt(err):
		return fmt.Errorf("%w: entry %q: %w", ErrBroken, name, err)
	case err != nil:
		return fmt.Errorf("unpacking %q: %w", name, err)
	}
	return nil
}

// copy copies r to w, and asks for room now and then, since others write to the same disk: after so many bytes of however many files.
func (u *unpacker) copy(w io.Writer, r io.Reader) (written int64, err error) {
	for {
		n, err := io.CopyN(w, r, roomEvery-u.unasked)
		written += n
		u.bytes += n
		u.owed -= n
		u.unasked += n
		if errors.Is(err, io.EOF) {
			return written, nil
		}
		if err == nil {
			err = u.room()
		}
		if err != nil {
			return written, err
		}
	}
}

// isCorrupt tells an error in the compressed bytes from one of the disk.
func isCorrupt(err error) bool {
	var disk *fs.PathError
	return err != nil && !errors.As(err, &disk)
}

// contextReader ends a long copy when ctx ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// template unpacks what is within a motion graphics template. One made with Premiere Pro is of use only if it brings a project of After Effects.
func (u *unpacker) template(out *Unpacked) (err error) {
	premiere := u.taken[premiereFile] && !u.taken[graphicFile]
	if u.taken[definitionFile] && (premiere || u.taken[graphicFile]) {
		if out.Definition, err = u.definition(); err != nil {
			return err
		}
		inner := graphicFile
		if premiere {
			inner = premiereFile
		}
		err = u.graphic(inner)
	}
	if premiere && len(u.projects) == 0 && (err == nil || errors.Is(err, ErrNotProject) || errors.Is(err, ErrBroken) || errors.Is(err, ErrTruncated)) {
		return ErrPremiere
	}
	return err
}

// graphic replaces a .mogrt's inner archive, of the name inner, by its content.
func (u *unpacker) graphic(inner string) error {
	f, err := u.root.Open(inner)
	if err != nil {
		return fmt.Errorf("unpacking %q: %w", inner, err)
	}
	info, err := f.Stat()
	if err == nil {
		err = u.archive(f, info.Size())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("in %s: %w", inner, err)
	}
	if err := u.root.Remove(inner); err != nil {
		return fmt.Errorf("unpacking %q: %w", inner, err)
	}
	return nil
}

func (u *unpacker) definition() (*Definition, error) {
	f, err := u.root.Open(definitionFile)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", definitionFile, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDefinition+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", definitionFile, err)
	case len(data) > maxDefinition:
		return nil, fmt.Errorf("%w: %s has more than %d bytes", ErrLimit, definitionFile, maxDefinition)
	}
	return parseDefinition(data)
}

func isProject(name string) bool { return projectRank(name) > 0 }

func projectRank(name string) int {
	switch strings.ToLower(path.Ext(name)) {
	case ".aep":
		return 3
	case ".aepx":
		return 2
	case ".aet":
		return 1
	}
	return 0
}

// sortProjects sorts the likeliest project first: the one nearest the top; among those an .aep, before its copies in
// other formats; then by name.
func sortProjects(names []string) {
	sort.Slice(names, func(i, j int) bool {
		a, b := names[i], names[j]
		if da, db := strings.Count(a, "/"), strings.Count(b, "/"); da != db {
			return da < db
		}
		if ra, rb := projectRank(a), projectRank(b); ra != rb {
			return ra > rb
		}
		return a < b
	})
}
