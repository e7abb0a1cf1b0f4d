package aep

import (
	"encoding/binary"
	"math"
	"testing"

	"overcrank/aep/rifx"
)

// choosing is a text that follows the mask with an identity, its cached number being 1, and masks with the identities 6, 5 and 9.
func choosing(t *testing.T, id uint32) (*Layer, *rifx.Chunk) {
	t.Helper()
	head := make([]byte, tdb4Size)
	copy(head, []byte{0xDB, 0x99, 0, 1})
	number := binary.BigEndian.AppendUint64(nil, math.Float64bits(1))
	path := rifx.List("tdbs", rifx.Leaf("tdsb", []byte{0, 0, 0, 1}), rifx.Leaf("tdb4", head), rifx.Leaf("cdat", number),
		rifx.Leaf("tdli", binary.BigEndian.AppendUint32(nil, id)))
	options := rifx.List("tdgp", matchName("ADBE Text Path"), path, matchName(groupEnd))
	text := rifx.List("tdgp", matchName("ADBE Text Path Options"), options, matchName(groupEnd))
	masks := rifx.List("tdgp")
	for _, id := range []uint32{6, 5, 9} {
		masks.Children = append(masks.Children, matchName("ADBE Mask Atom"), maskInfo(&MaskInfo{Mode: MaskAdd, ID: id}), rifx.List("tdgp", matchName(groupEnd)))
	}
	tree := rifx.List("tdgp", matchName(matchText), text, matchName(matchMasks), masks, matchName(groupEnd))
	l := &Layer{Kind: LayerText, Props: &Property{Group: true, Enabled: true}}
	r := reader{project: &Project{}, lim: DefaultLimits()}
	scope := r.scope(&Composition{Width: 10, Height: 10}, l)
	if err := r.group(l.Props, &tree, scope, 0); err != nil {
		t.Fatal(err)
	}
	chooseMasks(l, scope.choices)
	return l, &path
}

func TestAPropertyThatChoosesAMaskHasItsNumber(t *testing.T) {
	for id, want := range map[uint32]float64{6: 1, 5: 2, 9: 3, 0: 0, 1: 0} {
		l, _ := choosing(t, id)
		if got := l.Props.Find(matchText, "ADBE Text Path Options", "ADBE Text Path").Float(-1); got != want {
			t.Errorf("the mask with the identity %d is number %g, want %g", id, got, want)
		}
	}
}

func TestAnotherMaskIsWrittenByItsIdentity(t *testing.T) {
	l, chunk := choosing(t, 6)
	was := l.Props.Find(matchText, "ADBE Text Path Options", "ADBE Text Path")
	now := *was
	now.Value = Numbers{3}
	pr := propertyRewriter{&rewriter{}, propertyWriter{writer: writer{p: &Project{}}, layer: l, comp: &Composition{}, second: 1000}}
	pr.property(chunk, was, &now)
	if got := body(chunk.Find("tdli").Data).u32(0); got != 9 {
		t.Errorf("the identity is %d", got)
	}
}
