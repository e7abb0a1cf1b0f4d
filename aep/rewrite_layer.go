package aep

import (
	"bytes"
	"slices"

	"overcrank/aep/rifx"
)

// layers puts the layers of a composition in order, adds new ones and drops removed ones.
func (rw *rewriter) layers(was, now *Composition, c *rifx.Chunk) {
	before := make(map[uint32]*Layer, len(was.Layers))
	for _, l := range was.Layers {
		before[l.ID] = l
	}
	moved := len(was.Layers) != len(now.Layers)
	chunks := make([]rifx.Chunk, 0, len(now.Layers))
	for i, l := range now.Layers {
		old := before[l.ID]
		moved = moved || old != was.Layers[i]
		if old != nil {
			rw.layer(was, now, old, l)
			chunks = append(chunks, *rw.from.layers[old])
			continue
		}
		if fresh, err := rw.writer.layer(now, l); err == nil {
			chunks = append(chunks, fresh)
		}
	}
	if !moved {
		return
	}
	at := slices.IndexFunc(c.Children, isLayer)
	if at < 0 {
		at = behindLast(c, "cdrp")
	}
	rest := slices.DeleteFunc(slices.Clone(c.Children), isLayer)
	c.Children = slices.Insert(rest, at, chunks...)
}

func isLayer(c rifx.Chunk) bool { return c.List && c.ID == "Layr" }

func (rw *rewriter) layer(wasIn, nowIn *Composition, was, now *Layer) {
	c := rw.from.layers[was]
	head := c.Find("ldta")
	a, b := was.measures(wasIn), now.measures(nowIn)
	transplant(head, a, b,
		[]field{{ldtaStretch, 4}, {ldtaStretchDivisor, 4}}, single(ldtaStart, 8), single(ldtaIn, 8), single(ldtaOut, 8),
		single(ldtaQuality, 2), single(ldtaSource, 4), single(ldtaLabel, 1), single(ldtaName, ldtaNameLength), single(ldtaBlend, 1),
		single(ldtaTransfer, 1), single(ldtaMatte, 1), single(ldtaParent, 4), single(ldtaLightKind, 1), single(ldtaMatteLayer, 4))
	rw.switches(head, a, b)
	if was.Name != now.Name {
		setText(c, "Utf8", now.Name)
	}
	if was.Comment != now.Comment {
		setComment(c, now.Comment)
	}
	if tree := c.Find("tdgp"); tree != nil && was.Props != nil && now.Props != nil {
		_, second := nowIn.ticks()
		pr := propertyRewriter{rw, propertyWriter{writer: rw.writer, comp: nowIn, layer: now, second: second}}
		pr.group(tree, was.Props, now.Props)
	}
}

// switches flips the switches of a layer that changed, and leaves the unknown bits beside them.
func (rw *rewriter) switches(head *rifx.Chunk, was, now []byte) {
	const flags = 3
	if bytes.Equal(was[ldtaFlags:ldtaFlags+flags], now[ldtaFlags:ldtaFlags+flags]) {
		return
	}
	head.Data = bytes.Clone(head.Data)
	for i := ldtaFlags; i < ldtaFlags+flags; i++ {
		head.Data[i] ^= was[i] ^ now[i]
	}
}
