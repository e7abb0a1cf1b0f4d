package aep

import (
	"encoding/binary"
	"fmt"
	"math"

	"overcrank/aep/rifx"
)

// measures are the 164 bytes of a layer's times, switches and relations, as After Effects 23 and later write them.
func (l *Layer) measures(c *Composition) []byte {
	b := make([]byte, 164)
	put := binary.BigEndian.PutUint32
	_, second := c.ticks()
	seconds := func(at int, s float64) {
		put(b[at:], uint32(int32(math.Round(s*float64(second)))))
		put(b[at+4:], second)
	}
	stretch := l.Stretch
	if stretch == 0 {
		stretch = 100
	}
	put(b[0:], l.ID)
	binary.BigEndian.PutUint16(b[4:], uint16(l.Quality))
	put(b[8:], uint32(int32(math.Round(stretch*100))))
	put(b[108:], 100*100)
	seconds(12, l.Start)
	seconds(20, (l.In-l.Start)*100/stretch)
	seconds(28, (l.Out-l.Start)*100/stretch)
	layerFlags(b, l)
	put(b[40:], l.Source)
	b[61] = byte(l.Label)
	copy(b[64:95], l.Name)
	b[99] = byte(l.Blend)
	b[107] = byte(l.Matte)
	b[131] = byte(l.Kind)
	put(b[132:], l.Parent)
	b[139] = byte(l.LightKind)
	put(b[160:], l.MatteLayer)
	return b
}

// layer writes a layer: its measures, its name, its properties.
func (wr writer) layer(c *Composition, l *Layer) (rifx.Chunk, error) {
	chunks := []rifx.Chunk{rifx.Leaf("ldta", l.measures(c)), rifx.Utf8(l.Name)}
	if l.Comment != "" {
		chunks = append(chunks, rifx.Leaf("cmta", append([]byte(l.Comment), 0)))
	}
	if len(l.Markers) > 0 {
		return rifx.Chunk{}, fmt.Errorf("its markers can't be written")
	}
	root := l.Props
	if root == nil {
		root = &Property{Group: true, Enabled: true}
	}
	_, second := c.ticks()
	pw := propertyWriter{writer: wr, comp: c, layer: l, second: second}
	props, err := pw.group(root)
	if err != nil {
		return rifx.Chunk{}, err
	}
	return rifx.List("Layr", append(chunks, props)...), nil
}

// layerFlags writes the switches of a layer.
func layerFlags(b []byte, l *Layer) {
	bit := func(at, n int, on bool) {
		if on {
			b[at] |= 1 << n
		}
	}
	bit(37, 1, l.Guide)
	bit(37, 2, l.PixelMotion)
	bit(37, 6, l.Bicubic)
	bit(38, 7, l.Null)
	bit(38, 3, l.Solo)
	bit(38, 2, l.ThreeD)
	bit(38, 1, l.Adjustment)
	bit(38, 0, l.AutoOrient)
	bit(37, 3, l.CharactersInSpace)
	bit(37, 4, l.CharactersFace)
	bit(38, 5, l.FacesCamera)
	bit(39, 7, l.Collapse)
	bit(39, 6, l.Shy)
	bit(39, 5, l.Locked)
	bit(39, 4, l.FrameBlend)
	bit(39, 3, l.MotionBlur)
	bit(39, 2, l.EffectsEnabled)
	bit(39, 1, l.AudioEnabled)
	bit(39, 0, l.Enabled)
	bit(103, 0, l.PreserveTransparency)
	bit(103, 1, l.Blend == BlendDancingDissolve)
}
