package rifx_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"overcrank/aep/aeptest"
	"overcrank/aep/rifx"
)

var wide = rifx.Limits{Chunks: 1 << 20, Depth: 200}

func TestTreeIsWrittenAndReadBack(t *testing.T) {
	f := rifx.File{Form: rifx.FormProject, Trailer: []byte("<?xpacket?>"), Children: []rifx.Chunk{
		rifx.Leaf("head", []byte{1, 2, 3}),
		rifx.List("Fold", rifx.Utf8("odd"), rifx.List("tdgp"), rifx.Wrapped("tdsn", "naïve")),
		{ID: "btdk", List: true, Data: []byte("/0 (x)")},
	}}
	data, err := f.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := rifx.Parse(data, wide)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*got, f) {
		t.Errorf("read back %+v, wrote %+v", *got, f)
	}
	if s, utf8 := got.Find("Fold").Find("tdsn").Raw(); string(s) != "naïve" || !utf8 {
		t.Errorf("the name reads %q, %v", s, utf8)
	}
}

func TestWritingRefusesWrongIDs(t *testing.T) {
	for _, f := range []rifx.File{
		{Form: "toolong"},
		{Form: rifx.FormProject, Children: []rifx.Chunk{rifx.List("ok  ", rifx.Leaf("bad", nil))}},
	} {
		if _, err := f.Append(nil); err == nil {
			t.Errorf("%+v was written", f)
		}
	}
}

func TestTextOfOldAndNewChunks(t *testing.T) {
	for _, c := range []struct {
		chunk rifx.Chunk
		text  string
		utf8  bool
	}{
		{rifx.Utf8("new"), "new", true},
		{rifx.Wrapped("tdsn", "wrapped"), "wrapped", true},
		{rifx.Leaf("tdsn", []byte("old\x00rest")), "old", false},
		{rifx.Leaf("tdsn", []byte("Utf8\xff\xff\xff\xffx")), "Utf8\xff\xff\xff\xffx", false},
		{rifx.Leaf("tdsn", nil), "", false},
	} {
		if s, utf8 := c.chunk.Raw(); string(s) != c.text || utf8 != c.utf8 {
			t.Errorf("%q reads %q, %v", c.chunk.Data, s, utf8)
		}
	}
}

func TestXMLReadsAsTheSameTree(t *testing.T) {
	got, err := rifx.Parse([]byte(`<?xml version="1.0"?>
<AfterEffectsProject xmlns="http://www.adobe.com/products/aftereffects">
	<head bdata="0102ff"/>
	<Pin>
		<string>a &amp; b</string>
		<tdsn><string>name</string></tdsn>
		<string/>
		<Als2><fileReference fullpath="/x/y.png" platform="MacPOSIX"/></Als2>
		<btdk bdata="2f30"/>
	</Pin>
	<ProjectXMPMetadata>&lt;x/&gt;</ProjectXMPMetadata>
</AfterEffectsProject>`), wide)
	if err != nil {
		t.Fatal(err)
	}
	want := []rifx.Chunk{
		rifx.Leaf("head", []byte{1, 2, 0xff}),
		rifx.List("Pin ", rifx.Utf8("a & b"), rifx.Wrapped("tdsn", "name"), rifx.Leaf("Utf8", nil),
			rifx.List("Als2", rifx.Leaf("alas", []byte(`{"fullpath":"/x/y.png","platform":"MacPOSIX"}`))),
			rifx.Chunk{ID: "btdk", List: true, Data: []byte("/0")}),
	}
	if !reflect.DeepEqual(got.Children, want) {
		t.Errorf("got %+v\nwant %+v", got.Children, want)
	}
}

func TestBadXMLIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		xml  string
		want error
	}{
		"not hexadecimal": {`<AfterEffectsProject><a bdata="xyz"/></AfterEffectsProject>`, rifx.ErrBroken},
		"crossed":         {`<AfterEffectsProject><a></b></AfterEffectsProject>`, rifx.ErrBroken},
		"cut":             {`<AfterEffectsProject><a>`, rifx.ErrTruncated},
		"entity":          {`<AfterEffectsProject>&boom;</AfterEffectsProject>`, rifx.ErrBroken},
		"other root":      {`<?xml version="1.0"?><plist/>`, rifx.ErrNotProject},
	} {
		if _, err := rifx.Parse([]byte(c.xml), wide); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSamplesAreWrittenAsTheyWereRead(t *testing.T) {
	dir := aeptest.Samples(t)
	n := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || ext != ".aep" && ext != ".aet" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := rifx.Parse(data, wide)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		again, err := f.Append(nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		if !bytes.Equal(again, data) {
			t.Errorf("%s: %d bytes were written for %d", path, len(again), len(data))
		}
		n++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Fatal("the samples hold no project")
	}
	t.Logf("samples: %d files written again", n)
}

func FuzzParse(f *testing.F) {
	whole, err := (&rifx.File{Form: rifx.FormProject, Children: []rifx.Chunk{
		rifx.Leaf("head", []byte{1}), rifx.List("Fold", rifx.List("Item", rifx.Utf8("x"))),
		{ID: "btdk", List: true, Data: []byte("/0 1")},
	}}).Append(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)-3])
	f.Add([]byte("RIFX\xff\xff\xff\xffEgg!"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := rifx.Parse(data, rifx.Limits{Chunks: 10_000, Depth: 100})
		if err != nil {
			return
		}
		again, err := tree.Append(nil)
		if err != nil {
			return // XML may name chunks that the binary spelling cannot
		}
		if _, err := rifx.Parse(again, rifx.Limits{Chunks: 10_000, Depth: 101}); err != nil {
			t.Errorf("what was written does not read: %v", err)
		}
	})
}

func FuzzParseXML(f *testing.F) {
	f.Add([]byte(`<AfterEffectsProject><head bdata="01"/><Fold><Item><string>x</string></Item></Fold></AfterEffectsProject>`))
	f.Add([]byte(`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><AfterEffectsProject>&b;</AfterEffectsProject>`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = rifx.Parse(append([]byte("<AfterEffectsProject>"), data...), rifx.Limits{Chunks: 10_000, Depth: 100})
		_, _ = rifx.Parse(data, rifx.Limits{Chunks: 10_000, Depth: 100})
	})
}
