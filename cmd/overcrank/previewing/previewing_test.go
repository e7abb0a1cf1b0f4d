package previewing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/cmd/overcrank/previewing"
	"overcrank/cmd/overcrank/titlecard"
	"overcrank/coordinator/files"
	"overcrank/coordinator/preview"
	"overcrank/farm"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == previewing.Argument {
		fmt.Fprintln(os.Stderr, previewing.Main(context.Background(), os.Stdin, os.Stdout))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// one is a farm of one template and one kept picture.
type one struct {
	template farm.Template
	picture  farm.FileRef
}

func (o one) Template(context.Context, farm.Principal, string) (farm.Template, error) {
	return o.template, nil
}
func (one) FontsFor(farm.Template) ([]farm.FileRef, error) { return nil, nil }
func (o one) File(_, _ string) (farm.FileRef, error)       { return o.picture, nil }

// cardZip and night are the title card and another picture for it, made once for all tests: to paint a picture takes seconds.
var (
	cardZip = sync.OnceValues(func() ([]byte, error) {
		var b bytes.Buffer
		err := titlecard.WriteZip(&b)
		return b.Bytes(), err
	})
	night = sync.OnceValues(func() ([]byte, error) {
		var b bytes.Buffer
		err := png.Encode(&b, titlecard.Picture(titlecard.Night))
		return b.Bytes(), err
	})
)

// archived gives both.
func archived(t testing.TB) (zip, picture []byte) {
	t.Helper()
	zip, errZip := cardZip()
	picture, errPicture := night()
	if err := errors.Join(errZip, errPicture); err != nil {
		t.Fatal(err)
	}
	return zip, picture
}

// card opens a room that draws the title card.
func card(t testing.TB) *preview.Room {
	t.Helper()
	store, err := files.OpenFolder(t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	zip, picture := archived(t)
	obj, err := store.PutBlob(t.Context(), bytes.NewReader(zip), files.Limits{Size: -1, Max: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	template := farm.Template{
		ID: "card", Team: "team", Type: "zip", Status: farm.TemplateUploaded, File: &farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: "card.zip"},
	}
	kept, err := store.PutBlob(t.Context(), bytes.NewReader(picture), files.Limits{Size: -1, Max: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	program, err := previewing.Program()
	if err != nil {
		t.Fatal(err)
	}
	room := preview.New(one{template, farm.FileRef{SHA256: kept.SHA256, Size: kept.Size, Name: "night.png"}}, files.NewProofs(store, nil), preview.Config{
		Program: program, Bounds: preview.Bounds{Open: 10 * time.Minute, Draw: 10 * time.Minute},
		Dir: filepath.Join(t.TempDir(), "previews"), MinFree: 1, Logger: slog.New(slog.DiscardHandler),
	})
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { room.Run(ctx) })
	t.Cleanup(func() { stop(); running.Wait() })
	return room
}

var artist = farm.Principal{Team: "team", TokenID: "ann", Role: farm.RoleArtist}

func draw(t testing.TB, r *preview.Room, shot preview.Shot) preview.Picture {
	t.Helper()
	if shot.Composition == "" {
		shot.Composition = titlecard.Composition
	}
	p, err := r.Draw(t.Context(), artist, "card", shot)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func words(layer, words string) farm.Asset {
	value, _ := json.Marshal(words)
	return farm.Asset{Type: "text", LayerName: layer, Value: value}
}

const half = titlecard.Width / 2

func TestAPreviewIsTheFrameThatAJobWouldRender(t *testing.T) {
	t.Parallel()
	r := card(t)
	plain := draw(t, r, preview.Shot{Frame: 60, Width: half})
	img, err := jpeg.Decode(bytes.NewReader(plain.JPEG))
	if err != nil || img.Bounds() != image.Rect(0, 0, half, titlecard.Height/2) || plain.Width != half || plain.Frames != titlecard.Frames || plain.Rate != titlecard.FrameRate {
		t.Fatalf("got %v of %d frames, %v", img.Bounds(), plain.Frames, err)
	}
	worded := draw(t, r, preview.Shot{Frame: 60, Width: half, Assets: []farm.Asset{words(titlecard.TitleLayer, "Something else")}})
	if bytes.Equal(plain.JPEG, worded.JPEG) {
		t.Error("the words of a layer change nothing")
	}
	if again := draw(t, r, preview.Shot{Frame: 60, Width: half}); !bytes.Equal(plain.JPEG, again.JPEG) {
		t.Error("what was typed before is still there")
	}
	if later := draw(t, r, preview.Shot{Frame: -1, Time: 0.2, Width: half}); later.Frame != 5 || bytes.Equal(plain.JPEG, later.JPEG) {
		t.Errorf("at another time: frame %d", later.Frame)
	}
	if other := draw(t, r, preview.Shot{Composition: titlecard.Strip, Width: 1 << 20}); other.Width != preview.MostWidth {
		t.Errorf("another composition is drawn %d pixels wide", other.Width)
	}
}

func TestAPictureThatTheTeamKeepsIsShown(t *testing.T) {
	t.Parallel()
	r := card(t)
	plain := draw(t, r, preview.Shot{Frame: 60, Width: half})
	given := draw(t, r, preview.Shot{Frame: 60, Width: half, Assets: []farm.Asset{
		{Type: "image", LayerName: titlecard.PictureLayer, Src: farm.KeptScheme + strings.Repeat("a", 64)}}})
	if bytes.Equal(plain.JPEG, given.JPEG) || strings.Contains(strings.Join(given.Notes, "\n"), "what the template has") {
		t.Errorf("the picture is not shown: %q", given.Notes)
	}
}

func TestWhatCannotBeDrawnIsSaid(t *testing.T) {
	t.Parallel()
	r := card(t)
	for says, shot := range map[string]preview.Shot{
		"Composition 'Nobody' not found": {Composition: "Nobody"},
		"Layer 'Nobody' not found":       {Composition: titlecard.Composition, Assets: []farm.Asset{words("Nobody", "x")}},
		"has the frames 0 to 149":        {Composition: titlecard.Composition, Frame: 150},
	} {
		shot.Width = half
		if _, err := r.Draw(t.Context(), artist, "card", shot); farm.CodeOf(err) != farm.CodeInvalid || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
	p := draw(t, r, preview.Shot{Width: half, Assets: []farm.Asset{{Type: "image", LayerName: titlecard.PictureLayer, Src: "https://files.example/a.png"}}})
	if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "'Picture' shows what the template has") {
		t.Errorf("of a picture from an address it is said: %q", notes)
	}
}

func TestAnEndlessExpressionIsCutAndTold(t *testing.T) {
	t.Parallel()
	r := card(t)
	endless := farm.Asset{Type: "data", LayerName: titlecard.TitleLayer, Property: "Opacity", Expression: "while (true) {}"}
	_, err := r.Draw(t.Context(), artist, "card", preview.Shot{Composition: titlecard.Composition, Frame: 60, Width: half, Assets: []farm.Asset{endless}})
	if farm.CodeOf(err) != farm.CodeInvalid || !strings.Contains(err.Error(), "the expression ran longer than") {
		t.Errorf("got %v", err)
	}
	draw(t, r, preview.Shot{Frame: 60, Width: half})
}

// BenchmarkFrame is from what was typed to a picture of half size, of a template that is open: each time with other words, and at another
// time of the same.
func BenchmarkFrame(b *testing.B) {
	r := card(b)
	draw(b, r, preview.Shot{Width: half})
	n := 0
	b.Run("words", func(b *testing.B) {
		for b.Loop() {
			n++
			draw(b, r, preview.Shot{Frame: 60, Width: half, Assets: []farm.Asset{words(titlecard.TitleLayer, fmt.Sprint("Title ", n))}})
		}
	})
	b.Run("time", func(b *testing.B) {
		for b.Loop() {
			n++
			draw(b, r, preview.Shot{Frame: n % titlecard.Frames, Width: half})
		}
	})
}
