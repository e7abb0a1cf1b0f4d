package cff

import (
	"encoding/binary"
	"fmt"

	"github.com/go-text/typesetting/font/opentype/tables"
)

// shares are how much variations of a font take part in its values: by list, how many shares it has.
type shares struct {
	lists []int
	axes  int
}

// Read2 reads a font of the second version.
func Read2(data []byte) (f *Font, err error) {
	defer guard(&err)
	r := &reader{b: data, two: true}
	from := int(data[2])
	to := from + int(binary.BigEndian.Uint16(data[3:]))
	f = &Font{Top: dictionary(data[from:to]), two: true}
	f.global, _ = r.index(to)
	f.Glyphs, _ = r.index(f.Top.At(entryCharStrings))
	r.read(f)
	switch len(f.parts) {
	case 0:
		return nil, fmt.Errorf("%w: it has no parts", ErrBroken)
	case 1:
	default:
		f.partOf = r.selection(f.Top.At(entryFDSelect), len(f.Glyphs))
	}
	if at := f.Top.At(entryStore); at != 0 {
		store, _, err := tables.ParseItemVarStore(data[at+2 : at+2+int(binary.BigEndian.Uint16(data[at:]))])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBroken, err)
		}
		f.axes = max(0, store.AxisCount())
		for _, list := range store.ItemVariationDatas {
			f.lists = append(f.lists, len(list.RegionIndexes))
		}
	}
	return f, f.checkParts()
}
