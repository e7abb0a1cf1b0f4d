package aep

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"overcrank/aep/rifx"
)

// Write writes p as a small .aep file that Read reads back unchanged: items, compositions, AV, text and shape layers,
// their properties, keyframes, masks and expressions, Essential Graphics panels and what layers set of them. It does not write markers and the
// state of After Effects' windows, and refuses projects with effects.
func Write(w io.Writer, p *Project) error {
	wr := writer{p: p}
	f := rifx.File{Form: rifx.FormProject}
	f.Children = append(append(f.Children, wr.head(), wr.depth()), wr.p.Color.chunks()...)
	engine := p.ExpressionEngine
	if engine == "" {
		engine = "javascript-1.0"
	}
	f.Children = append(f.Children, rifx.List("ExEn", rifx.Utf8(engine)))
	items, err := wr.items(nil)
	if err != nil {
		return fmt.Errorf("write project: %w", err)
	}
	fold := append([]rifx.Chunk{rifx.Leaf("fdta", make([]byte, 14))}, items...)
	f.Children = append(f.Children, rifx.List("Fold", fold...), rifx.Leaf("fcid", be32(p.ActiveItem)))
	_, err = f.WriteTo(w)
	return err
}

type writer struct{ p *Project }

// head is the version that saved the project, in the bits of the file.
func (wr writer) head() rifx.Chunk {
	v := wr.p.Version
	b := make([]byte, 20)
	packed := uint32(v.Major/8)<<26 | uint32(v.Major%8)<<19 | uint32(v.Minor&15)<<15 | uint32(v.Patch&15)<<11 | uint32(v.Build&0xFF)
	if !v.Beta {
		packed |= 1 << 9
	}
	switch v.OS {
	case "windows":
		packed |= 12 << 22
	case "macos":
		packed |= 13 << 22
	}
	binary.BigEndian.PutUint32(b[4:], packed)
	binary.BigEndian.PutUint16(b[18:], 1)
	return rifx.Leaf("head", b)
}

func (wr writer) depth() rifx.Chunk {
	b := make([]byte, 40)
	switch wr.p.BitsPerChannel {
	case 16:
		b[24] = 1
	case 32:
		b[24] = 2
	}
	return rifx.Leaf("nnhd", b)
}

// items writes the items in a folder, nil for the top.
func (wr writer) items(parent *Item) ([]rifx.Chunk, error) {
	var out []rifx.Chunk
	for _, it := range wr.p.Items {
		if it.Parent != parent {
			continue
		}
		c, err := wr.item(it)
		if err != nil {
			return nil, fmt.Errorf("item %q: %w", it.Name, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func (wr writer) item(it *Item) (rifx.Chunk, error) {
	idta := make([]byte, 84)
	binary.BigEndian.PutUint32(idta[16:], it.ID)
	idta[58] = byte(it.Label)
	chunks := []rifx.Chunk{rifx.Leaf("idta", idta), rifx.Utf8(it.Name)}
	if it.Comment != "" {
		chunks = append(chunks, rifx.Leaf("cmta", append([]byte(it.Comment), 0)))
	}
	var kind uint16
	var more []rifx.Chunk
	var err error
	switch it.Kind {
	case ItemFolder:
		kind = 1
		var inside []rifx.Chunk
		if inside, err = wr.items(it); err == nil {
			more = []rifx.Chunk{rifx.List("Sfdr", inside...)}
		}
	case ItemComposition:
		kind = 4
		more, err = wr.composition(it.Comp)
	case ItemFootage:
		kind = 7
		more, err = wr.footage(it)
	default:
		err = fmt.Errorf("kind %d is unknown", it.Kind)
	}
	binary.BigEndian.PutUint16(idta, kind)
	return rifx.List("Item", append(chunks, more...)...), err
}

// measures are the 204 bytes of a composition's size, times and switches.
func (c *Composition) measures() []byte {
	b := make([]byte, cdtaSize)
	put := binary.BigEndian.PutUint32
	binary.BigEndian.PutUint16(b[0:], 1)
	binary.BigEndian.PutUint16(b[2:], 1)
	ticks, second := c.ticks()
	put(b[4:], ticks)
	put(b[8:], second)
	seconds := func(at int, s float64) {
		put(b[at:], uint32(int32(math.Round(s*float64(second)))))
		put(b[at+4:], second)
	}
	seconds(20, 0)
	seconds(28, c.WorkAreaStart)
	seconds(36, c.WorkAreaStart+c.WorkAreaDuration)
	seconds(44, c.Duration)
	for i, v := range c.Background {
		b[52+i] = byte(math.Round(255 * math.Min(1, math.Max(0, v))))
	}
	if c.MotionBlur {
		b[139] |= 1 << 3
	}
	if c.FrameBlending {
		b[139] |= 1 << 4
	}
	if c.KeepsFrameRate {
		b[139] |= 1 << 5
	}
	binary.BigEndian.PutUint16(b[140:], uint16(c.Width))
	binary.BigEndian.PutUint16(b[142:], uint16(c.Height))
	rational(b[144:], c.PixelAspect, 1)
	fixed(b[156:], c.FrameRate)
	seconds(164, c.DisplayStart)
	binary.BigEndian.PutUint16(b[174:], uint16(c.ShutterAngle))
	put(b[180:], uint32(int32(c.ShutterPhase)))
	put(b[196:], uint32(int32(c.ShutterLimit)))
	put(b[200:], uint32(int32(c.ShutterSamples)))
	return b
}

func (wr writer) composition(c *Composition) ([]rifx.Chunk, error) {
	drop := byte(0)
	if c.DropFrame {
		drop = 1
	}
	out := []rifx.Chunk{rifx.Leaf("cdta", c.measures()), rifx.Leaf("cdrp", []byte{drop})}
	for _, l := range c.Layers {
		lc, err := wr.layer(c, l)
		if err != nil {
			return nil, fmt.Errorf("layer %q: %w", wr.p.DisplayName(l), err)
		}
		out = append(out, lc)
	}
	if len(c.Controllers) > 0 {
		panel, err := panelOf(c.Controllers)
		if err != nil {
			return nil, err
		}
		out = append(out, panel)
	}
	return out, nil
}

// ticks is the composition's time base; one that was not read from a file gets a new one.
func (c *Composition) ticks() (perFrame, perSecond uint32) {
	if c.FrameTicks != 0 && c.TicksPerSecond != 0 {
		return c.FrameTicks, c.TicksPerSecond
	}
	const perFrameTicks = 1024 // what After Effects writes for whole frame rates
	return perFrameTicks, uint32(math.Round(c.FrameRate * perFrameTicks))
}

func (wr writer) footage(it *Item) ([]rifx.Chunk, error) {
	f := it.Footage
	pin := []rifx.Chunk{wr.sspc(f), rifx.Utf8("")}
	switch f.Kind {
	case FootageSolid:
		opti := make([]byte, 282)
		copy(opti, "Soli")
		binary.BigEndian.PutUint16(opti[4:], 9)
		for i, v := range [4]float64{1, f.Color[0], f.Color[1], f.Color[2]} {
			binary.BigEndian.PutUint32(opti[10+4*i:], math.Float32bits(float32(v)))
		}
		copy(opti[26:281], it.Name)
		pin = append(pin, rifx.Leaf("opti", opti))
	case FootageFile:
		alias, err := json.Marshal(map[string]any{
			"fullpath": f.File.FullPath, "platform": platformNumber(f.File.Platform), "server_name": "", "server_volume_name": "",
			"ascendcount_base": f.File.AscendBase, "ascendcount_target": f.File.AscendTarget, "target_is_folder": f.File.TargetIsFolder,
		})
		if err != nil {
			return nil, err
		}
		opti := make([]byte, 322)
		copy(opti, f.Format)
		if f.Layer != "" {
			opti = photoshopLayer(f)
		}
		pin = append(pin, rifx.List("Als2", rifx.Leaf("alas", alias)), rifx.Leaf("opti", opti))
		if f.Profile.Has() {
			pin = append(pin, rifx.List(idColors, f.Profile.chunk()))
		}
	default:
		return nil, fmt.Errorf("footage of kind %d can't be written", f.Kind)
	}
	return []rifx.Chunk{rifx.List("Pin ", pin...)}, nil
}

// photoshopLayer is the description of one layer of a Photoshop file.
func photoshopLayer(f *Footage) []byte {
	b := make([]byte, optiLayerName+optiNameLength)
	copy(b, formatPhotoshop)
	binary.BigEndian.PutUint16(b[optiLayer:], uint16(f.LayerNumber))
	copy(b[optiLayerName:], f.Layer)
	return b
}

func platformNumber(name string) int {
	if name == "windows" {
		return 1
	}
	return 2
}

// sspc is the format, size and times of a footage.
func (wr writer) sspc(f *Footage) rifx.Chunk {
	b := make([]byte, 222)
	copy(b[22:26], f.Format)
	if f.Kind == FootageSolid {
		copy(b[22:26], "Soli")
	}
	binary.BigEndian.PutUint16(b[32:], uint16(f.Width))
	binary.BigEndian.PutUint16(b[36:], uint16(f.Height))
	const base = 30720
	binary.BigEndian.PutUint32(b[38:], uint32(math.Round(f.Duration*base)))
	binary.BigEndian.PutUint32(b[42:], base)
	binary.BigEndian.PutUint32(b[56:], uint32(f.FrameRate))
	binary.BigEndian.PutUint16(b[60:], uint16(math.Round((f.FrameRate-math.Floor(f.FrameRate))*65536)))
	if f.Premultiplied {
		b[69] |= 1
	}
	if f.InvertAlpha {
		b[69] |= 2
	}
	copy(b[sspcMatte:], f.Matte[:])
	switch {
	case !f.HasVideo:
		b[sspcAlphaMode] = sspcNoAlpha
	case f.IgnoreAlpha:
		b[sspcAlphaMode] = sspcIgnoreAlpha
	case f.Premultiplied:
		b[sspcAlphaMode] = 1
	}
	if f.Fields != FieldsNone {
		b[sspcFields], b[sspcFieldOrder] = 1, byte(f.Fields-UpperFirst)
	}
	if f.Pulldown {
		b[sspcPulldown] = 1
	}
	if f.Missing {
		b[115] = 1
	}
	b[129] = byte(f.Loop)
	rational(b[136:], f.PixelAspect, 1)
	if f.HasAudio {
		binary.BigEndian.PutUint64(b[160:], math.Float64bits(48000))
	}
	return rifx.Leaf("sspc", b)
}

// rational writes v as a fraction of two 32-bit numbers, def when v is 0.
func rational(b []byte, v, def float64) {
	if v == 0 {
		v = def
	}
	const den = 10000
	binary.BigEndian.PutUint32(b, uint32(math.Round(v*den)))
	binary.BigEndian.PutUint32(b[4:], den)
}

// fixed writes v with 16 bits before and 16 bits after the point.
func fixed(b []byte, v float64) {
	binary.BigEndian.PutUint16(b, uint16(v))
	binary.BigEndian.PutUint16(b[2:], uint16(math.Round((v-math.Floor(v))*65536)))
}

func be32(v uint32) []byte { return binary.BigEndian.AppendUint32(nil, v) }
