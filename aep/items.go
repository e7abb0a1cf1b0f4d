package aep

import (
	"fmt"

	"overcrank/aep/rifx"
)

// Offsets in the "idta" chunk of an item.
const (
	idtaSize  = 60
	idtaType  = 0  // u16
	idtaID    = 16 // u32
	idtaLabel = 58 // u8

	idtaFolder      = 1
	idtaComposition = 4
	idtaFootage     = 7
)

// items reads the items of a folder, depth first.
func (r *reader) items(list *rifx.Chunk, parent *Item) error {
	for i := range list.Children {
		c := &list.Children[i]
		if c.ID != "Item" || !c.List {
			continue
		}
		if err := r.item(c, parent); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) item(c *rifx.Chunk, parent *Item) error {
	head := body(c.Find("idta").Bytes())
	if len(head) < idtaSize {
		return fmt.Errorf("%w: an item's header has %d bytes", ErrBroken, len(head))
	}
	it := &Item{
		ID:      head.u32(idtaID),
		Label:   int(head.u8(idtaLabel)),
		Name:    r.text(c.Find("Utf8")),
		Comment: r.text(c.Find("cmta")),
		Parent:  parent,
	}
	r.project.Items = append(r.project.Items, it)
	r.from.item(it, c)
	if r.byID[it.ID] == nil {
		r.byID[it.ID] = it
	}
	switch typ := head.u16(idtaType); typ {
	case idtaFolder:
		it.Kind = ItemFolder
		if sub := c.Find("Sfdr"); sub != nil {
			return r.items(sub, it)
		}
	case idtaComposition:
		it.Kind = ItemComposition
		return r.compositionItem(it, c)
	case idtaFootage:
		it.Kind = ItemFootage
		return r.footageItem(it, c)
	default:
		return fmt.Errorf("%w: item %q is of the unknown kind %d", ErrBroken, it.Name, typ)
	}
	return nil
}

// Offsets in the "cdta" chunk of a composition. Times are fractions of two numbers, in seconds.
const (
	cdtaSize           = 204
	cdtaFrameTicks     = 4  // u32
	cdtaTicksPerSecond = 8  // u32
	cdtaWorkStart      = 28 // ratio
	cdtaWorkEnd        = 36 // ratio; cdtaToEnd means the end of the composition
	cdtaDuration       = 44 // ratio
	cdtaBackground     = 52 // three u8
	cdtaFlags          = 139
	cdtaWidth          = 140 // u16
	cdtaHeight         = 142 // u16
	cdtaPixelAspect    = 144 // ratio
	cdtaFrameRate      = 156 // u16, then u16 in 1/65536
	cdtaDisplayStart   = 164 // ratio
	cdtaShutterAngle   = 174 // u16
	cdtaShutterPhase   = 180 // s32
	cdtaShutterLimit   = 196 // s32
	cdtaShutterSamples = 200 // s32

	cdtaMotionBlurBit = 3
	cdtaFrameBlendBit = 4
	cdtaKeepsRateBit  = 5
	cdtaToEnd         = 0xFFFFFFFF
)

func (r *reader) compositionItem(it *Item, c *rifx.Chunk) error {
	b := body(c.Find("cdta").Bytes())
	if len(b) < cdtaSize {
		return fmt.Errorf("%w: the header of composition %q has %d bytes instead of %d", ErrBroken, it.Name, len(b), cdtaSize)
	}
	comp := decodeComposition(b)
	if comp.FrameRate <= 0 || comp.Width == 0 || comp.Height == 0 {
		return fmt.Errorf("%w: composition %q has no size or no frame rate", ErrBroken, it.Name)
	}
	comp.DropFrame = body(c.Find("cdrp").Bytes()).u8(0) != 0
	if prin := c.Find("PRin").Find("prin"); prin != nil {
		comp.Renderer = r.string(body(prin.Data).cstring(4, 48))
	}
	it.Comp = comp
	r.comps = append(r.comps, compChunks{it, c})
	return nil
}

func decodeComposition(b body) *Composition {
	comp := &Composition{
		Width:          int(b.u16(cdtaWidth)),
		Height:         int(b.u16(cdtaHeight)),
		PixelAspect:    b.ratio(cdtaPixelAspect, 1),
		FrameTicks:     b.u32(cdtaFrameTicks),
		TicksPerSecond: b.u32(cdtaTicksPerSecond),
		Duration:       b.ratio(cdtaDuration, 0),
		DisplayStart:   b.ratio(cdtaDisplayStart, 0),
		WorkAreaStart:  b.ratio(cdtaWorkStart, 0),
		MotionBlur:     b.bit(cdtaFlags, cdtaMotionBlurBit),
		FrameBlending:  b.bit(cdtaFlags, cdtaFrameBlendBit),
		KeepsFrameRate: b.bit(cdtaFlags, cdtaKeepsRateBit),
		ShutterAngle:   float64(b.u16(cdtaShutterAngle)),
		ShutterPhase:   float64(b.s32(cdtaShutterPhase)),
		ShutterSamples: int(b.s32(cdtaShutterSamples)),
		ShutterLimit:   int(b.s32(cdtaShutterLimit)),
	}
	for i := range comp.Background {
		comp.Background[i] = float64(b.u8(cdtaBackground+i)) / 255
	}
	comp.FrameRate = float64(b.u16(cdtaFrameRate)) + float64(b.u16(cdtaFrameRate+2))/65536
	if comp.FrameTicks > 0 && comp.TicksPerSecond > 0 {
		comp.FrameRate = float64(comp.TicksPerSecond) / float64(comp.FrameTicks)
	}
	end := comp.Duration
	if b.u32(cdtaWorkEnd) != cdtaToEnd {
		end = b.ratio(cdtaWorkEnd, end)
	}
	comp.WorkAreaDuration = max(0, min(end, comp.Duration)-comp.WorkAreaStart)
	return comp
}

// composition reads the parts that depend on other items: layers, markers and the Essential Graphics panel.
func (r *reader) composition(it *Item, c *rifx.Chunk) error {
	for i := range c.Children {
		ch := &c.Children[i]
		if !ch.List {
			continue
		}
		switch ch.ID {
		case "Layr":
			l, err := r.layer(it.Comp, ch)
			if err != nil {
				return err
			}
			it.Comp.Layers = append(it.Comp.Layers, l)
		case "SecL":
			l, err := r.layer(it.Comp, ch)
			if err != nil {
				return err
			}
			it.Comp.Markers = l.Markers
		}
	}
	it.Comp.Controllers = r.controllers(c)
	return nil
}
