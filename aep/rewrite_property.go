package aep

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"slices"

	"overcrank/aep/rifx"
)

// propertyRewriter applies the changes of one layer's properties to their chunks.
type propertyRewriter struct {
	*rewriter
	propertyWriter
}

// group changes the properties in a list of chunks, drops removed ones, and adds those that had their default values
// before, which files leave out.
func (pr propertyRewriter) group(list *rifx.Chunk, was, now *Property) {
	rest := slices.Clone(was.Children)
	added := map[*rifx.Chunk][]rifx.Chunk{} // by the chunk that they follow, nil for the beginning
	var behind *rifx.Chunk
	for _, n := range now.Children {
		i := slices.IndexFunc(rest, func(w *Property) bool { return w.Match == n.Match })
		if i < 0 {
			added[behind] = append(added[behind], pr.fresh(now, n)...)
			continue
		}
		w := rest[i]
		rest = slices.Delete(rest, i, i+1)
		child := pr
		if now.Match == matchEffects {
			child.effect = pr.was.effects[n.Match]
		}
		if c := pr.from.props[w]; c != nil {
			child.property(c, w, n)
			behind = c
		} else if chunks := child.unsaid(w, n); chunks != nil {
			added[behind] = append(added[behind], chunks...)
		}
	}
	pr.rearrange(list, rest, added)
}

// rearrange builds a new list, without the chunks of removed properties and with those that were added.
func (pr propertyRewriter) rearrange(list *rifx.Chunk, gone []*Property, added map[*rifx.Chunk][]rifx.Chunk) {
	drop := map[*rifx.Chunk]bool{}
	for _, p := range gone {
		if c := pr.from.props[p]; c != nil {
			drop[c] = true
		}
	}
	if len(drop) == 0 && len(added) == 0 {
		return
	}
	out := make([]rifx.Chunk, 0, len(list.Children)+len(added))
	begun := false
	named := 0 // index in out of the current property's match name
	for i := range list.Children {
		c := &list.Children[i]
		if c.ID == "tdmn" {
			if !begun {
				out, begun = append(out, added[nil]...), true
			}
			named = len(out)
		}
		if drop[c] {
			out = out[:named]
			continue
		}
		out = append(append(out, *c), added[c]...)
	}
	if !begun {
		out = append(out, added[nil]...)
	}
	list.Children = out
}

// fresh makes the chunks of a property that a group did not have before; nil for one that cannot be written, such as an
// effect.
func (pr propertyRewriter) fresh(in, p *Property) []rifx.Chunk {
	if in.Match == matchEffects {
		return nil
	}
	chunks, err := pr.payload(p)
	if err != nil {
		return nil
	}
	return append([]rifx.Chunk{matchName(p.Match)}, chunks...)
}

// unsaid makes the chunks of a property that no longer has its default value; nil when it still does.
func (pr propertyRewriter) unsaid(was, now *Property) []rifx.Chunk {
	if !now.Group {
		if sameProperty(was, now) {
			return nil
		}
		return pr.fresh(&Property{}, now)
	}
	var inside []rifx.Chunk
	rest := slices.Clone(was.Children)
	for _, n := range now.Children {
		i := slices.IndexFunc(rest, func(w *Property) bool { return w.Match == n.Match })
		if i < 0 {
			inside = append(inside, pr.fresh(now, n)...)
			continue
		}
		inside = append(inside, pr.unsaid(rest[i], n)...)
		rest = slices.Delete(rest, i, i+1)
	}
	if inside == nil && was.Enabled == now.Enabled {
		return nil
	}
	list := append([]rifx.Chunk{pr.propertyWriter.switches(now), rifx.Wrapped("tdsn", noOwnName)}, inside...)
	return []rifx.Chunk{matchName(now.Match), rifx.List("tdgp", append(list, matchName(groupEnd))...)}
}

// property changes one property that the file contains.
func (pr propertyRewriter) property(c *rifx.Chunk, was, now *Property) {
	if now.Group {
		list := c
		if c.ID != "tdgp" {
			list = c.Find("tdgp")
		}
		if list == nil {
			return
		}
		setEye(list, was, now)
		pr.group(list, was, now)
		return
	}
	setEye(c, was, now)
	if was.LayerRef != now.LayerRef {
		if ref := c.Find("tdpi"); ref != nil {
			ref.Data = binary.BigEndian.AppendUint32(nil, now.LayerRef)
		}
	}
	if sameProperty(was, now) {
		return
	}
	switch c.ID {
	case "tdbs":
		pr.numbers(c, now)
		if ref := c.Find("tdli"); ref != nil {
			ref.Data = binary.BigEndian.AppendUint32(nil, chosenMask(pr.propertyWriter.layer, now))
		}
	case "om-s":
		if fresh, err := pr.paths(now, valuesOf(now)); err == nil {
			*c = fresh
		}
	case "btds":
		pr.document(c, was, now)
	}
}

// sameProperty tells whether a property's value is unchanged.
func sameProperty(a, b *Property) bool {
	return a.Expression == b.Expression && a.ExpressionOn == b.ExpressionOn &&
		reflect.DeepEqual(a.Value, b.Value) && reflect.DeepEqual(a.Keys, b.Keys)
}

func setEye(list *rifx.Chunk, was, now *Property) {
	if c := list.Find("tdsb"); c != nil && was.Enabled != now.Enabled && len(c.Data) > tdsbLow {
		c.Data = bytes.Clone(c.Data)
		c.Data[tdsbLow] ^= 1 << tdsbEnabledBit
	}
}

// numbers sets the value, keyframes and expression of a numeric property, and keeps its other chunks.
func (pr propertyRewriter) numbers(c *rifx.Chunk, now *Property) {
	values := valuesOf(now)
	if _, ok := values[0].(Numbers); !ok {
		return
	}
	fresh, err := pr.plain(now, values)
	if err != nil {
		return
	}
	pr.value(c, &fresh, now)
}

// value copies value, keyframes and expression from a newly written property.
func (pr propertyRewriter) value(c, fresh *rifx.Chunk, now *Property) {
	head := c.Find("tdb4")
	if head == nil || len(head.Data) < tdb4Size {
		return
	}
	head.Data = mixHeads(head.Data, fresh.Find("tdb4").Bytes(), len(now.Keys) > 0)
	var value []rifx.Chunk
	if list := fresh.Find("list"); list != nil {
		value = append(value, *list)
	} else if static := fresh.Find("cdat"); static != nil {
		value = append(value, rifx.Leaf("cdat", overwrite(c.Find("cdat").Bytes(), static.Data, 8*now.Dimensions)))
	}
	old := c.Find("expr") != nil
	kept := slices.DeleteFunc(slices.Clone(c.Children), func(ch rifx.Chunk) bool {
		return ch.ID == "cdat" || ch.List && ch.ID == "list" || ch.ID == "Utf8" || ch.ID == "expr"
	})
	if now.Expression != "" {
		if old {
			value = append(value, rifx.Leaf("expr", append([]byte(now.Expression), 0)))
		} else {
			value = append(value, rifx.Utf8(now.Expression))
		}
	}
	c.Children = slices.Insert(kept, behindLast(&rifx.Chunk{Children: kept}, "tdb4"), value...)
}

// mixHeads is the file's description of a property with the current flags for keyframes and expression.
func mixHeads(was, now []byte, keyed bool) []byte {
	out := bytes.Clone(was)
	const static, animated = 1, 68
	out[tdb4Shape] = out[tdb4Shape]&^static | now[tdb4Shape]&static
	out[animated] = now[animated]
	if keyed {
		copy(out[tdb4TimeBase:tdb4TimeBase+4], now[tdb4TimeBase:tdb4TimeBase+4])
	}
	out[tdb4ExpressionOff] = out[tdb4ExpressionOff]&^1 | now[tdb4ExpressionOff]&1
	out[tdb4Expression] = now[tdb4Expression]
	return out
}

// overwrite replaces the first n bytes of was, which files make longer than the value; without was it is now.
func overwrite(was, now []byte, n int) []byte {
	n = min(n, len(now))
	if n > len(was) {
		return now
	}
	out := bytes.Clone(was)
	copy(out, now[:n])
	return out
}
