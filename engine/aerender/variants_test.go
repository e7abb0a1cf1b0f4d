//go:build unix

package aerender

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/ffmpeg/encoding"
)

// card is a card of 6 s at 1280 x 720: a picture that is zoomed into, two of it that turn before it, three discs and a spot that drift, and two words
// from 1.5 to 3.5 s.
func card(b *testing.B) string {
	const width, height, length = 1280, 720, 6.0
	moving := func(match string, from, to aep.Numbers) *aep.Property {
		p := still(match, from...)
		p.Keys = []aep.Keyframe{{Value: from, In: aep.Linear, Out: aep.Linear}, {Time: length, Value: to, In: aep.Linear, Out: aep.Linear}}
		return p
	}
	drawn := func(id uint32, size float64, color []float64, from, to aep.Numbers) *aep.Layer {
		l := layer(id, fmt.Sprint("disc ", id), 0,
			group("ADBE Root Vectors Group",
				group("ADBE Vector Shape - Ellipse", still("ADBE Vector Ellipse Size", size, size)),
				group("ADBE Vector Graphic - Fill", still("ADBE Vector Fill Color", color...))),
			group("ADBE Transform Group", moving("ADBE Position", from, to), still("ADBE Opacity", 60)))
		l.Kind = aep.LayerShape
		return l
	}
	word := func(id uint32, text string, y float64) *aep.Layer {
		style := aep.CharacterStyle{Size: 90, HScale: 100, VScale: 100, AutoLeading: true, ApplyFill: true, Fill: [4]float64{1, 1, 1, 1}}
		doc := &aep.TextDocument{Text: text, Runs: []aep.TextRun{{Length: len(text) + 1, Style: style}},
			Paragraphs: []aep.ParagraphRun{{Length: len(text) + 1, Style: aep.ParagraphStyle{AutoLeadingFactor: 1.2}}}}
		l := layer(id, "word", 0, group("ADBE Text Properties", &aep.Property{Match: "ADBE Text Document", Enabled: true, Value: doc}),
			group("ADBE Transform Group", moving("ADBE Position", aep.Numbers{200, y, 0}, aep.Numbers{320, y, 0})))
		l.Kind, l.In, l.Out = aep.LayerText, 1.5, 3.5
		return l
	}
	layers := []*aep.Layer{
		word(1, "Summer", 320), word(2, "Festival", 430),
		drawn(3, 300, []float64{1, 0.6, 0.1, 1}, aep.Numbers{200, 200, 0}, aep.Numbers{900, 300, 0}),
		drawn(4, 400, []float64{0.1, 0.7, 1, 1}, aep.Numbers{1100, 500, 0}, aep.Numbers{500, 400, 0}),
		drawn(5, 260, []float64{0.8, 0.2, 0.9, 1}, aep.Numbers{600, 700, 0}, aep.Numbers{700, 100, 0}),
		drawn(6, 60, []float64{1, 1, 1, 1}, aep.Numbers{0, 650, 0}, aep.Numbers{1280, 650, 0}),
		layer(8, "turning", idPicture, group("ADBE Transform Group", moving("ADBE Rotate Z", aep.Numbers{-8}, aep.Numbers{4}), still("ADBE Opacity", 70),
			still("ADBE Scale", 45, 45, 100), still("ADBE Position", 400, 330, 0), still("ADBE Anchor Point", 960, 540, 0))),
		layer(9, "turning", idPicture, group("ADBE Transform Group", moving("ADBE Rotate Z", aep.Numbers{8}, aep.Numbers{-4}), still("ADBE Opacity", 70),
			still("ADBE Scale", 45, 45, 100), still("ADBE Position", 850, 400, 0), still("ADBE Anchor Point", 960, 540, 0))),
		layer(7, "picture", idPicture, group("ADBE Transform Group", moving("ADBE Scale", aep.Numbers{70, 70, 100}, aep.Numbers{85, 85, 100}),
			still("ADBE Position", width/2, height/2, 0), still("ADBE Anchor Point", 960, 540, 0))),
	}
	for _, l := range layers[2:] {
		l.Out = length
	}
	p := &aep.Project{Version: aep.Version{Major: 24, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8, Items: []*aep.Item{
		{ID: idMain, Name: "main", Kind: aep.ItemComposition, Comp: &aep.Composition{
			Width: width, Height: height, PixelAspect: 1, FrameRate: rate, FrameTicks: 1024, TicksPerSecond: 1024 * rate,
			Duration: length, WorkAreaDuration: length, Layers: layers,
		}},
		file(idPicture, "picture.png", aep.Footage{Width: 1920, Height: 1080, HasVideo: true, Still: true, Format: "png!"}),
	}}
	project := lay(b, p)
	img := image.NewRGBA(image.Rect(0, 0, 1920, 1080))
	for y := range 1080 {
		for x := range 1920 {
			img.SetRGBA(x, y, color.RGBA{uint8(x / 12), uint8((x ^ y) / 16), uint8(y / 8), 255})
		}
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, img); err != nil {
		b.Fatal(err)
	}
	put(b, filepath.Join(filepath.Dir(project), "(Footage)", "picture.png"), picture.String())
	return project
}

// words is the script of a job that puts two words into the card.
const words = `
var comp = app.project.item(1);
comp.layer(1).property("ADBE Text Properties").property("ADBE Text Document").setValue("%s");
comp.layer(2).property("ADBE Text Properties").property("ADBE Text Document").setValue("%s");
`

// BenchmarkVariants renders cards that differ in two words into H.264 films, as jobs that follow each other on a machine do: by themselves, and
// sharing their frames. One operation is one card. The first two of those that share draw all their frames and are not counted: of 30 cards they
// are a fifteenth.
func BenchmarkVariants(b *testing.B) {
	for name, shares := range map[string]string{"alone": "", "sharing": "frames"} {
		b.Run(name, func(b *testing.B) {
			project := card(b)
			script, film := filepath.Join(filepath.Dir(project), "words.jsx"), filepath.Join(b.TempDir(), "o.mp4")
			render := func(i int) {
				put(b, script, fmt.Sprintf(words, fmt.Sprint("Summer ", i), fmt.Sprint("Festival ", i)))
				if code, out := start(b, b.Context(), "-project", project, "-comp", "main", "-r", script, "-output", film); code != 0 {
					b.Fatal(out)
				}
			}
			if shares != "" {
				b.Setenv("OVERCRANK_FRAMES", filepath.Join(b.TempDir(), shares))
				b.Setenv("OVERCRANK_FRAMES_ROOM", "1000000000")
				render(-1)
				render(-2)
			}
			asOnAFarm(b)
			b.ResetTimer()
			own, encoder := processors(b, syscall.RUSAGE_SELF), processors(b, syscall.RUSAGE_CHILDREN)
			for i := range b.N {
				render(i)
			}
			b.ReportMetric((processors(b, syscall.RUSAGE_SELF)-own).Seconds()/float64(b.N), "engine-cpu-s/op")
			b.ReportMetric((processors(b, syscall.RUSAGE_CHILDREN)-encoder).Seconds()/float64(b.N), "ffmpeg-cpu-s/op")
		})
	}
}

// asOnAFarm tells the engine what an agent tells it, so that it does not ask ffmpeg for its encoders.
func asOnAFarm(b *testing.B) {
	have, err := encoding.Available(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv(encoding.Variable, strings.Join(have, ","))
}

// processors is how long processors have worked for this program, or for those that it has waited for.
func processors(b *testing.B, who int) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
