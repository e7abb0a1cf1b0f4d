// Package pdf reads a page of PDF files, and of those of Illustrator, which are PDF with data of its own beside.
//
// It is a reader of its own because a whole library of PDF is larger than what may be added to the agent's program.
package pdf

import (
	"bytes"
	"errors"
	"fmt"

	"overcrank/engine/footage/vector"
)

// place is where an object lies: in the file, or as one of an object stream.
type place struct {
	offset int
	within ref // 0: in the file itself
	number int // in the stream
}

// file is the objects of a file.
type file struct {
	b       []byte
	places  map[ref]place
	known   map[ref]any
	opening map[ref]bool
	packs   map[ref]*pack
	trailer dict
	inks    bool // a colour of inks was asked for
	left    int  // bytes that may still be unpacked
	sought  int  // bytes in which the ends of streams may still be looked for

	read  map[ref]function
	made  int // functions
	words int // of programs, that ran
}

// The bounds of a file.
const (
	maxObjects  = 500_000
	maxUnpacked = 256 << 20 // bytes of all streams together, each time that one is read
	maxTables   = 200       // cross-reference tables
	maxSought   = 1 << 30
)

var errEncrypted = errors.New("it is encrypted; save it without a password")

func open(b []byte) (*file, error) {
	f := &file{b: b, places: map[ref]place{}, known: map[ref]any{}, opening: map[ref]bool{}, packs: map[ref]*pack{}, left: maxUnpacked, sought: maxSought,
		read: map[ref]function{}}
	if err := f.tables(); err != nil || f.dict(f.trailer["Root"]) == nil {
		f.trailer, f.places, f.known = nil, map[ref]place{}, map[ref]any{}
		f.scan()
	}
	if f.trailer["Encrypt"] != nil {
		return nil, errEncrypted
	}
	if f.dict(f.trailer["Root"]) == nil {
		return nil, errors.New("it is broken: it has no catalogue of pages")
	}
	return f, nil
}

// tables reads the cross-reference tables, the newest first.
func (f *file) tables() error {
	end := bytes.LastIndex(f.b, []byte("startxref"))
	if end < 0 {
		return errEnd
	}
	l := lexer{b: f.b, at: end + len("startxref")}
	at, _ := l.number0()
	seen := map[int]bool{}
	for next := []int{at}; len(next) > 0 && len(seen) < maxTables; next = next[1:] {
		if at = next[0] + f.shift(); at < 0 || at >= len(f.b) || seen[at] {
			continue
		}
		seen[at] = true
		d, err := f.table(at)
		if err != nil {
			return err
		}
		if f.trailer == nil {
			f.trailer = d
		}
		for _, key := range []name{"XRefStm", "Prev"} {
			if v, ok := d[key].(float64); ok {
				next = append(next, int(v))
			}
		}
	}
	return nil
}

// shift is how many bytes stand before the header: offsets count from there.
func (f *file) shift() int { return max(0, bytes.Index(f.b[:min(1024, len(f.b))], []byte("%PDF-"))) }

// number0 is a whole number that follows.
func (l *lexer) number0() (int, bool) {
	v, err := l.next()
	n, ok := v.(float64)
	return int(n), err == nil && ok
}

func (f *file) table(at int) (dict, error) {
	l := lexer{b: f.b, at: at, refs: true}
	l.skip()
	if !bytes.HasPrefix(f.b[l.at:], []byte("xref")) {
		return f.tableStream(l.at)
	}
	l.at += 4
	for {
		v, err := l.next()
		if err != nil {
			return nil, err
		}
		if v == operator("trailer") {
			break
		}
		first, ok := v.(float64)
		count, ok2 := l.number0()
		if !ok || !ok2 || count < 0 || count > maxObjects || first < 0 || first > maxObjects {
			return nil, errors.New("its table of objects is broken")
		}
		for i := range count {
			offset, ok := l.number0()
			if _, ok2 := l.number0(); !ok || !ok2 {
				return nil, errors.New("its table of objects is broken")
			}
			kind, err := l.next()
			if err != nil {
				return nil, err
			}
			if kind == operator("n") {
				f.add(ref(int(first)+i), place{offset: offset + f.shift()})
			}
		}
	}
	v, err := l.next()
	d, ok := v.(dict)
	if err != nil || !ok {
		return nil, errors.New("its table of objects has no trailer")
	}
	return d, nil
}

func (f *file) add(n ref, p place) {
	if _, known := f.places[n]; !known && len(f.places) < maxObjects {
		f.places[n] = p
	}
}

// tableStream reads a cross-reference table that is a stream.
func (f *file) tableStream(at int) (dict, error) {
	_, v, err := f.objectAt(at)
	s, ok := v.(*stream)
	if err != nil || !ok {
		return nil, errors.New("its table of objects is broken")
	}
	data, err := f.decoded(s)
	if err != nil {
		return nil, err
	}
	var w [3]int
	for i, v := range f.array(s.dict["W"]) {
		if n, ok := v.(float64); ok && i < 3 && n >= 0 && n <= 8 {
			w[i] = int(n)
		}
	}
	size := w[0] + w[1] + w[2]
	if size == 0 {
		return nil, errors.New("its table of objects is broken")
	}
	index := f.numbers(s.dict["Index"])
	if len(index) < 2 {
		index = []float64{0, f.number(s.dict["Size"], 0)}
	}
	for i := 0; i+1 < len(index); i += 2 {
		for n := ref(index[i]); n < ref(index[i]+index[i+1]) && len(data) >= size; n++ {
			kind := 1
			if w[0] > 0 {
				kind = whole(data[:w[0]])
			}
			a, b := whole(data[w[0]:w[0]+w[1]]), whole(data[w[0]+w[1]:size])
			switch kind {
			case 1:
				f.add(n, place{offset: a + f.shift()})
			case 2:
				f.add(n, place{within: ref(a), number: b})
			}
			data = data[size:]
		}
	}
	return s.dict, nil
}

func whole(b []byte) (n int) {
	for _, c := range b {
		n = n<<8 | int(c)
	}
	return n & (1<<40 - 1)
}

// scan finds the objects of a file whose tables are broken, by their first words.
func (f *file) scan() {
	for at := 0; ; {
		i := bytes.Index(f.b[at:], []byte(" obj"))
		if i < 0 {
			break
		}
		at += i
		start := at
		for start > 0 && (f.b[start-1] >= '0' && f.b[start-1] <= '9' || f.b[start-1] == ' ') && at-start < 20 {
			start--
		}
		l := lexer{b: f.b, at: start}
		if n, ok := l.number0(); ok && n > 0 {
			f.places[ref(n)] = place{offset: start}
		}
		at += 4
		if len(f.places) >= maxObjects {
			break
		}
	}
	f.trailer = dict{}
	for at := 0; ; {
		i := bytes.Index(f.b[at:], []byte("trailer"))
		if i < 0 {
			break
		}
		at += i + len("trailer")
		l := lexer{b: f.b, at: at, refs: true}
		if v, err := l.next(); err == nil {
			if d, ok := v.(dict); ok {
				for k, v := range d {
					f.trailer[k] = v
				}
			}
		}
	}
	for n := range f.places {
		d := f.dict(n)
		switch {
		case d["Type"] == name("Catalog"):
			if f.trailer["Root"] == nil {
				f.trailer["Root"] = n
			}
		case d["Type"] == name("XRef") && d["Encrypt"] != nil:
			f.trailer["Encrypt"] = d["Encrypt"]
		}
	}
}

// objectAt reads "5 0 obj …" at an offset.
func (f *file) objectAt(at int) (ref, any, error) {
	if at < 0 || at >= len(f.b) {
		return 0, nil, errEnd
	}
	l := lexer{b: f.b, at: at, refs: true}
	n, ok := l.number0()
	_, ok2 := l.number0()
	if word, err := l.next(); !ok || !ok2 || err != nil || word != operator("obj") {
		return 0, nil, fmt.Errorf("there is no object at %d", at)
	}
	v, err := l.next()
	d, ok := v.(dict)
	if err != nil || !ok {
		return ref(n), v, err
	}
	l.skip()
	if !bytes.HasPrefix(l.b[l.at:], []byte("stream")) {
		return ref(n), d, nil
	}
	l.at += len("stream")
	if l.at < len(l.b) && l.b[l.at] == '\r' {
		l.at++
	}
	if l.at < len(l.b) && l.b[l.at] == '\n' {
		l.at++
	}
	return ref(n), &stream{d, f.body(l.at, d)}, nil
}

// body is the bytes of a stream: as many as it says, or else those before its end.
func (f *file) body(at int, d dict) []byte {
	if n := int(f.number(d["Length"], -1)); n >= 0 && n <= len(f.b)-at {
		rest := f.b[at+n:]
		if i := bytes.Index(rest[:min(len(rest), 20)], []byte("endstream")); i >= 0 {
			return f.b[at : at+n]
		}
	}
	if f.sought <= 0 {
		return nil
	}
	i := bytes.Index(f.b[at:], []byte("endstream"))
	if i < 0 {
		f.sought -= len(f.b) - at
		return f.b[at:]
	}
	f.sought -= i
	return bytes.TrimRight(f.b[at:at+i], "\r\n")
}

// get is the object that v is or refers to; nil for one that is not there, is broken, or refers to itself.
func (f *file) get(v any) any {
	for range maxNesting {
		r, ok := v.(ref)
		if !ok {
			return v
		}
		if known, ok := f.known[r]; ok {
			v = known
			continue
		}
		p, ok := f.places[r]
		if !ok || f.opening[r] {
			return nil
		}
		f.opening[r] = true
		v = f.load(r, p)
		delete(f.opening, r)
		f.known[r] = v
	}
	return nil
}

func (f *file) load(r ref, p place) any {
	if p.within != 0 {
		return f.packed(p)
	}
	n, v, err := f.objectAt(p.offset)
	if err != nil || n != r {
		return nil
	}
	return v
}

// pack is the objects of an object stream.
type pack struct {
	data    []byte
	offsets []int
}

func (f *file) packed(p place) any {
	k := f.packs[p.within]
	if k == nil {
		k = &pack{}
		f.packs[p.within] = k
		s, ok := f.get(p.within).(*stream)
		if !ok {
			return nil
		}
		data, err := f.decoded(s)
		if err != nil {
			return nil
		}
		l := lexer{b: data}
		first := int(f.number(s.dict["First"], 0))
		for range min(maxObjects, int(f.number(s.dict["N"], 0))) {
			_, ok := l.number0()
			at, ok2 := l.number0()
			if !ok || !ok2 {
				break
			}
			k.offsets = append(k.offsets, first+at)
		}
		k.data = data
	}
	if p.number < 0 || p.number >= len(k.offsets) || k.offsets[p.number] < 0 || k.offsets[p.number] > len(k.data) {
		return nil
	}
	l := lexer{b: k.data, at: k.offsets[p.number], refs: true}
	v, err := l.next()
	if err != nil {
		return nil
	}
	return v
}

// dict is a dictionary, or that of a stream; nil for anything else.
func (f *file) dict(v any) dict {
	switch v := f.get(v).(type) {
	case dict:
		return v
	case *stream:
		return v.dict
	}
	return nil
}

func (f *file) array(v any) array { a, _ := f.get(v).(array); return a }

func (f *file) name(v any) name { n, _ := f.get(v).(name); return n }

func (f *file) number(v any, otherwise float64) float64 {
	if n, ok := f.get(v).(float64); ok {
		return n
	}
	return otherwise
}

// numbers are those of an array; nil when anything else is in it.
func (f *file) numbers(v any) []float64 {
	a := f.array(v)
	out := make([]float64, 0, len(a))
	for _, one := range a {
		n, ok := f.get(one).(float64)
		if !ok {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// spend notes that bytes were unpacked.
func (f *file) spend(n int) error {
	if f.left -= n; f.left < 0 {
		return fmt.Errorf("%w: more than %d MB are packed in it", vector.ErrTooMuch, maxUnpacked>>20)
	}
	return nil
}
