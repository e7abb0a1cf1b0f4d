package svg

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"overcrank/engine/footage/vector"
)

// The bounds of a document.
const (
	maxElements   = 200_000
	maxAttributes = 2_000_000
)

// element is an element of the document, of those that belong to SVG.
type element struct {
	name     string
	attrs    map[string]string
	children []*element
	text     string // of style elements, and of characters within text, which are elements without a name
	parent   *element
	inText   bool // it is a text element or within one
}

func (e *element) attr(name string) string { return strings.TrimSpace(e.attrs[name]) }

// document is the tree of a file.
type document struct {
	root *element
	ids  map[string]*element
}

// parse reads the tree. Entities that a file declares are never expanded, and nothing outside of it is read.
func parse(r io.Reader) (*document, error) {
	dec := xml.NewDecoder(r)
	dec.Strict = false
	dec.CharsetReader = charset
	p := parser{doc: &document{ids: map[string]*element{}}}
	for {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("it is broken: %w", err)
		}
		if err := p.take(t); err != nil {
			return nil, err
		}
	}
	if p.doc.root == nil {
		return nil, errors.New("it is no SVG picture: it has no element 'svg'")
	}
	return p.doc, nil
}

// charset reads what single bytes encode.
func charset(label string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "iso-8859-1", "latin1", "us-ascii", "ascii", "windows-1252":
		return &latin{in: in}, nil
	}
	return nil, fmt.Errorf("its encoding '%.40s' is not read", label)
}

// latin makes UTF-8 of bytes that are code points.
type latin struct {
	in   io.Reader
	left []byte
}

func (l *latin) Read(to []byte) (int, error) {
	for len(l.left) == 0 {
		buf := make([]byte, 4096)
		n, err := l.in.Read(buf)
		var out strings.Builder
		for _, b := range buf[:n] {
			out.WriteRune(rune(b))
		}
		l.left = []byte(out.String())
		if n == 0 && err != nil {
			return 0, err
		}
	}
	n := copy(to, l.left)
	l.left = l.left[n:]
	return n, nil
}

// parser builds the tree.
type parser struct {
	doc                  *document
	at                   *element
	depth                int
	skip                 int // how deep within an element that is not of SVG
	elements, attributes int
}

func (p *parser) take(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		return p.start(t)
	case xml.EndElement:
		switch {
		case p.skip > 0:
			p.skip--
		case p.at != nil:
			p.depth--
			p.at = p.at.parent
		}
	case xml.CharData:
		switch {
		case p.skip > 0 || p.at == nil:
		case p.at.name == "style":
			p.at.text += string(t)
		case p.at.inText:
			if err := p.count(); err != nil {
				return err
			}
			p.at.children = append(p.at.children, &element{text: string(t), parent: p.at, inText: true})
		}
	}
	return nil
}

// count counts an element.
func (p *parser) count() error {
	if p.elements++; p.elements > maxElements {
		return fmt.Errorf("%w: more than %d elements", vector.ErrTooMuch, maxElements)
	}
	return nil
}

// ours tells whether a name space is that of SVG. Illustrator names it by an entity.
func ours(space string) bool {
	return space == "" || space == "http://www.w3.org/2000/svg" || space == "&ns_svg;" || space == "svg"
}

// xmlSpace is the name space of xml:space.
const xmlSpace = "http://www.w3.org/XML/1998/namespace"

func (p *parser) start(t xml.StartElement) error {
	if err := p.count(); err != nil {
		return err
	}
	if p.attributes += len(t.Attr); p.attributes > maxAttributes {
		return fmt.Errorf("%w: more than %d attributes", vector.ErrTooMuch, maxAttributes)
	}
	if p.skip > 0 || !ours(t.Name.Space) || p.at == nil && p.doc.root != nil {
		p.skip++
		return nil
	}
	e := &element{name: t.Name.Local, attrs: make(map[string]string, len(t.Attr)), parent: p.at}
	e.inText = e.name == "text" || p.at != nil && p.at.inText
	for _, a := range t.Attr {
		switch {
		case a.Name.Local == "href" || ours(a.Name.Space):
			e.attrs[a.Name.Local] = a.Value
		case a.Name.Space == xmlSpace && a.Name.Local == "space":
			e.attrs["xml:space"] = a.Value
		}
	}
	switch {
	case p.at != nil:
		p.at.children = append(p.at.children, e)
	case e.name != "svg":
		return fmt.Errorf("it is no SVG picture: it begins with the element '%.40s'", e.name)
	default:
		p.doc.root = e
	}
	if p.depth++; p.depth > vector.MaxDepth {
		return fmt.Errorf("%w: elements lie within each other more than %d times", vector.ErrTooMuch, vector.MaxDepth)
	}
	if id := e.attrs["id"]; id != "" && p.doc.ids[id] == nil {
		p.doc.ids[id] = e
	}
	p.at = e
	return nil
}

// reference is the element of this document that "#id" or "url(#id)" names; nil for any other.
func (d *document) reference(v string) *element {
	v = strings.TrimSpace(v)
	if strings.HasPrefix(v, "url(") {
		end := strings.IndexByte(v, ')')
		if end < 0 {
			return nil
		}
		v = strings.Trim(strings.TrimSpace(v[4:end]), `'"`)
	}
	if id, ok := strings.CutPrefix(v, "#"); ok {
		return d.ids[id]
	}
	return nil
}
