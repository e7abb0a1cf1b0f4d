package scene

import (
	"slices"
	"testing"

	"overcrank/aep"
	"overcrank/engine/footage"
)

func TestRangesOfValuesAreSaidWhereALayerUsesThem(t *testing.T) {
	group := func(match string, children ...*aep.Property) *aep.Property {
		return &aep.Property{Match: match, Group: true, Enabled: true, Children: children}
	}
	off := &aep.Property{Match: "ADBE Blend Ranges", Enabled: true, Value: aep.Numbers{0}}
	unused := group("", group("ADBE Layer Styles", group("ADBE Blend Options Group", group("ADBE Adv Blend Group", off))))
	item := &aep.Item{Name: "art", Footage: &aep.Footage{Kind: aep.FootageFile, Layer: "badge", File: aep.FileReference{FullPath: "art.psd"}}}
	const want = "the range of values in which a layer blends in the file 'art.psd'"
	for name, c := range map[string]struct {
		props  *aep.Property
		ranged bool
		said   bool
	}{
		"ranges":                    {group(""), true, true},
		"all values":                {group(""), false, false},
		"ranges that it leaves out": {unused, true, false},
	} {
		use := aep.Use{Item: item, Layer: &aep.Layer{Props: c.props}, Comp: &aep.Item{Comp: &aep.Composition{}}}
		lacks := FileLacks(use, footage.Info{Ranged: c.ranged})
		if said := slices.ContainsFunc(lacks, func(l Lack) bool { return l.What == want }); said != c.said || len(lacks) > 1 {
			t.Errorf("%s: %+v", name, lacks)
		}
	}
}
