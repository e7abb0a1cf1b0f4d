package render

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"overcrank/aep"
	"overcrank/engine/digest"
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
	// Lower is Drawn of a picture of the lower layers of a frame, with a step of 0, which took so long to draw. It is kept if that is more than reading it
	// takes, and less room is spent for it.
	Lower(at [sha256.Size]byte, pix []byte, took time.Duration)
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
	d := digest.New()
	w, h := r.Size()
	opt := r.opt
	opt.Fonts, opt.Footage, opt.Expressions, opt.Warn, opt.Kept, opt.Workers, opt.Varies = nil, nil, nil, nil, nil, 0, nil
	d.Add(w, h, opt)
	p := *r.project
	p.Items, p.Path, p.ActiveItem = nil, "", 0
	d.Add(p)
	o := &origins{r: r, base: d.Sum(), parts: make(map[any]*origin)}
	o.fonts = sync.OnceValues(func() (Look, error) {
		d := digest.New()
		if r.opt.Fonts != nil {
			if err := r.opt.Fonts.Identify(d); err != nil {
				return Look{}, err
			}
		}
		return d.Sum(), nil
	})
	return o
}

// of is the origin of something, which is found once.
func (o *origins) of(what any, find func(d *digest.Digest) error) (Look, error) {
	o.mu.Lock()
	p := o.parts[what]
	if p == nil {
		p = &origin{}
		o.parts[what] = p
	}
	o.mu.Unlock()
	p.once.Do(func() {
		d := digest.New()
		p.err = find(d)
		p.sum = d.Sum()
	})
	return p.sum, p.err
}

// comp is a composition without its layers.
func (o *origins) comp(c *scene.Comp) (Look, error) {
	return o.of(c, func(d *digest.Digest) error {
		bare := *c.Composition
		bare.Layers = nil
		d.Add(bare, c.Item.ID, c.Solo)
		return nil
	})
}

// layer is a layer as the project has it, with its source.
func (o *origins) layer(l *scene.Layer) (Look, error) {
	return o.of(l, func(d *digest.Digest) error {
		if l.Timed {
			return errUnknown // it depends on other layers, on other times, or on chance
		}
		bare := *l.Layer
		bare.Comment, bare.Label, bare.Shy, bare.Locked = "", 0, false, false
		d.Add(bare)
		if l.Kind == scene.Text || len(l.Effects) > 0 || l.Source != nil && scene.Outlines(l.Source.FileName()) { // some effects and files write
			fonts, err := o.fonts()
			if err != nil {
				return err
			}
			d.Add(fonts)
		}
		if l.Source == nil || l.Source.Footage == nil {
			return nil
		}
		source, err := o.footage(l.Source)
		d.Add(source)
		return err
	})
}

// footage is an item with the content of its file, wherever that lies.
func (o *origins) footage(it *aep.Item) (Look, error) {
	return o.of(it, func(d *digest.Digest) error {
		f := *it.Footage
		path := f.File.Resolved
		f.File = aep.FileReference{}
		d.Add(f, it.ID)
		if !f.Still { // decoders of films halve pictures, which rounds them differently
			d.Add(o.r.largest(it))
		}
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
		_, err = io.Copy(d, file)
		return err
	})
}

// drivenValues tells whether an expression determines what is drawn of a layer but its transform.
func drivenValues(l *scene.Layer) bool {
	return slices.ContainsFunc(l.Varying, func(s eval.Slot) bool { return eval.Driven(s.Prop()) })
}
