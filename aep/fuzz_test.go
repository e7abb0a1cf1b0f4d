package aep_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"overcrank/aep"
	"overcrank/aep/cos"
	"overcrank/aep/rifx"
)

// seedProject is a small project with one composition, one shape layer and one text layer, made chunk by chunk.
func seedProject(t testing.TB) []byte {
	t.Helper()
	head, cdta, idta := make([]byte, 20), make([]byte, 204), make([]byte, 84)
	binary.BigEndian.PutUint16(idta, 4)
	for at, v := range map[int]uint32{4: 1024, 8: 30720, 44: 5, 48: 1, 36: 0xFFFFFFFF, 144: 1, 148: 1} {
		binary.BigEndian.PutUint32(cdta[at:], v)
	}
	binary.BigEndian.PutUint16(cdta[140:], 64)
	binary.BigEndian.PutUint16(cdta[142:], 36)
	layer := func(kind byte, tree ...rifx.Chunk) rifx.Chunk {
		ldta := make([]byte, 160)
		ldta[131] = kind
		return rifx.List("Layr", rifx.Leaf("ldta", ldta), rifx.Utf8("layer"), rifx.List("tdgp", tree...))
	}
	match := func(name string) rifx.Chunk {
		b := make([]byte, 40)
		copy(b, name)
		return rifx.Leaf("tdmn", b)
	}
	tdb4 := make([]byte, 124)
	copy(tdb4, []byte{0xdb, 0x99, 0, 1})
	lhd3 := make([]byte, 52)
	lhd3[11], lhd3[19] = 2, 48
	opacity := rifx.List("tdbs", rifx.Leaf("tdsb", []byte{0, 0, 0, 1}), rifx.Leaf("tdb4", tdb4),
		rifx.List("list", rifx.Leaf("lhd3", lhd3), rifx.Leaf("ldat", make([]byte, 96))))
	shph := make([]byte, 24)
	points := make([]byte, 52)
	points[11], points[19] = 3, 8
	path := rifx.List("om-s", rifx.List("tdbs", rifx.Leaf("tdb4", tdb4)), rifx.List("omks",
		rifx.List("shap", rifx.Leaf("shph", shph), rifx.List("list", rifx.Leaf("lhd3", points), rifx.Leaf("ldat", make([]byte, 24))))))
	doc, err := cos.Append(nil, cos.Dict{"1": cos.Dict{"1": cos.Array{cos.Dict{"0": cos.Dict{"0": cos.String("hi\r")}}}}})
	if err != nil {
		t.Fatal(err)
	}
	text := rifx.List("btds", rifx.List("tdbs", rifx.Leaf("tdb4", tdb4)), rifx.Chunk{ID: "btdk", List: true, Data: doc})
	f := rifx.File{Form: rifx.FormProject, Children: []rifx.Chunk{rifx.Leaf("head", head), rifx.List("Fold",
		rifx.List("Item", rifx.Leaf("idta", idta), rifx.Utf8("comp"), rifx.Leaf("cdta", cdta),
			layer(4, match("ADBE Root Vectors Group"), rifx.List("tdgp", match("ADBE Vector Shape"), path),
				match("ADBE Transform Group"), rifx.List("tdgp", match("ADBE Opacity"), opacity)),
			layer(3, match("ADBE Text Properties"), rifx.List("tdgp", match("ADBE Text Document"), text)),
		))}}
	data, err := f.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSeedOfTheFuzzersReads(t *testing.T) {
	p, err := read(seedProject(t), aep.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	comp := p.Composition("comp")
	if comp == nil || len(comp.Comp.Layers) != 2 {
		t.Fatalf("items %+v", p.Items)
	}
	if o := comp.Comp.Layers[0].Props.Find("Transform", "Opacity"); o == nil || len(o.Keys) != 2 {
		t.Errorf("opacity %+v", o)
	}
	if d, ok := comp.Comp.Layers[1].Props.Find("Text", "Source Text").Value.(*aep.TextDocument); !ok || d.Text != "hi" {
		t.Errorf("text %+v", d)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(seedProject(f))
	f.Add([]byte(`<AfterEffectsProject><head bdata="0000000000000000000000000000000000000000"/><Fold/></AfterEffectsProject>`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		p, err := read(data, aep.Limits{Chunks: 20_000, Depth: 100})
		if err != nil {
			return
		}
		aep.Complete(p)
		aep.Summarize(p, nil)
		p.Instances()
	})
}

func FuzzUnpack(f *testing.F) {
	f.Add(makeZip(f, zipEntry{name: "a/b.aep", body: []byte("RIFX")}))
	f.Add(makeZip(f, zipEntry{name: "definition.json", body: []byte(`{"clientControls":[{"type":6,"value":{}}]}`)},
		zipEntry{name: "project.aegraphic", body: makeZip(f, zipEntry{name: "c.aep"})}))
	f.Add(makeZip(f, zipEntry{name: "../x"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		lim := aep.Limits{ArchiveFiles: 50, ArchiveSize: 1 << 20}
		_, _ = aep.Unpack(context.Background(), bytes.NewReader(data), int64(len(data)), t.TempDir(), lim)
	})
}
