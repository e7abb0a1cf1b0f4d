package fontfile_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/gofont/gosmallcaps"

	"overcrank/fontfile"
)

func TestASpecimenIsDrawnInTheFontsOwnFace(t *testing.T) {
	t.Parallel()
	first, err := fontfile.Draw(bytes.NewReader(goregular.TTF), int64(len(goregular.TTF)), 0)
	if err != nil {
		t.Fatal(err)
	}
	other, err := fontfile.Draw(bytes.NewReader(gosmallcaps.TTF), int64(len(gosmallcaps.TTF)), 0)
	if err != nil {
		t.Fatal(err)
	}
	if first.Path == other.Path {
		t.Error("two faces look the same")
	}
	if n := strings.Count(first.Path, "M"); n < len("Hamburgefonts123") {
		t.Errorf("the path has %d contours, fewer than the text has letters", n)
	}
	if first.Width < 100 || first.Width > 600 || first.Height != 60 {
		t.Errorf("the box is %g by %g", first.Width, first.Height)
	}
	wellFormed(t, first.SVG())
	var no *fontfile.Refusal
	if _, err := fontfile.Draw(bytes.NewReader(goregular.TTF), int64(len(goregular.TTF)), 1); !errors.As(err, &no) {
		t.Errorf("a face that is not there: %v", err)
	}
}

func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in %.200q", err, svg)
		}
	}
}

func TestADamagedFontIsRefusedOrDrawnAndNeverCrashes(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		damaged := bytes.Clone(goregular.TTF)
		for range 1 + chance.IntN(400) {
			damaged[chance.IntN(len(damaged))] = byte(chance.Uint32())
		}
		s, err := fontfile.Draw(bytes.NewReader(damaged), int64(len(damaged)), 0)
		var no *fontfile.Refusal
		if err != nil && !errors.As(err, &no) {
			t.Fatalf("%v", err)
		}
		if err == nil {
			wellFormed(t, s.SVG())
		}
	}
}
