package rifx

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	xmlRoot      = "AfterEffectsProject"
	xmlString    = "string"
	xmlReference = "fileReference"
	xmlMetadata  = "ProjectXMPMetadata"
	idAlias      = "alas"
)

var byteOrderMark = []byte("\xef\xbb\xbf")

func looksXML(data []byte) bool {
	data = bytes.TrimLeft(bytes.TrimPrefix(data, byteOrderMark), " \t\r\n")
	return bytes.HasPrefix(data, []byte("<?xml")) || bytes.HasPrefix(data, []byte("<"+xmlRoot)) ||
		bytes.HasPrefix(data, []byte("<!"))
}

// xmlNode is an open element.
type xmlNode struct {
	chunk Chunk
	name  string
	text  []byte // of a string element
	leaf  bool
}

// xmlParser builds the same tree as the binary form: an element with a "bdata" attribute is a leaf, a "string" element
// is a Utf8 leaf, a "fileReference" is the JSON in an "alas" leaf, and all others are lists.
type xmlParser struct {
	parser
	dec   *xml.Decoder
	stack []xmlNode
}

func parseXML(data []byte, lim Limits) (*File, error) {
	p := xmlParser{
		parser: parser{lim: lim, ids: make(map[string]string, 256)},
		dec:    xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, byteOrderMark))),
	}
	for {
		tok, err := p.dec.RawToken()
		if err != nil {
			return nil, p.broken(err)
		}
		switch t := tok.(type) {
		case xml.Directive:
			return nil, fmt.Errorf("%w: its XML declares a document type or an entity", ErrUnsafe)
		case xml.StartElement:
			if len(p.stack) == 0 && t.Name.Local != xmlRoot {
				return nil, fmt.Errorf("%w: its XML is a %q", ErrNotProject, clip(t.Name.Local))
			}
			if err := p.begin(t); err != nil {
				return nil, err
			}
		case xml.CharData:
			if n := len(p.stack); n > 0 && p.stack[n-1].name == xmlString {
				p.stack[n-1].text = append(p.stack[n-1].text, t...)
			}
		case xml.EndElement:
			root, err := p.end(t)
			if err != nil {
				return nil, err
			}
			if root != nil {
				return &File{Form: FormProject, Children: root.Children}, nil
			}
		}
	}
}

func (p *xmlParser) broken(err error) error {
	if errors.Is(err, io.EOF) || strings.Contains(err.Error(), "unexpected EOF") {
		if len(p.stack) == 0 {
			return fmt.Errorf("%w: its XML holds nothing", ErrNotProject)
		}
		return fmt.Errorf("%w: its XML is not closed", ErrTruncated)
	}
	return fmt.Errorf("%w: its XML is not well formed: %w", ErrBroken, err)
}

func (p *xmlParser) begin(t xml.StartElement) error {
	name := t.Name.Local
	if name == xmlMetadata {
		return p.skip()
	}
	if p.chunks++; p.chunks > p.lim.Chunks {
		return fmt.Errorf("%w: more than %d chunks", ErrLimit, p.lim.Chunks)
	}
	if len(p.stack) > p.lim.Depth {
		return fmt.Errorf("%w: chunks lie more than %d deep", ErrLimit, p.lim.Depth)
	}
	n := xmlNode{name: name}
	switch name {
	case xmlString:
		n.chunk, n.leaf = Chunk{ID: idUtf8}, true
	case xmlReference:
		body, err := json.Marshal(attributes(t.Attr))
		if err != nil {
			return fmt.Errorf("%w: a file reference in its XML: %w", ErrBroken, err)
		}
		n.chunk, n.leaf = Chunk{ID: idAlias, Data: body}, true
	default:
		var err error
		if n.chunk, n.leaf, err = p.element(name, t.Attr); err != nil {
			return err
		}
	}
	p.stack = append(p.stack, n)
	return nil
}

func (p *xmlParser) element(name string, attrs []xml.Attr) (c Chunk, leaf bool, err error) {
	id := name
	if len(id) < 4 {
		id = (id + "    ")[:4]
	}
	c = Chunk{ID: p.intern([]byte(id)), List: true}
	for _, a := range attrs {
		if a.Name.Local != "bdata" {
			continue
		}
		if c.Data, err = hex.DecodeString(a.Value); err != nil {
			return c, false, fmt.Errorf("%w: the bytes of a %q in its XML: %w", ErrBroken, clip(name), err)
		}
		c.List = id == idText
		return c, true, nil
	}
	return c, false, nil
}

// end closes the innermost element and adds it to its parent; for the root it returns the chunk.
func (p *xmlParser) end(t xml.EndElement) (*Chunk, error) {
	i := len(p.stack) - 1
	if i < 0 || p.stack[i].name != t.Name.Local {
		return nil, fmt.Errorf("%w: its XML closes a %q that is not open", ErrBroken, clip(t.Name.Local))
	}
	n := p.stack[i]
	p.stack = p.stack[:i]
	c := n.chunk
	switch {
	case n.name == xmlString:
		c.Data = n.text
	case wraps(c.ID) && len(c.Children) == 1 && c.Children[0].ID == idUtf8:
		c = Wrapped(c.ID, string(c.Children[0].Data))
	}
	if i == 0 {
		return &c, nil
	}
	if up := &p.stack[i-1]; !up.leaf {
		up.chunk.Children = append(up.chunk.Children, c)
	}
	return nil, nil
}

// skip skips the element that has just begun.
func (p *xmlParser) skip() error {
	for depth := 1; depth > 0; {
		tok, err := p.dec.RawToken()
		if err != nil {
			return p.broken(err)
		}
		switch tok.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.Directive:
			return fmt.Errorf("%w: its XML declares a document type or an entity", ErrUnsafe)
		}
	}
	return nil
}

// wraps tells whether the body of a leaf of that id is a Utf8 leaf.
func wraps(id string) bool {
	switch id {
	case "tdsn", "fnam", "pdnm", "RCom":
		return true
	}
	return false
}

func attributes(attrs []xml.Attr) map[string]string {
	m := make(map[string]string, len(attrs))
	for _, a := range attrs {
		m[a.Name.Local] = a.Value
	}
	return m
}

// clip shortens a hostile name for an error message.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
