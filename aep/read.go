package aep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"

	"overcrank/aep/rifx"
)

// Why a file was refused. Callers decide by these; the text around them names the part of the file and the rule.
var (
	// ErrNotProject marks bytes that are not an After Effects project.
	ErrNotProject = rifx.ErrNotProject
	// ErrBroken marks a project that ends early or contradicts itself.
	ErrBroken = rifx.ErrBroken
	// ErrLimit marks a file that is larger, deeper or fuller than Limits allow.
	ErrLimit = rifx.ErrLimit
	// ErrUnsafe marks an archive entry that would leave its folder, a symbolic link, or an XML entity.
	ErrUnsafe = rifx.ErrUnsafe
	// ErrTruncated marks a project or an archive that ends in the middle. It is an ErrBroken too.
	ErrTruncated = rifx.ErrTruncated
	// ErrNoProject marks an archive without a project in it.
	ErrNoProject = errors.New("no After Effects project inside")
	// ErrNoRoom is Limits.Room's refusal. It says nothing about the archive.
	ErrNoRoom = errors.New("there is no room to unpack the archive")
	// ErrPremiere marks a motion graphics template made with Premiere Pro, which holds no After Effects project.
	ErrPremiere = errors.New("made with Premiere Pro, not After Effects")
)

// Read reads a project (.aep, .aet or .aepx, recognised by content) of size bytes from r. Its errors are ErrNotProject,
// ErrBroken, ErrLimit, ErrUnsafe, those of r and that of ctx.
func Read(ctx context.Context, r io.ReaderAt, size int64, lim Limits) (*Project, error) {
	lim = lim.filled()
	if size > lim.FileSize {
		return nil, fmt.Errorf("%w: the project file has %d bytes and at most %d are read", ErrLimit, size, lim.FileSize)
	}
	data, err := readAll(ctx, r, size)
	if err != nil {
		return nil, err
	}
	tree, err := rifx.Parse(data, rifx.Limits{Chunks: lim.Chunks, Depth: lim.Depth})
	if err != nil {
		return nil, err
	}
	return decode(ctx, tree, lim, nil)
}

// Open reads the project file at path; Project.Path is set.
func Open(ctx context.Context, path string, lim Limits) (*Project, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the project: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("opening the project: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("opening the project: %w", &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid})
	}
	p, err := Read(ctx, f, info.Size(), lim)
	if err != nil {
		return nil, err
	}
	p.Path = path
	return p, nil
}

// readAll reads in pieces, so that the end of ctx is noticed on a slow disk.
func readAll(ctx context.Context, r io.ReaderAt, size int64) ([]byte, error) {
	const piece = 8 << 20
	data := make([]byte, max(size, 0))
	for off := int64(0); off < size; off += piece {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := data[off:min(off+piece, size)]
		if n, err := r.ReadAt(part, off); n < len(part) {
			if errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("%w: after %d of %d bytes", ErrTruncated, off+int64(n), size)
			}
			return nil, fmt.Errorf("reading the project: %w", err)
		}
	}
	return data, nil
}

// reader converts a tree of chunks to a project.
type reader struct {
	project *Project
	lim     Limits
	byID    map[uint32]*Item
	comps   []compChunks
	nodes   int      // properties and keyframes made
	from    *origins // nil unless recorded
}

// compChunks is a composition whose layers are read once all items are known, since a layer's units depend on its
// source.
type compChunks struct {
	item  *Item
	chunk *rifx.Chunk
}

func decode(ctx context.Context, tree *rifx.File, lim Limits, from *origins) (*Project, error) {
	if tree.Form != rifx.FormProject {
		return nil, fmt.Errorf("%w: it is of the kind %q", ErrNotProject, tree.Form)
	}
	head, root := tree.Find("head"), tree.Find("Fold")
	if head == nil || root == nil {
		return nil, fmt.Errorf("%w: its header or its list of items is missing", ErrBroken)
	}
	if len(head.Data) < headSize {
		return nil, fmt.Errorf("%w: its header has %d bytes instead of %d", ErrBroken, len(head.Data), headSize)
	}
	p := &Project{
		Version:          decodeVersion(head.Data),
		ExpressionEngine: "extendscript",
		BitsPerChannel:   decodeDepth(tree.Find("nnhd").Bytes()),
		Color:            decodeColor(tree),
		effects:          make(map[string]*effectDefinition),
	}
	r := &reader{project: p, lim: lim, byID: map[uint32]*Item{}, from: from}
	if s := r.text(tree.Find("ExEn").Find("Utf8")); s != "" {
		p.ExpressionEngine = s
	}
	if c := tree.Find("fcid"); c != nil {
		p.ActiveItem = body(c.Data).u32(0)
	}
	r.effectDefinitions(tree.Find("EfdG"))
	if err := r.items(root, nil); err != nil {
		return nil, err
	}
	for _, c := range r.comps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.composition(c.item, c.chunk); err != nil {
			return nil, fmt.Errorf("composition %q: %w", c.item.Name, err)
		}
	}
	return p, nil
}

// noName is the content of a name chunk when the user gave no name.
const noName = "-_0_/-"

// name is the user's own name in a name chunk, or "".
func (r *reader) name(c *rifx.Chunk) string {
	if s := r.text(c); s != noName {
		return s
	}
	return ""
}

// text is the string in a chunk.
func (r *reader) text(c *rifx.Chunk) string {
	if c == nil {
		return ""
	}
	raw, _ := c.Raw()
	return r.string(raw)
}

// string decodes a string in UTF-8 or, in files of After Effects 14 and earlier, in the encoding of the system.
func (r *reader) string(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	if r.project.Version.OS == "macos" {
		return inEncoding(string(raw), macRoman)
	}
	return inEncoding(string(raw), windows1252)
}

// count limits what is made from one file, so that a small file cannot become a huge model.
func (r *reader) count(n int) error {
	if r.nodes += n; r.nodes > r.lim.Chunks {
		return fmt.Errorf("%w: more than %d properties and keyframes", ErrLimit, r.lim.Chunks)
	}
	return nil
}
