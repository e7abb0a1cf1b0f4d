package footage

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// started is how often ffmpeg was started for a film.
func started(s *Source) int64 { return s.reader.(*film).starts.Load() }

func numberedFilm(t *testing.T) string {
	return makeFilm(t, "n.mov", "-c:v", "libx264rgb", "-qp", "0", "-g", "12")
}

func wants(t *testing.T, s *Source, frame int) {
	t.Helper()
	img, err := s.Frame(t.Context(), float64(frame)/25)
	if err != nil {
		t.Fatal(err)
	}
	if got := number(img); got != frame {
		t.Fatalf("frame %d instead of %d", got, frame)
	}
}

func TestTwoPlacesOfAFilmAreReadSideBySide(t *testing.T) {
	s := open(t, numberedFilm(t), Interpretation{})
	for n := range 40 {
		wants(t, s, n)
		wants(t, s, n+55)
	}
	if n := started(s); n > 3 {
		t.Errorf("ffmpeg was started %d times", n)
	}
}

// TestManyPlacesOfAFilmAreReadSideBySide plays layers of one film that are further apart than frames are skipped.
func TestManyPlacesOfAFilmAreReadSideBySide(t *testing.T) {
	const layers, apart = 6, skipAtMost + 20
	path := makeFilm(t, "long.mov", "-vf", "loop=loop=6:size=100", "-c:v", "libx264rgb", "-qp", "0", "-g", "12") // 700 frames, the same every hundred
	play := func(s *Source, frames int) {
		for n := range frames {
			for layer := range layers {
				at := layer*apart + n
				img, err := s.Frame(t.Context(), float64(at)/25)
				if err != nil {
					t.Fatal(err)
				}
				if got := number(img); got != at%100 {
					t.Fatalf("frame %d instead of %d", got, at%100)
				}
			}
		}
	}
	s := open(t, path, Interpretation{})
	play(s, 40)
	if n := started(s); n > layers+4 { // four places are read at first, and each further one is learnt by a start
		t.Errorf("ffmpeg was started %d times", n)
	}
	// Who jumps to and fro without playing on needs no more of them.
	jumping := open(t, path, Interpretation{})
	for n := range 12 {
		if _, err := jumping.Frame(t.Context(), float64((n*5%7)*100)/25); err != nil {
			t.Fatal(err)
		}
	}
	if n := jumping.reader.(*film).running.Load(); n > fewPlaces {
		t.Errorf("%d decoders wait where somebody was for a moment", n)
	}
	small, err := NewLibrary(5*decoderFrames*4*64*48).OpenAs(t.Context(), path, Interpretation{})
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	play(small, 3)
	if n := small.reader.(*film).running.Load(); n > 5 {
		t.Errorf("%d decoders run where five are within the budget", n)
	}
}

func TestAFilmIsReadBackwardsInStretches(t *testing.T) {
	s := open(t, numberedFilm(t), Interpretation{})
	for n := 99; n >= 0; n-- {
		wants(t, s, n)
	}
	if n := started(s); n > 100/windowMost+3 {
		t.Errorf("ffmpeg was started %d times", n)
	}
}

func TestALibraryKeepsNoMoreThanItsBudget(t *testing.T) {
	const edge, budget = 512, 3 << 20 // a picture is one MiB
	l := NewLibrary(budget)
	var all []*Source
	for i := range 8 {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".png"))
		img := image.NewPaletted(image.Rect(0, 0, edge, edge), color.Palette{color.NRGBA{uint8(20 * i), 0, 0, 255}})
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		s, err := l.OpenAs(t.Context(), path, Interpretation{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		all = append(all, s)
	}
	for range 2 {
		for i, s := range all {
			for halvings := range 3 {
				img, err := s.Halved(t.Context(), 0, halvings, 0)
				if err != nil || img.Rect.Dx() != edge>>halvings || img.RGBAAt(5, 5).R != uint8(20*i) {
					t.Fatalf("picture %d, halved %d times: %v, %v", i, halvings, img.RGBAAt(5, 5), err)
				}
			}
			if held, _ := l.Holds(); held > budget || held == 0 {
				t.Fatalf("%d bytes are kept", held)
			}
		}
	}
	for _, s := range all {
		s.Rest()
	}
	if held, _ := l.Holds(); held != 0 {
		t.Errorf("%d bytes are kept of files that rest", held)
	}
}

func TestWhatIsLentIsNoRoomForPicturesOfFiles(t *testing.T) {
	const picture = 1 << 20
	l := NewLibrary(6 * picture)
	for n := range 6 {
		l.put(pictureOf(n), image.NewRGBA(image.Rect(0, 0, 512, 512)))
	}
	if held, _ := l.Holds(); held != 6*picture {
		t.Fatalf("%d bytes are kept", held)
	}
	if l.Lend(5 * picture) {
		t.Error("more than two thirds of the budget was lent")
	}
	if !l.Lend(3*picture) || !l.Lend(picture) {
		t.Error("two thirds of the budget were not lent")
	}
	if held, _ := l.Holds(); held != 2*picture {
		t.Errorf("%d bytes are kept beside what is lent", held)
	}
	if l.get(pictureOf(5)) == nil || l.get(pictureOf(0)) != nil {
		t.Error("not the least recently used pictures were dropped")
	}
	l.Return(4 * picture)
	l.put(pictureOf(0), image.NewRGBA(image.Rect(0, 0, 512, 512)))
	if held, _ := l.Holds(); held != 3*picture {
		t.Errorf("%d bytes are kept after what was lent came back", held)
	}
}

// pictureOf identifies frame n of no file.
func pictureOf(n int) picture { return picture{n: n} }

func TestManyFilmsAreReadByFewDecoders(t *testing.T) {
	l, path := NewLibrary(DefaultBudget), numberedFilm(t)
	var all []*Source
	for range maxDecoders + 3 {
		s, err := l.OpenAs(t.Context(), path, Interpretation{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		all = append(all, s)
	}
	for n := range 2 {
		for _, s := range all {
			wants(t, s, n)
		}
		if _, decoders := l.Holds(); decoders == 0 || decoders > maxDecoders {
			t.Fatalf("%d decoders", decoders)
		}
	}
	for _, s := range all {
		s.Rest()
	}
	if held, decoders := l.Holds(); held != 0 || decoders != 0 {
		t.Errorf("files that rest keep %d bytes and %d decoders", held, decoders)
	}
	wants(t, all[0], 7)
}

// TestFilmsAreKeptAsLargeAsTheyAreSeen reads films with and without a colour for four pixels.
func TestFilmsAreKeptAsLargeAsTheyAreSeen(t *testing.T) {
	const whole = 4 * 64 * 48
	for name, args := range map[string][]string{"i420": {"-c:v", "libx264", "-pix_fmt", "yuv420p"}, "rgb": {"-c:v", "libx264rgb", "-qp", "0"}} {
		path := makeFilm(t, name+".mov", args...)
		l := NewLibrary(DefaultBudget)
		s, err := l.OpenAs(t.Context(), path, Interpretation{})
		if err != nil {
			t.Fatal(err)
		}
		full := open(t, path, Interpretation{})
		seen := func(n, halvings int) {
			t.Helper()
			got, err := s.Halved(t.Context(), float64(n)/25, halvings, 0)
			if err != nil {
				t.Fatal(err)
			}
			want, err := full.Frame(t.Context(), float64(n)/25)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Pix, halve(want, halvings).Pix) {
				t.Errorf("%s: frame %d, halved %d times, is another picture", name, n, halvings)
			}
		}
		for n := range 3 {
			seen(n, 2)
		}
		if held, _ := l.Holds(); held != 3*whole/16 {
			t.Errorf("%s: %d bytes are kept of three small frames", name, held)
		}
		for n := 3; n < 5; n++ { // a second layer shows it larger: both have a frame of one decoder
			seen(n, 2)
			seen(n, 0)
		}
		began := started(s)
		for n := 5; n < 20; n++ {
			seen(n, 2)
			seen(n, 0)
			seen(n, 1)
		}
		if again := started(s) - began; again != 0 {
			t.Errorf("%s: ffmpeg was started %d times more for a film in two sizes", name, again)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDecodersTakeTheirShareOfTheBudget has three films of which each decoder takes a third of the budget.
func TestDecodersTakeTheirShareOfTheBudget(t *testing.T) {
	path := makeFilm(t, "n.mov", "-c:v", "libx264rgb", "-qp", "0")
	const decoder = decoderFrames * 4 * 64 * 48
	l := NewLibrary(3 * decoder)
	var films []*Source
	for range 3 {
		s, err := l.OpenAs(t.Context(), path, Interpretation{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		films = append(films, s)
	}
	if !l.Lend(2 * decoder) {
		t.Error("two thirds of the budget were not lent")
	}
	l.Return(2 * decoder)
	wants(t, films[0], 0)
	wants(t, films[1], 0)
	if _, decoders := l.Holds(); decoders != 2 {
		t.Errorf("%d decoders of films that are in use", decoders)
	}
	if l.Lend(decoder) {
		t.Error("what decoders take was lent")
	}
	for range idleAfter {
		wants(t, films[1], 1)
	}
	wants(t, films[2], 0)
	if n := films[0].reader.(*film).running.Load(); n != 0 {
		t.Error("a film that nobody looks at keeps its decoder")
	}
	if n := films[1].reader.(*film).running.Load(); n != 1 {
		t.Error("a film that is in use lost its decoder")
	}
}

// deepPNG is a picture in black with 16 bits for each of four channels, as the encoder of the standard library takes long to make one.
func deepPNG(t *testing.T, width, height uint32) []byte {
	t.Helper()
	file := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, content []byte) {
		file = binary.BigEndian.AppendUint32(file, uint32(len(content)))
		file = append(append(file, kind...), content...)
		file = binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[len(file)-len(content)-len(kind):]))
	}
	chunk("IHDR", append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height), 16, 6, 0, 0, 0))
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	row := make([]byte, 1+8*width)
	for y := uint32(0); y < height && err == nil; y++ {
		_, err = z.Write(row)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	chunk("IDAT", packed.Bytes())
	chunk("IEND", nil)
	return file
}

func TestALargePictureIsVerifiedInLittleMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.png")
	const width, height = 2100, 2000
	whole := deepPNG(t, width, height)
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := Verify(t.Context(), path); err != nil {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > width*height {
		t.Errorf("verifying %d bytes of pixels took %d bytes", 8*width*height, took)
	}
	if err := os.WriteFile(path, whole[:60], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Verify(t.Context(), path); err == nil {
		t.Error("a picture that is cut off is taken for whole")
	}
}

// TestDeepPicturesCountAsWhatTheyTake: what decoding a picture with 16 bits a channel takes decides where it is decoded.
func TestDeepPicturesCountAsWhatTheyTake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep.png")
	if err := os.WriteFile(path, deepPNG(t, 16, 9), 0o600); err != nil {
		t.Fatal(err)
	}
	info, depth, ok, err := probeStill(path)
	if err != nil || !ok || depth != 8 || info.Width != 16 || info.Height != 9 {
		t.Errorf("%+v, %d bytes a pixel, %v, %v", info, depth, ok, err)
	}
	if whole := int64(100_000_000) * int64(depth); whole < foreign {
		t.Errorf("a picture of 100 megapixels, %d bytes, would be decoded in this program", whole)
	}
}
