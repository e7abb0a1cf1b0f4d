package aerender

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"overcrank/aep"
	"overcrank/engine/enginetest"
	"overcrank/faults/leaktest"
	"overcrank/ffmpeg"
)

func TestMain(m *testing.M) {
	enginetest.TellEncoders()
	leaktest.Main(m)
}

// Items of the project that the tests render.
const (
	idMain = iota + 1
	idBack
	idBar
	idPicture
	idFilm
	idSound
)

const (
	width, height = 160, 90
	rate          = 25
	seconds       = 2.0
)

func group(match string, children ...*aep.Property) *aep.Property {
	return &aep.Property{Match: match, Group: true, Enabled: true, Children: children}
}

func still(match string, v ...float64) *aep.Property {
	return &aep.Property{Match: match, Enabled: true, Value: aep.Numbers(v), Dimensions: len(v),
		Spatial: match == "ADBE Position" || match == "ADBE Anchor Point"}
}

func layer(id uint32, name string, source uint32, groups ...*aep.Property) *aep.Layer {
	return &aep.Layer{
		ID: id, Name: name, Kind: aep.LayerAV, Source: source, Out: seconds, Stretch: 100, Blend: aep.BlendNormal,
		Enabled: true, AudioEnabled: true, EffectsEnabled: true, Quality: 2,
		Props: &aep.Property{Group: true, Enabled: true, Children: groups},
	}
}

func solid(id uint32, name string, w, h int, r, g, b float64) *aep.Item {
	return &aep.Item{ID: id, Name: name, Kind: aep.ItemFootage, Footage: &aep.Footage{
		Kind: aep.FootageSolid, Width: w, Height: h, PixelAspect: 1, Color: [3]float64{r, g, b}, HasVideo: true, Still: true}}
}

func file(id uint32, name string, f aep.Footage) *aep.Item {
	f.Kind, f.PixelAspect = aep.FootageFile, 1
	f.File = aep.FileReference{FullPath: `C:\work\(Footage)\` + name, Platform: "windows", AscendBase: 1, AscendTarget: 2}
	return &aep.Item{ID: id, Name: name, Kind: aep.ItemFootage, Footage: &f}
}

// sample is a composition of a solid, a bar that an expression moves, a picture, a film, text and sound.
func sample() *aep.Project {
	p := &aep.Project{Version: aep.Version{Major: 24, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8}
	move := still("ADBE Position", 5, 45, 0)
	move.Expression, move.ExpressionOn = "[5 + 70*time, 45]", true
	words := "Hello"
	st := aep.CharacterStyle{Font: "AvenirNext-Bold", Size: 20, HScale: 100, VScale: 100, AutoLeading: true, ApplyFill: true, Fill: [4]float64{1, 1, 1, 1}}
	doc := &aep.TextDocument{Text: words, Runs: []aep.TextRun{{Length: len(words) + 1, Style: st}},
		Paragraphs: []aep.ParagraphRun{{Length: len(words) + 1, Style: aep.ParagraphStyle{AutoLeadingFactor: 1.2}}}}
	title := layer(1, "title", 0, group("ADBE Text Properties", &aep.Property{Match: "ADBE Text Document", Enabled: true, Value: doc}),
		group("ADBE Transform Group", still("ADBE Position", 10, 30, 0)))
	title.Kind = aep.LayerText
	comp := &aep.Composition{
		Width: width, Height: height, PixelAspect: 1, FrameRate: rate, FrameTicks: 1024, TicksPerSecond: 1024 * rate,
		Duration: seconds, WorkAreaDuration: seconds, Background: [3]float64{0, 0, 1}, ShutterAngle: 180,
		Layers: []*aep.Layer{
			title,
			layer(2, "bar", idBar, group("ADBE Transform Group", move)),
			layer(3, "picture", idPicture, group("ADBE Transform Group", still("ADBE Position", 140, 20, 0))),
			layer(4, "film", idFilm, group("ADBE Transform Group", still("ADBE Position", 140, 70, 0))),
			layer(5, "sound", idSound),
			layer(6, "back", idBack, group("ADBE Transform Group", still("ADBE Opacity", 50))),
		},
	}
	p.Items = []*aep.Item{
		{ID: idMain, Name: "main", Kind: aep.ItemComposition, Comp: comp},
		solid(idBack, "back", width, height, 1, 0, 0),
		solid(idBar, "bar", 10, 40, 0, 1, 0),
		file(idPicture, "picture.png", aep.Footage{Width: 20, Height: 20, HasVideo: true, Still: true, Format: "png!"}),
		file(idFilm, "film.mp4", aep.Footage{Width: 32, Height: 32, Duration: 2, FrameRate: 25, HasVideo: true, Format: "MPEG"}),
		file(idSound, "sound.wav", aep.Footage{Duration: 2, HasAudio: true, Format: "WAVE"}),
	}
	return p
}

// recorded are the film and the sound of the sample, by name. ffmpeg makes them once for all tests.
var recorded = sync.OnceValues(func() (files map[string]string, err error) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	film, sound := filepath.Join(dir, "film.mp4"), filepath.Join(dir, "sound.wav")
	if _, err := ffmpeg.Run(context.Background(), "ffmpeg", "-f", "lavfi", "-i", "testsrc2=s=32x32:r=25:d=2", "-f", "lavfi", "-i", "sine=d=2:r=48000",
		"-map", "0", "-c:v", "libx264", "-pix_fmt", "yuv420p", film, "-map", "1", sound); err != nil {
		return nil, err
	}
	files = map[string]string{}
	for _, path := range []string{film, sound} {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files[filepath.Base(path)] = string(content)
	}
	return files, nil
})

// lay writes a project with its footage into a folder of its own and gives the path of the project.
func lay(t testing.TB, p *aep.Project) string {
	t.Helper()
	dir := t.TempDir()
	footage := filepath.Join(dir, "(Footage)")
	if err := os.Mkdir(footage, 0o700); err != nil {
		t.Fatal(err)
	}
	img := image.NewRGBA(image.Rect(0, 0, 20, 20))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, img); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(footage, "picture.png"), picture.String())
	files, err := recorded()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		put(t, filepath.Join(footage, name), content)
	}
	var b bytes.Buffer
	if err := aep.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "sample.aep")
	put(t, path, b.String())
	return path
}

func put(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// start runs aerender with arguments and gives its exit code and what it printed.
func start(t testing.TB, ctx context.Context, args ...string) (int, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(ctx, "test", args, nil, &out, &errs)
	return code, out.String()
}

type probed struct {
	Codec         string `json:"codec_name"`
	Kind          string `json:"codec_type"`
	Width, Height int
	Rate          string `json:"r_frame_rate"`
	Frames        string `json:"nb_read_frames"`
	Duration      string `json:"duration"`
}

func look(t testing.TB, path string) []probed {
	t.Helper()
	raw, err := ffmpeg.Run(t.Context(), "ffprobe", "-of", "json", "-count_frames", "-show_streams", path)
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ Streams []probed }
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	return p.Streams
}

func colorAt(t testing.TB, path string, x, y int) color.NRGBA {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
}

func has(t testing.TB, out string, lines ...string) {
	t.Helper()
	for _, want := range lines {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in the output:\n%s", want, out[:min(len(out), 4000)])
		}
	}
}
