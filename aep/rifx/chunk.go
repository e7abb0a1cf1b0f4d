// Package rifx reads and writes the tree of chunks that After Effects files consist of, in both forms: binary (.aep,
// .aet) and XML (.aepx). It does not know what the chunks mean.
package rifx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Why a file was refused.
var (
	// ErrNotProject marks bytes that are neither a binary nor an XML project.
	ErrNotProject = errors.New("not an After Effects project")
	// ErrBroken marks a tree that ends early or contradicts itself.
	ErrBroken = errors.New("broken After Effects project")
	// ErrTruncated marks a tree that ends early. It is an ErrBroken too.
	ErrTruncated = fmt.Errorf("%w: it ends in the middle", ErrBroken)
	// ErrLimit marks a tree that is larger or deeper than Limits allow.
	ErrLimit = errors.New("over the limit")
	// ErrUnsafe marks XML that declares a document type or an entity.
	ErrUnsafe = errors.New("unsafe")
)

// Limits bound the tree.
type Limits struct {
	Chunks int // in the whole tree
	Depth  int // of lists within lists
}

// Chunk is a node of the tree: a leaf with Data, or a list with Children.
type Chunk struct {
	ID       string // four bytes; of a list its type, such as "tdgp"
	List     bool
	Data     []byte // of leaves, and of lists of type "btdk", which contain no chunks; shares memory with the file
	Children []Chunk
}

// File is a complete project file.
type File struct {
	Form     string // "Egg!" for projects, "FaFX" for presets
	Children []Chunk
	Trailer  []byte // what follows the tree: a packet of XMP, or nothing
}

// FormProject is the form of projects.
const FormProject = "Egg!"

const (
	idRIFX = "RIFX"
	idLIST = "LIST"
	idUtf8 = "Utf8"
	idText = "btdk" // a list whose body is COS, not chunks
)

// Leaf makes a leaf.
func Leaf(id string, data []byte) Chunk { return Chunk{ID: id, Data: data} }

// List makes a list of the given type.
func List(typ string, children ...Chunk) Chunk {
	return Chunk{ID: typ, List: true, Children: children}
}

// Utf8 makes a leaf that holds a string.
func Utf8(s string) Chunk { return Leaf(idUtf8, []byte(s)) }

// Wrapped makes a leaf of the given id that contains a Utf8 leaf with a string, as "tdsn", "fnam" and "pdnm" do since
// After Effects 15.
func Wrapped(id, s string) Chunk {
	c := Utf8(s)
	return Leaf(id, appendChunk(nil, &c))
}

// Find is the first leaf or list of that id, nil when there is none.
func (c *Chunk) Find(id string) *Chunk {
	if c == nil {
		return nil
	}
	return find(c.Children, id)
}

// Find is the first leaf or list of that id at the top of the tree, nil when there is none.
func (f *File) Find(id string) *Chunk { return find(f.Children, id) }

func find(cs []Chunk, id string) *Chunk {
	for i := range cs {
		if cs[i].ID == id {
			return &cs[i]
		}
	}
	return nil
}

// Bytes is the body of a leaf; nil for a nil chunk.
func (c *Chunk) Bytes() []byte {
	if c == nil {
		return nil
	}
	return c.Data
}

// Raw is the string in a leaf, in its original encoding: the body of a Utf8 leaf, that of the Utf8 leaf wrapped in it,
// or the body up to its first NUL. utf8 tells whether it is declared as UTF-8.
func (c *Chunk) Raw() (s []byte, utf8 bool) {
	b := c.Bytes()
	if c != nil && c.ID == idUtf8 {
		return b, true
	}
	if len(b) >= 8 && string(b[:4]) == idUtf8 {
		n := int64(binary.BigEndian.Uint32(b[4:]))
		if n <= int64(len(b)-8) {
			return b[8 : 8+n], true
		}
	}
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return b, false
}
