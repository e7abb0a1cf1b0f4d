package text

import (
	"bytes"
	"encoding/binary"
	"flag"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
)

var update = flag.Bool("update", false, "write the packed fonts")

func TestTheGoFontsAreThoseOfTheirMakers(t *testing.T) {
	want := [][]byte{goregular.TTF, gobold.TTF, goitalic.TTF, gobolditalic.TTF, gomono.TTF}
	if *update {
		pack(t, "gofonts.zst", want)
		return
	}
	got, err := unpackGoFonts()
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d fonts are embedded, want %d", len(got), len(want))
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("font %d is not the one in golang.org/x/image: run this test with -update", i)
		}
	}
}

func pack(t *testing.T, path string, fonts [][]byte) {
	t.Helper()
	var all []byte
	for _, f := range fonts {
		all = append(binary.BigEndian.AppendUint32(all, uint32(len(f))), f...)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, z.EncodeAll(all, nil), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What a machine without fonts draws with, by the names that texts have.
func TestAMachineWithoutFontsDrawsWithTheGoFonts(t *testing.T) {
	b, err := openBook(nil, func() []string { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GoRegular", "Go-Bold", "Go-Italic", "Go-BoldItalic", "GoMono"} {
		if !b.Has(name) {
			t.Errorf("there is no font %s", name)
		}
	}
}
