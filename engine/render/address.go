package render

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"sync"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/scene"
)

// Kept are finished frames that renders of one machine share, by the address of what they show.
type Kept interface {
	// Read fills pix with the frame at an address: pixels of step bytes each, 4 of premultiplied RGBA, or with a step of 0 bytes of any form. When it
	// returns false pix may be spoiled.
	Read(at [sha256.Size]byte, pix []byte, step int) bool
	// Drawn tells that the frame at an address was drawn. It must not change pix, nor use it after it returns.
	Drawn(at [sha256.Size]byte, pix []byte, step int)
}

// errUnknown is why a frame has no address.
var errUnknown = errors.New("it shows something that its values do not tell")

// origins are what addresses are made of besides the values at a time: layers as the project has them, the content of files, fonts, and the
// render's settings. So a frame has the same address in each project in which the layers that it shows are the same; layers that it does not
// show may differ.
type origins struct {
	r     *Renderer
	base  Look // of everything that all frames depend on
	mu    sync.Mutex
	parts map[any]*origin // of *scene.Layer, *scene.Comp, *aep.Item
	fonts func() (Look, error)
}

type origin struct {
	once sync.Once
	sum  Look
	err  error // what it depends on cannot be told
}

func newOrigins(r *Renderer) *origins {
	d := describing{sum: sha256.New()}
	w, h := r.Size()
	opt := r.opt
	opt.Fonts, opt.Footage, opt.Expressions, opt.Warn, opt.Kept, opt.Workers = nil, nil, nil, nil, nil, 0
	d.add(w, h, opt)
	p := *r.project
	p.Items, p.Path, p.ActiveItem = nil, "", 0
	d.add(p)
	o := &origins{r: r, base: d.look(), parts: make(map[any]*origin)}
	o.fonts = sync.OnceValues(func() (Look, error) {
		d := describing{sum: sha256.New()}
		if r.opt.Fonts != nil {
			if err := r.opt.Fonts.Identify(d.sum); err != nil {
				return Look{}, err
			}
		}
		return d.look(), nil
	})
	return o
}

// of is the origin of something, which is found once.
func (o *origins) of(what any, find func(d *describing) error) (Look, error) {
	o.mu.Lock()
	p := o.parts[what]
	if p == nil {
		p = &origin{}
		o.parts[what] = p
	}
	o.mu.Unlock()
	p.once.Do(func() {
		d := describing{sum: sha256.New()}
		p.err = find(&d)
		p.sum = d.look()
	})
	return p.sum, p.err
}

// comp is a composition without its layers.
func (o *origins) comp(c *scene.Comp) (Look, error) {
	return o.of(c, func(d *describing) error {
		bare := *c.Composition
		bare.Layers = nil
		d.add(bare, c.Item.ID, c.Solo)
		return nil
	})
}

// layer is a layer as the project has it, with its source.
func (o *origins) layer(l *scene.Layer) (Look, error) {
	return o.of(l, func(d *describing) error {
		if l.Timed {
			return errUnknown // it depends on other layers, on other times, or on chance
		}
		bare := *l.Layer
		bare.Comment, bare.Label, bare.Shy, bare.Locked = "", 0, false, false
		d.add(bare)
		if l.Kind == scene.Text || len(l.Effects) > 0 { // some effects write
			fonts, err := o.fonts()
			if err != nil {
				return err
			}
			d.add(fonts)
		}
		if l.Source == nil || l.Source.Footage == nil {
			return nil
		}
		source, err := o.footage(l.Source)
		d.add(source)
		return err
	})
}

// footage is an item with the content of its file, wherever that lies.
func (o *origins) footage(it *aep.Item) (Look, error) {
	return o.of(it, func(d *describing) error {
		f := *it.Footage
		path := f.File.Resolved
		f.File = aep.FileReference{}
		d.add(f, it.ID)
		switch {
		case !f.HasVideo && f.Width == 0:
			return nil
		case path == "" && f.Kind == aep.FootageFile:
			return errUnknown // what is drawn for a file that is missing is the render's choice
		case path == "":
			return nil
		case f.Sequence:
			return errUnknown // which of its files are read is not known here
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(d.sum, file)
		return err
	})
}

// describing hashes values, however they are built, so that what is added to a project's structures one day is part of it.
type describing struct {
	sum interface { // a hash.Hash
		io.Writer
		Sum([]byte) []byte
	}
	buf [8]byte
}

func (d *describing) look() (out Look) {
	d.sum.Sum(out[:0])
	return out
}

func (d *describing) word(v uint64) {
	binary.LittleEndian.PutUint64(d.buf[:], v)
	_, _ = d.sum.Write(d.buf[:]) // a hash returns no error
}

func (d *describing) text(s string) {
	d.word(uint64(len(s)))
	_, _ = io.WriteString(d.sum, s)
}

func (d *describing) add(values ...any) {
	for _, v := range values {
		d.value(reflect.ValueOf(v))
	}
}

// value adds v. Projects are trees, whose depth the reader limits, so it ends.
func (d *describing) value(v reflect.Value) {
	d.word(uint64(v.Kind()))
	switch v.Kind() {
	case reflect.Bool:
		n := uint64(0)
		if v.Bool() {
			n = 1
		}
		d.word(n)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.word(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		d.word(v.Uint())
	case reflect.Float32, reflect.Float64:
		d.word(math.Float64bits(v.Float()))
	case reflect.String:
		d.text(v.String())
	case reflect.Slice, reflect.Array:
		d.list(v)
	case reflect.Struct:
		for i := range v.NumField() {
			d.value(v.Field(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			d.value(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			d.text(v.Elem().Type().String())
			d.value(v.Elem())
		}
	case reflect.Map:
		d.sorted(v)
	}
}

func (d *describing) list(v reflect.Value) {
	d.word(uint64(v.Len()))
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		_, _ = d.sum.Write(v.Bytes())
		return
	}
	for i := range v.Len() {
		d.value(v.Index(i))
	}
}

// sorted adds a map, whatever the order of its keys.
func (d *describing) sorted(v reflect.Value) {
	entries := make(map[Look]struct{}, v.Len())
	for each := v.MapRange(); each.Next(); {
		e := describing{sum: sha256.New()}
		e.value(each.Key())
		e.value(each.Value())
		entries[e.look()] = struct{}{}
	}
	list := slices.SortedFunc(maps.Keys(entries), func(a, b Look) int { return slices.Compare(a[:], b[:]) })
	d.add(list)
}

// drivenValues tells whether an expression determines what is drawn of a layer but its transform.
func drivenValues(l *scene.Layer) bool {
	return slices.ContainsFunc(l.Varying, func(s eval.Slot) bool { return eval.Driven(s.Prop()) })
}
