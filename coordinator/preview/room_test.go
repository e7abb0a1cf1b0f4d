package preview_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"overcrank/coordinator/files"
	"overcrank/coordinator/preview"
	"overcrank/farm"
)

// draws makes this program a child that draws what the composition's name says.
const draws = "draw"

// painted is a frame that is the brighter the later it is; from the third second on until the fourth there is most to see.
func painted(shot preview.Shot) preview.Picture {
	frame := image.NewRGBA(image.Rect(0, 0, shot.Width, 90))
	draw.Draw(frame, frame.Bounds(), image.NewUniform(color.Gray{Y: uint8(40 + 30*shot.Time)}), image.Point{}, draw.Src)
	if int(shot.Time) == 3 {
		for x := range shot.Width {
			for y := 40; y < 90; y++ {
				frame.Set(x, y, color.Gray{Y: uint8(x * y * 37)})
			}
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, frame, nil); err != nil {
		panic(err)
	}
	return preview.Picture{JPEG: b.Bytes()}
}

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == draws {
		err := preview.Main(context.Background(), os.Stdin, os.Stdout, func(_ context.Context, o preview.Opening) preview.Stage { return &fake{o: o} })
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// fake is a stage that draws nothing: its picture says which process gave it, and for which frame.
type fake struct {
	o     preview.Opening
	drawn int
}

func (f *fake) Rest(context.Context) {}

// Draw implements preview.Stage.
func (f *fake) Draw(ctx context.Context, shot preview.Shot) (preview.Picture, error) {
	f.drawn++
	switch shot.Composition {
	case "refused":
		return preview.Picture{}, &preview.Refusal{Message: "Layer 'x' not found"}
	case "waits":
		<-ctx.Done()
		return preview.Picture{}, ctx.Err()
	case "endless":
		select {}
	case "fades":
		return preview.Picture{JPEG: bytes.Repeat([]byte("x"), int(shot.Time*1000))}, nil
	case "painted":
		return painted(shot), nil
	case "files":
		p := preview.Picture{}
		for src, path := range shot.Files {
			content, err := os.ReadFile(path)
			if err != nil || !strings.HasPrefix(path, f.o.Dir+string(filepath.Separator)) {
				return p, fmt.Errorf("%s is at %s: %w", src, path, err)
			}
			p.Notes = append(p.Notes, src+" "+string(content))
		}
		return p, nil
	case "crashes":
		os.Exit(3)
	case "grows":
		for kept := [][]byte{}; ; {
			kept = append(kept, bytes.Repeat([]byte("x"), 1<<20))
		}
	}
	content, err := os.ReadFile(f.o.Path)
	if err != nil {
		return preview.Picture{}, err
	}
	return preview.Picture{
		JPEG: fmt.Appendf(nil, "%d %d %s", os.Getpid(), f.drawn, content), Frame: shot.Frame, Notes: []string{strings.Repeat("long ", 200)},
	}, nil
}

// catalog is a farm whose templates have their ids as content.
type catalog struct{ store files.Store }

func (c catalog) FontsFor(farm.Template) ([]farm.FileRef, error) { return nil, nil }

// File knows a file that is too large, and those of the store.
func (c catalog) File(_, sha256 string) (farm.FileRef, error) {
	ref := farm.FileRef{SHA256: sha256, Name: "../../logo.png", Size: 3}
	switch {
	case sha256 == strings.Repeat("f", 64):
		ref.Size = 1 << 40
	case sha256 == strings.Repeat("0", 64):
		return ref, farm.Errorf(farm.CodeNotFound, "there is no file")
	}
	return ref, nil
}

func (c catalog) Template(ctx context.Context, p farm.Principal, id string) (farm.Template, error) {
	t := farm.Template{ID: id, Team: p.Team, Type: "aep", DisplayName: id, Status: farm.TemplateUploaded}
	if id == "unread" {
		t.Status = farm.TemplateAwaitingUpload
		return t, nil
	}
	obj, err := c.store.PutBlob(ctx, strings.NewReader(id), files.Limits{Size: -1, Max: 1 << 20})
	t.File = &farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: id + ".aep"}
	return t, err
}

// open gives a room that runs until the test ends, and whose processes have memory and time enough for all but what this test is about.
func open(t *testing.T, bounds preview.Bounds) *preview.Room {
	t.Helper()
	room, _ := openFarm(t, bounds)
	return room
}

// openFarm is open, with the farm that the room works for.
func openFarm(t *testing.T, bounds preview.Bounds) (*preview.Room, catalog) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	store, err := files.OpenFolder(t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if bounds.Open == 0 {
		bounds.Open = 10 * time.Minute
	}
	if bounds.Draw == 0 {
		bounds.Draw = 10 * time.Minute
	}
	farm := catalog{store}
	room := preview.New(farm, files.NewProofs(store, nil), preview.Config{
		Program: []string{self, draws}, Bounds: bounds, Dir: t.TempDir() + "/previews", MinFree: 1, Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { room.Run(ctx) })
	t.Cleanup(func() { stop(); running.Wait() })
	return room, farm
}

func person(name string) farm.Principal {
	return farm.Principal{Team: "team", TokenID: name, Role: farm.RoleArtist}
}

// process is which process drew a picture, and how many it had drawn by then.
func process(t *testing.T, p preview.Picture, err error) (pid, drawn int) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(p.JPEG), &pid, &drawn); err != nil {
		t.Fatal(err)
	}
	return pid, drawn
}

func TestATemplateStaysOpenBetweenFrames(t *testing.T) {
	t.Parallel()
	r := open(t, preview.Bounds{})
	draw := func(template string) (int, int) {
		p, err := r.Draw(t.Context(), person("ann"), template, preview.Shot{Frame: 7})
		if err == nil && (p.Frame != 7 || len(p.Notes) != 1 || len(p.Notes[0]) > 310 || !strings.HasSuffix(string(p.JPEG), template)) {
			t.Errorf("got %+v", p)
		}
		return process(t, p, err)
	}
	one, _ := draw("one")
	if again, drawn := draw("one"); again != one || drawn != 2 {
		t.Errorf("the second frame is number %d of process %d, the first is of process %d", drawn, again, one)
	}
	for _, other := range []string{"two", "three", "four"} {
		if pid, _ := draw(other); pid == one {
			t.Error("two templates share a process")
		}
	}
	if again, drawn := draw("one"); again == one || drawn != 1 {
		t.Error("more templates are kept open than there may be")
	}
}

func TestAProcessThatIsKilledComesBack(t *testing.T) {
	t.Parallel()
	r := open(t, preview.Bounds{})
	p, err := r.Draw(t.Context(), person("ann"), "one", preview.Shot{})
	first, _ := process(t, p, err)
	dead, err := os.FindProcess(first)
	if err == nil {
		err = dead.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err = r.Draw(t.Context(), person("ann"), "one", preview.Shot{})
	if again, drawn := process(t, p, err); again == first || drawn != 1 {
		t.Errorf("drawn by process %d, the dead one is %d", again, first)
	}
}

func TestWhatAFrameTakesIsBounded(t *testing.T) {
	t.Parallel()
	for composition, test := range map[string]struct {
		bounds preview.Bounds
		code   farm.Code
		says   string
	}{
		"endless": {preview.Bounds{Open: time.Second}, farm.CodeTooLarge, "longer than it may"},
		"grows":   {preview.Bounds{Memory: 128 << 20}, farm.CodeTooLarge, "128 MiB of memory"},
		"crashes": {preview.Bounds{}, farm.CodeUnavailable, "could not be drawn"},
		"refused": {preview.Bounds{}, farm.CodeInvalid, "Layer 'x' not found"},
	} {
		t.Run(composition, func(t *testing.T) {
			t.Parallel()
			r := open(t, test.bounds)
			_, err := r.Draw(t.Context(), person("ann"), "one", preview.Shot{Composition: composition})
			if farm.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestANewerPreviewOfAPersonTakesThePlaceOfTheOneBefore(t *testing.T) {
	t.Parallel()
	r := open(t, preview.Bounds{})
	p, err := r.Draw(t.Context(), person("ann"), "one", preview.Shot{})
	pid, _ := process(t, p, err)
	overtaken := make(chan error, 1)
	go func() {
		_, err := r.Draw(t.Context(), person("ann"), "one", preview.Shot{Composition: "waits"})
		overtaken <- err
	}()
	// Which of the two came first is not known, so it is asked until the one that waits has gone.
	for {
		p, err = r.Draw(t.Context(), person("ann"), "one", preview.Shot{})
		if farm.CodeOf(err) == farm.CodeConflict {
			continue
		}
		if now, _ := process(t, p, err); now != pid {
			t.Error("a preview that was overtaken ended the process")
		}
		select {
		case err := <-overtaken:
			if farm.CodeOf(err) != farm.CodeConflict {
				t.Errorf("overtaken: %v", err)
			}
			return
		default:
		}
	}
}

func TestAPosterIsOfThePlaceWhereMostIsToBeSeen(t *testing.T) {
	t.Parallel()
	r, farm := openFarm(t, preview.Bounds{})
	template, err := farm.Template(t.Context(), person("ann"), "spot")
	if err != nil {
		t.Fatal(err)
	}
	for seconds, want := range map[float64]int{10: 7000, 30: 15000} { // the middle of the longer one has enough
		if poster, err := r.Poster(t.Context(), template, "fades", seconds); err != nil || len(poster) != want {
			t.Errorf("%g seconds: %d bytes, %v", seconds, len(poster), err)
		}
	}
	if poster, err := r.Poster(t.Context(), template, "refused", 1); err == nil {
		t.Errorf("what cannot be drawn: %d bytes", len(poster))
	}
}

func TestTwoPeopleAtOnce(t *testing.T) {
	t.Parallel()
	r := open(t, preview.Bounds{})
	var all sync.WaitGroup
	for _, who := range []string{"ann", "bob"} {
		all.Go(func() {
			for frame := range 20 {
				p, err := r.Draw(t.Context(), person(who), "one", preview.Shot{Frame: frame})
				if err != nil || p.Frame != frame {
					t.Errorf("%s: frame %d is %+v, %v", who, frame, p, err)
				}
			}
		})
	}
	all.Wait()
}

func TestWhoLeavesIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	r := open(t, preview.Bounds{})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := r.Draw(ctx, person("ann"), "one", preview.Shot{Composition: "waits"})
		left <- err
	}()
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := r.Draw(t.Context(), person("bob"), "one", preview.Shot{}); err != nil {
		t.Errorf("the next one: %v", err)
	}
}

func TestFilesThatTheTeamKeepsAreShown(t *testing.T) {
	t.Parallel()
	r := open(t, preview.Bounds{})
	// The store has one file, the template's own.
	sum := sha256.Sum256([]byte("one"))
	kept := farm.KeptScheme + hex.EncodeToString(sum[:])
	shot := preview.Shot{Composition: "files", Assets: []farm.Asset{
		{Type: "image", Src: kept}, {Type: "image", Src: kept}, {Type: "image", Src: farm.KeptScheme + strings.Repeat("f", 64)},
		{Type: "image", Src: farm.KeptScheme + strings.Repeat("0", 64)}, {Type: "image", Src: "https://files.example/a.png"},
		{Type: "essential", Value: []byte(`"` + farm.KeptScheme + strings.Repeat("a", 64) + `"`)},
	}}
	for range 2 {
		if p, err := r.Draw(t.Context(), person("ann"), "one", shot); err != nil || len(p.Notes) != 1 || p.Notes[0] != kept+" one" {
			t.Errorf("got %q, %v", p.Notes, err)
		}
	}
}

func TestWhoMayNotSubmitGetsNoPreview(t *testing.T) {
	t.Parallel()
	r := open(t, preview.Bounds{})
	viewer := person("vic")
	viewer.Role = farm.RoleViewer
	if _, err := r.Draw(t.Context(), viewer, "one", preview.Shot{}); farm.CodeOf(err) != farm.CodeForbidden {
		t.Errorf("got %v", err)
	}
	if _, err := r.Draw(t.Context(), person("ann"), "unread", preview.Shot{}); farm.CodeOf(err) != farm.CodeConflict {
		t.Errorf("of a template without a file: %v", err)
	}
}

func TestReelsHaveFramesFromBeginningToEnd(t *testing.T) {
	t.Parallel()
	r, farm := openFarm(t, preview.Bounds{})
	template, err := farm.Template(t.Context(), person("ann"), "spot")
	if err != nil {
		t.Fatal(err)
	}
	scenes := []preview.Scene{{Composition: "painted", Seconds: 6, Width: 320}, {Composition: "refused", Seconds: 1, Width: 320}, {Composition: "painted", Seconds: 6, Width: 160}}
	var widths []int
	err = r.Reels(t.Context(), template, scenes, func(n int, strip []byte, failed error) error {
		if n == 1 {
			if failed == nil || len(strip) > 0 {
				t.Errorf("what cannot be drawn: %d bytes, %v", len(strip), failed)
			}
			return nil
		}
		if failed != nil {
			return failed
		}
		picture, err := jpeg.Decode(bytes.NewReader(strip))
		if err != nil {
			return err
		}
		widths = append(widths, picture.Bounds().Dx())
		side := picture.Bounds().Dx() / preview.ReelFrames
		var shades []uint32
		for i := range preview.ReelFrames {
			_, green, _, _ := picture.At(i*side+side/2, 10).RGBA()
			shades = append(shades, green>>8)
		}
		// The double paints later frames brighter, and the fourth with most to see.
		if !slices.IsSorted(append(slices.Clone(shades[3:]), shades[:3]...)) {
			t.Errorf("the frames are not in their order: %v", shades)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(widths, []int{320 * preview.ReelFrames, 160 * preview.ReelFrames}) {
		t.Errorf("strips of %v pixels", widths)
	}
}
