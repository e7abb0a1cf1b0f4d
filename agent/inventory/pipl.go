package inventory

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A plug-in describes itself in PiPL resources, one for each effect: a version and a count, then properties, each with its vendor,
// its key, an id, a length and so many bytes. On Windows the numbers are little-endian, keys are therefore written backwards, and a
// 16-bit 1 stands before it all. https://ae-plugins.docsforadobe.dev/intro/pipl-resources/
const (
	piplType      = "PiPL"
	piplMatchName = "eMNA" // of an effect: its match name, a text with its length in a byte before it
	maxProperties = 256
	maxMatchName  = 100 // bytes
)

var errNoPiPL = errors.New("the plug-in does not describe itself")

// matchName is the match name in a PiPL, "" for a plug-in that is no effect.
func matchName(pipl []byte) string {
	for _, layout := range []struct {
		order binary.ByteOrder
		head  int // bytes before the version
	}{{binary.LittleEndian, 2}, {binary.BigEndian, 0}, {binary.LittleEndian, 0}} {
		if name, ok := matchNameAs(pipl, layout.order, layout.head); ok {
			return name
		}
	}
	return ""
}

// matchNameAs reads a PiPL of one layout; ok is false when it has another one.
func matchNameAs(pipl []byte, order binary.ByteOrder, head int) (name string, ok bool) {
	const property = 16
	if len(pipl) < head+8+property {
		return "", false
	}
	properties := order.Uint32(pipl[head+4:])
	rest := pipl[head+8:]
	if properties == 0 || properties > maxProperties || !vendorKnown(key(rest, order)) {
		return "", false
	}
	for range properties {
		if len(rest) < property {
			break
		}
		size := int64(order.Uint32(rest[12:]))
		if size > int64(len(rest)-property) {
			break
		}
		body := rest[property : property+size]
		if key(rest[4:], order) == piplMatchName {
			return pascal(body), true
		}
		rest = rest[property+min(int64(len(rest)-property), (size+3)&^3):]
	}
	return "", true
}

// key is a code of four characters.
func key(b []byte, order binary.ByteOrder) string {
	code := slices.Clone(b[:4])
	if order == binary.LittleEndian {
		slices.Reverse(code)
	}
	return string(code)
}

func vendorKnown(vendor string) bool { return vendor == "8BIM" || vendor == "ADBE" }

// pascal is a text with its length before it.
func pascal(b []byte) string {
	if len(b) == 0 || int(b[0]) > len(b)-1 || b[0] > maxMatchName {
		return ""
	}
	text := string(b[1 : 1+b[0]])
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return ""
	}
	return strings.TrimSpace(text)
}

// effectsIn are the match names of the PiPLs of a plug-in.
func effectsIn(pipls [][]byte) ([]string, error) {
	if len(pipls) == 0 {
		return nil, errNoPiPL
	}
	var names []string
	for _, pipl := range pipls {
		if name := matchName(pipl); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}
