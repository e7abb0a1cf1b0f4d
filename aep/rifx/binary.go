package rifx

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Parse reads a binary or an XML project, recognised by its first bytes. The tree shares data's memory.
func Parse(data []byte, lim Limits) (*File, error) {
	switch {
	case len(data) >= 4 && string(data[:4]) == idRIFX:
		return parseBinary(data, lim)
	case looksXML(data):
		return parseXML(data, lim)
	}
	return nil, fmt.Errorf("%w: it begins neither like a binary nor like an XML project", ErrNotProject)
}

type parser struct {
	lim    Limits
	chunks int
	ids    map[string]string
}

func parseBinary(data []byte, lim Limits) (*File, error) {
	if len(data) < 12 {
		return nil, fmt.Errorf("%w: after %d bytes, within its header", ErrTruncated, len(data))
	}
	size := int64(binary.BigEndian.Uint32(data[4:]))
	if size < 4 {
		return nil, fmt.Errorf("%w: its header gives it a length of %d", ErrBroken, size)
	}
	if size > int64(len(data)-8) {
		return nil, fmt.Errorf("%w: after %d of %d bytes", ErrTruncated, len(data), size+8)
	}
	p := parser{lim: lim, ids: make(map[string]string, 256)}
	f := &File{Form: string(data[8:12]), Trailer: data[8+size:]}
	var err error
	f.Children, err = p.chunksOf(data[12:8+size], 0)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// chunksOf reads the chunks in body.
func (p *parser) chunksOf(body []byte, depth int) ([]Chunk, error) {
	if depth > p.lim.Depth {
		return nil, fmt.Errorf("%w: chunks lie more than %d deep", ErrLimit, p.lim.Depth)
	}
	var out []Chunk
	for len(body) > 0 {
		if len(body) < 8 {
			return nil, fmt.Errorf("%w: %d bytes are where a chunk should begin", ErrBroken, len(body))
		}
		if p.chunks++; p.chunks > p.lim.Chunks {
			return nil, fmt.Errorf("%w: more than %d chunks", ErrLimit, p.lim.Chunks)
		}
		id, n := p.intern(body[:4]), int64(binary.BigEndian.Uint32(body[4:]))
		body = body[8:]
		if n > int64(len(body)) {
			return nil, fmt.Errorf("%w: chunk %q should have %d bytes and only %d are left", ErrBroken, id, n, len(body))
		}
		c, err := p.chunk(id, body[:n:n], depth)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
		body = body[min(n+n&1, int64(len(body))):]
	}
	return out, nil
}

func (p *parser) chunk(id string, body []byte, depth int) (Chunk, error) {
	if id != idLIST {
		return Chunk{ID: id, Data: body}, nil
	}
	if len(body) < 4 {
		return Chunk{}, fmt.Errorf("%w: a list of %d bytes has no type", ErrBroken, len(body))
	}
	c := Chunk{ID: p.intern(body[:4]), List: true}
	if c.ID == idText {
		c.Data = body[4:]
		return c, nil
	}
	var err error
	c.Children, err = p.chunksOf(body[4:], depth+1)
	return c, err
}

// intern saves an allocation per chunk: a project has a few hundred different ids and tens of thousands of chunks.
func (p *parser) intern(b []byte) string {
	if s, ok := p.ids[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(p.ids) < 4096 {
		p.ids[s] = s
	}
	return s
}

// WriteTo writes the binary form.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	b, err := f.Append(nil)
	if err != nil {
		return 0, err
	}
	n, err := w.Write(b)
	return int64(n), err
}

// Append appends the binary form to b.
func (f *File) Append(b []byte) ([]byte, error) {
	if len(f.Form) != 4 {
		return nil, fmt.Errorf("the form %q of a project file is not four bytes long", f.Form)
	}
	if err := checkIDs(f.Children); err != nil {
		return nil, err
	}
	start := len(b)
	b = append(b, idRIFX...)
	b = append(b, 0, 0, 0, 0)
	b = append(b, f.Form...)
	for i := range f.Children {
		b = appendChunk(b, &f.Children[i])
	}
	size := len(b) - start - 8
	if int64(size) > 1<<32-1 {
		return nil, fmt.Errorf("a project file of %d bytes does not fit its own header", size)
	}
	binary.BigEndian.PutUint32(b[start+4:], uint32(size))
	return append(b, f.Trailer...), nil
}

func checkIDs(cs []Chunk) error {
	for i := range cs {
		if len(cs[i].ID) != 4 {
			return fmt.Errorf("the chunk id %q is not four bytes long", cs[i].ID)
		}
		if err := checkIDs(cs[i].Children); err != nil {
			return err
		}
	}
	return nil
}

func appendChunk(b []byte, c *Chunk) []byte {
	start := len(b)
	if c.List {
		b = append(b, idLIST...)
		b = append(b, 0, 0, 0, 0)
	} else {
		b = append(b, c.ID...)
		b = append(b, 0, 0, 0, 0)
	}
	if c.List {
		b = append(b, c.ID...)
		for i := range c.Children {
			b = appendChunk(b, &c.Children[i])
		}
	}
	b = append(b, c.Data...)
	size := len(b) - start - 8
	binary.BigEndian.PutUint32(b[start+4:], uint32(size))
	if size&1 == 1 {
		b = append(b, 0)
	}
	return b
}
