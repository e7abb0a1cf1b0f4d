package photoshop

import (
	"bytes"
	"io"
)

// descriptor is a structure of Photoshop's actions: values by their keys. Only those that are texts, switches and descriptors are kept.
type descriptor map[string]any

// Limits of what a descriptor may hold.
const (
	maxDescriptor = 1 << 20 // bytes
	maxDepth      = 16
)

// described reads the descriptor that the rest of c begins with; nil for one that is broken, or has values that are not known.
func described(c *cursor) descriptor {
	size := c.left()
	if c.err != nil || size > maxDescriptor {
		return nil
	}
	b := c.bytes(int(size))
	own := &cursor{in: io.NewSectionReader(bytes.NewReader(b), 0, size), end: size}
	d := own.descriptor(0)
	if own.err != nil {
		return nil
	}
	return d
}

func (c *cursor) descriptor(depth int) descriptor {
	if depth > maxDepth {
		c.err = errCut
	}
	c.unicode() // of its class
	c.id()
	out := descriptor{}
	for n := c.u32(); n > 0 && c.err == nil; n-- {
		key := c.id()
		out[key] = c.value(depth)
	}
	return out
}

// id is a name, of four letters unless it says how many.
func (c *cursor) id() string {
	n := int64(c.u32())
	if n == 0 {
		n = 4
	}
	if n > c.left() {
		c.err = errCut
		return ""
	}
	return string(c.bytes(int(n)))
}

// value reads a value; nil for those that are not kept.
func (c *cursor) value(depth int) any {
	switch c.word(4) {
	case "Objc", "GlbO":
		return c.descriptor(depth + 1)
	case "VlLs":
		for n := c.u32(); n > 0 && c.err == nil; n-- {
			if depth > maxDepth {
				c.err = errCut
			}
			c.value(depth + 1)
		}
	case "TEXT":
		return c.unicode()
	case "bool":
		return c.u8() != 0
	case "long":
		c.skip(4)
	case "doub", "comp":
		c.skip(8)
	case "UntF":
		c.skip(12)
	case "UnFl":
		c.skip(4)
		c.skip(8 * int64(c.u32()))
	case "enum":
		c.id()
		c.id()
	case "type", "GlbC":
		c.unicode()
		c.id()
	case "tdta", "alis", "Pth ":
		c.skip(int64(c.u32()))
	default:
		c.err = errCut
	}
	return nil
}

// patternID is which pattern the effects of a layer lay over it; empty for none.
func patternID(c *cursor) string {
	c.skip(8) // the versions of the effects and of the descriptor
	overlay, _ := described(c)["patternFill"].(descriptor)
	pattern, _ := overlay["Ptrn"].(descriptor)
	id, _ := pattern["Idnt"].(string)
	return id
}
