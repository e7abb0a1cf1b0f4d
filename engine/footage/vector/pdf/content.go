package pdf

import (
	"bytes"
	"errors"
	"fmt"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	typeset "overcrank/engine/text"
)

// shared is what all content streams of a page share.
type shared struct {
	forms    map[*stream][]byte
	pictures map[*stream]*vector.Bitmap
	hidden   map[ref]bool              // layers
	tiles    map[tileKey]*vector.Group // what patterns show, nil while one is read
	faces    map[ref]*face             // nil for fonts that are not drawn
	words    *glyphNames
	fonts    *typeset.Book // nil: only fonts of the file are drawn
	steps    int
}

// content runs a content stream.
type content struct {
	*shared
	file      *file
	out       *vector.Builder
	resources dict
	spaces    map[name]*colors // of the resources
	base      geom.Matrix      // of the stream, in which patterns lie
	state     state
	saved     []state
	groups    int
	forming   int // how deep forms lie within each other

	path     geom.Outline // in user space
	at, from geom.Point
	cutting  int    // 1 or 2 when the path is going to clip, by the non-zero or the even-odd rule
	marks    []bool // marked content, whether it is hidden
	unseen   int    // how many of marks are

	line, pen geom.Matrix  // of text: the line's beginning and where the next letter stands, in user space
	cut       geom.Outline // letters that are going to clip, in the space of the page
	lettered  bool         // letters are going to clip
	stained   bool         // the stream has the colour of what shows it

	stack []any
}

const (
	maxSteps    = 3_000_000 // operators of a page
	maxOperands = 600
	maxForms    = 24
)

// run runs a stream; what it opened is closed.
func (c *content) run(data []byte, resources dict) error {
	c.resources, c.spaces = resources, map[name]*colors{}
	l := lexer{b: data}
	for {
		v, err := l.next()
		if errors.Is(err, errEnd) {
			break
		}
		if err != nil {
			return fmt.Errorf("it is broken: %w", err)
		}
		op, ok := v.(operator)
		if !ok {
			if len(c.stack) < maxOperands {
				c.stack = append(c.stack, v)
			}
			continue
		}
		if c.steps++; c.steps > maxSteps {
			return fmt.Errorf("%w: its page has more than %d operators", vector.ErrTooMuch, maxSteps)
		}
		if op == "BI" {
			err = c.inline(&l)
		} else {
			err = c.do(op)
		}
		if err != nil {
			return err
		}
		c.stack = c.stack[:0]
	}
	for len(c.saved) > 0 {
		if err := c.restore(); err != nil {
			return err
		}
	}
	return c.closeAll()
}

// n is operand i as a number, 0 where there is none.
func (c *content) n(i int) float64 {
	if i < len(c.stack) {
		v, _ := c.stack[i].(float64)
		return v
	}
	return 0
}

// numbers are the operands that are numbers.
func (c *content) operands() []float64 {
	out := make([]float64, 0, len(c.stack))
	for _, v := range c.stack {
		if n, ok := v.(float64); ok {
			out = append(out, n)
		}
	}
	return out
}

// named is the last operand as a name.
func (c *content) named() name {
	if len(c.stack) == 0 {
		return ""
	}
	n, _ := c.stack[len(c.stack)-1].(name)
	return n
}

func (c *content) do(op operator) error {
	switch op {
	case "q":
		return c.save()
	case "Q":
		return c.restore()
	case "cm":
		if m := c.state.m.Mul(geom.Matrix{A: c.n(0), B: c.n(1), C: c.n(2), D: c.n(3), E: c.n(4), F: c.n(5)}); len(c.stack) >= 6 && m.Finite() {
			c.state.m = m
		}
	case "w":
		c.state.pen.Width = max(0, c.n(0))
	case "J":
		c.state.pen.Cap = raster.ButtCap + int(max(0, min(2, c.n(0))))
	case "j":
		c.state.pen.Join = raster.MiterJoin + int(max(0, min(2, c.n(0))))
	case "M":
		c.state.pen.MiterLimit = max(1, c.n(0))
	case "d":
		if len(c.stack) > 0 {
			c.dash(c.file.numbers(c.stack[0]), c.n(1))
		}
	case "gs":
		return c.extended(c.file.dict(c.file.dict(c.resources["ExtGState"])[c.named()]))
	case "sh":
		return c.shade()
	case "Do":
		return c.object(c.file.dict(c.resources["XObject"])[c.named()])
	case "d1":
		c.stained = c.forming > 0
	case "BMC", "BDC":
		c.mark(op == "BDC")
	case "EMC":
		if n := len(c.marks); n > 0 {
			if c.marks[n-1] {
				c.unseen--
			}
			c.marks = c.marks[:n-1]
		}
	default:
		if done, err := c.writing(op); done {
			return err
		}
		if c.trace(op) {
			return nil
		}
		if c.paintOp(op) {
			return c.painted(op)
		}
		c.color(op)
	}
	return nil
}

// mark notes marked content, which may be a layer that is switched off.
func (c *content) mark(properties bool) {
	off := false
	if kind, ok := c.first().(name); properties && ok && kind == "OC" {
		if r, ok := c.file.dict(c.resources["Properties"])[c.named()].(ref); ok {
			off = c.off(r)
		}
	}
	c.marks = append(c.marks, off)
	if off {
		c.unseen++
	}
}

// off tells whether a layer, or any of those of a membership, is switched off.
func (c *content) off(r ref) bool {
	if c.hidden[r] {
		return true
	}
	d := c.file.dict(r)
	one, _ := d["OCGs"].(ref)
	if c.hidden[one] {
		return true
	}
	for _, v := range c.file.array(d["OCGs"]) {
		if one, ok := v.(ref); ok && c.hidden[one] {
			return true
		}
	}
	return false
}

func (c *content) first() any {
	if len(c.stack) == 0 {
		return nil
	}
	return c.stack[0]
}

// trace does the operators that make a path; false for others.
func (c *content) trace(op operator) bool {
	p := func(i int) geom.Point { return geom.Point{X: c.n(i), Y: c.n(i + 1)} }
	switch op {
	case "m":
		c.at, c.from = p(0), p(0)
		c.path.Move(c.at.X, c.at.Y)
	case "l":
		c.begin()
		c.at = p(0)
		c.path.Line(c.at.X, c.at.Y)
	case "c":
		c.curve(p(0), p(2), p(4))
	case "v":
		c.curve(c.at, p(0), p(2))
	case "y":
		c.curve(p(0), p(2), p(2))
	case "h":
		if len(c.path.Verbs) > 0 {
			c.path.Close()
		}
		c.at = c.from
	case "re":
		x, y, w, h := c.n(0), c.n(1), c.n(2), c.n(3)
		c.path.Move(x, y)
		c.path.Line(x+w, y)
		c.path.Line(x+w, y+h)
		c.path.Line(x, y+h)
		c.path.Close()
		c.at, c.from = p(0), p(0)
	case "W":
		c.cutting = 1
	case "W*":
		c.cutting = 2
	default:
		return false
	}
	return true
}

// begin starts a contour where none is open.
func (c *content) begin() {
	if n := len(c.path.Verbs); n == 0 || c.path.Verbs[n-1] == geom.Close {
		c.path.Move(c.at.X, c.at.Y)
	}
}

func (c *content) curve(a, b, end geom.Point) {
	c.begin()
	c.path.Cubic(a.X, a.Y, b.X, b.Y, end.X, end.Y)
	c.at = end
}

func (c *content) paintOp(op operator) bool {
	switch op {
	case "S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n":
		return true
	}
	return false
}

// painted paints the path and ends it.
func (c *content) painted(op operator) error {
	if op == "s" || op == "b" || op == "b*" {
		c.path.Close()
	}
	o := c.path
	c.path = geom.Outline{}
	cutting := c.cutting
	c.cutting = 0
	evenOdd := len(op) == 2
	if len(o.Verbs) > 1 && c.unseen == 0 {
		if op[0] == 'f' || op[0] == 'F' || op[0] == 'B' || op[0] == 'b' {
			if err := c.add(o, &c.state.fill, nil, evenOdd); err != nil {
				return err
			}
		}
		if op[0] == 'S' || op[0] == 's' || op[0] == 'B' || op[0] == 'b' {
			pen := c.state.pen
			if err := c.add(o, &c.state.stroke, &pen, false); err != nil {
				return err
			}
		}
	}
	if cutting > 0 {
		return c.clip(o.Transform(c.state.m), cutting == 2)
	}
	return nil
}

func (c *content) add(o geom.Outline, with *ink, pen *raster.StrokeStyle, evenOdd bool) error {
	if with.alpha <= 0 {
		return nil
	}
	p, ok, err := c.paint(with)
	if !ok || err != nil {
		return err
	}
	return c.out.Add(c.state.group, &vector.Shape{Outline: o, Matrix: c.state.m, EvenOdd: evenOdd, Stroke: pen, Paint: p, Blend: c.state.blend})
}

// paint is what an ink paints in the space of the state; false for nothing.
func (c *content) paint(with *ink) (vector.Paint, bool, error) {
	if with.space == nil {
		return vector.Paint{}, false, nil
	}
	if !with.space.pattern {
		return vector.Paint{Color: [4]float64{with.rgb[0], with.rgb[1], with.rgb[2], with.alpha}}, true, nil
	}
	if s, ok := c.file.get(with.pattern).(*stream); ok && c.file.number(s.dict["PatternType"], 0) == 1 {
		t, err := c.tiling(s, with)
		return vector.Paint{Pattern: t}, t != nil, err
	}
	d := c.file.dict(with.pattern)
	if c.file.number(d["PatternType"], 0) != 2 {
		c.out.Lack("patterns")
		return vector.Paint{}, false, nil
	}
	g := c.shading(d["Shading"], c.resources)
	back, ok := c.state.m.Invert()
	if g == nil || !ok {
		return vector.Paint{}, false, nil
	}
	g.Matrix = back.Mul(c.base).Mul(matrixOf(c.file.numbers(d["Matrix"])))
	g.Opacity = with.alpha
	return vector.Paint{Gradient: g}, true, nil
}

func matrixOf(v []float64) geom.Matrix {
	if len(v) < 6 {
		return geom.Identity
	}
	return geom.Matrix{A: v[0], B: v[1], C: v[2], D: v[3], E: v[4], F: v[5]}
}

// shade paints a gradient over all that the clip leaves.
func (c *content) shade() error {
	if c.unseen > 0 {
		return nil
	}
	g := c.shading(c.file.dict(c.resources["Shading"])[c.named()], c.resources)
	back, ok := c.state.m.Invert()
	if g == nil || !ok {
		return nil
	}
	g.Opacity = c.state.fill.alpha
	const all = 20_000 // pixels: more than any page has
	o := geom.RectOutline(0, 0, 4*all, 4*all, 0).Transform(back)
	return c.out.Add(c.state.group, &vector.Shape{Outline: o, Matrix: c.state.m, Paint: vector.Paint{Gradient: g}, Blend: c.state.blend})
}

// color does the operators that set colours.
func (c *content) color(op operator) {
	if c.stained {
		return
	}
	with := &c.state.fill
	if op[0] >= 'A' && op[0] <= 'Z' {
		with = &c.state.stroke
	}
	set := func(s *colors) { with.space, with.rgb = s, s.colour(c.operands()) }
	switch op {
	case "g", "G":
		set(gray)
	case "rg", "RG":
		set(rgb)
	case "k", "K":
		c.file.inks = true
		set(cmyk)
	case "cs", "CS":
		n := c.named()
		known, ok := c.spaces[n]
		if !ok {
			known = c.file.space(n, c.resources, 0)
			c.spaces[n] = known
		}
		with.space = known
		with.pattern = nil
		switch {
		case with.space == nil:
			c.out.Lack("colours of a space that is not read")
		case !with.space.pattern:
			with.rgb = with.space.colour(with.space.first)
		}
	case "sc", "SC", "scn", "SCN":
		switch {
		case with.space == nil:
		case with.space.pattern:
			with.pattern = c.file.dict(c.resources["Pattern"])[c.named()]
			if with.rgb = [3]float64{}; with.space.under != nil {
				with.rgb = with.space.under.colour(c.operands())
			}
		default:
			with.rgb = with.space.colour(c.operands())
		}
	}
}

// object draws a form or a picture.
func (c *content) object(v any) error {
	s, ok := c.file.get(v).(*stream)
	if !ok || c.unseen > 0 {
		return nil
	}
	if layer, ok := s.dict["OC"].(ref); ok && c.off(layer) {
		return nil
	}
	switch c.file.name(s.dict["Subtype"]) {
	case "Form":
		return c.grouped(s)
	case "Image":
		return c.picture(s)
	}
	return nil
}

// grouped draws a form. One that is a group is as transparent as a whole as the state says.
func (c *content) grouped(s *stream) error {
	if c.file.dict(s.dict["Group"]) == nil || c.state.fill.alpha >= 1 && c.state.blend == nil {
		return c.form(s)
	}
	g := vector.NewGroup(geom.Identity)
	g.Opacity, g.Blend, g.Isolated = c.state.fill.alpha, c.state.blend, true
	outer := c.state
	c.state.opened = nil
	if err := c.enter(g, false); err != nil {
		return err
	}
	c.state.fill.alpha, c.state.stroke.alpha, c.state.blend = 1, 1, nil
	if err := c.form(s); err != nil {
		return err
	}
	if err := c.closeAll(); err != nil {
		return err
	}
	c.state = outer
	return nil
}

// formData is the content of a form, which is unpacked once.
func (c *content) formData(s *stream) ([]byte, error) {
	data, known := c.forms[s]
	if known {
		return data, nil
	}
	data, err := c.file.decoded(s)
	if err == nil {
		c.forms[s] = data
	}
	return data, err
}

// within is what runs a stream within that of c.
func (c *content) within() content {
	in := *c
	in.forming++
	in.saved, in.stack, in.marks, in.path, in.cutting = nil, nil, nil, geom.Outline{}, 0
	in.cut, in.lettered = geom.Outline{}, false
	in.state.opened = nil
	return in
}

func (c *content) form(s *stream) error {
	if c.forming >= maxForms {
		return fmt.Errorf("%w: its forms lie within each other more than %d times", vector.ErrTooMuch, maxForms)
	}
	data, err := c.formData(s)
	if err != nil {
		return err
	}
	in := c.within()
	in.state.m = c.state.m.Mul(matrixOf(c.file.numbers(s.dict["Matrix"])))
	in.base = in.state.m
	if !in.state.m.Finite() {
		return nil
	}
	if box, ok := c.file.box(s.dict["BBox"]); ok {
		o := geom.RectOutline((box.MinX+box.MaxX)/2, (box.MinY+box.MaxY)/2, box.MaxX-box.MinX, box.MaxY-box.MinY, 0)
		if err := in.clip(o.Transform(in.state.m), false); err != nil {
			return err
		}
	}
	resources := c.file.dict(s.dict["Resources"])
	if resources == nil {
		resources = c.resources
	}
	return in.run(data, resources)
}

// picture draws a picture in the unit square, upside down as its rows are.
func (c *content) picture(s *stream) error {
	b := c.pictures[s]
	stencil, _ := c.file.get(s.dict["ImageMask"]).(bool)
	if b == nil || stencil {
		img, err := c.bitmap(s, c.resources)
		switch {
		case tooMuch(err):
			return err
		case err != nil:
			c.out.Lack(err.Error())
			return nil
		}
		b = &vector.Bitmap{Image: img}
		c.pictures[s] = b
	}
	w, h := float64(b.Image.Rect.Dx()), float64(b.Image.Rect.Dy())
	one := &vector.Bitmap{Image: b.Image, Matrix: c.state.m.Mul(geom.Matrix{A: 1 / w, D: -1 / h, F: 1}), Blend: c.state.blend}
	if c.state.fill.alpha >= 1 {
		return c.out.Add(c.state.group, one)
	}
	g := vector.NewGroup(geom.Identity)
	g.Opacity, g.Blend, one.Blend = c.state.fill.alpha, c.state.blend, nil
	if err := c.out.Add(g, one); err != nil {
		return err
	}
	return c.out.Add(c.state.group, g)
}

// inline draws a picture that stands in the content stream itself.
func (c *content) inline(l *lexer) error {
	s := &stream{dict: dict{}}
	for {
		k, err := l.next()
		if err != nil || k == operator("ID") {
			break
		}
		v, err := l.next()
		if err != nil {
			break
		}
		if key, ok := k.(name); ok {
			s.dict[key] = v
		}
	}
	l.at = min(l.at+1, len(l.b))
	rest := l.b[l.at:]
	for from := 0; ; {
		i := bytes.Index(rest[from:], []byte("EI"))
		if i < 0 {
			l.at = len(l.b)
			return nil
		}
		end := from + i
		if after := end + 2; end > 0 && space(rest[end-1]) && (after == len(rest) || space(rest[after])) {
			s.raw = rest[:end-1]
			l.at += after
			break
		}
		from = end + 2
	}
	for short, long := range map[name]name{"F": "Filter", "DP": "DecodeParms", "IM": "ImageMask"} {
		if v, ok := s.dict[short]; ok {
			s.dict[long] = v
		}
	}
	if c.unseen > 0 {
		return nil
	}
	return c.picture(s)
}
