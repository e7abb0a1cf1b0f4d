package aerender

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/frames"
)

// worded is a project of 4 s, with sound, whose title shows from 1.2 to 2 s.
func worded(t testing.TB) string {
	p := sample()
	c := p.Items[0].Comp
	c.Duration, c.WorkAreaDuration = 4, 4
	for _, l := range c.Layers {
		l.Out = 4
	}
	c.Layers[0].In, c.Layers[0].Out = 1.2, 2
	return lay(t, p)
}

// wording renders the project with a word for its title, and gives the film and how many of its frames were reused.
func wording(t testing.TB, project, word string, more ...string) (film string, reused int) {
	t.Helper()
	script := filepath.Join(filepath.Dir(project), "word.jsx")
	put(t, script, fmt.Sprintf(`app.project.item(1).layer(1).property("ADBE Text Properties").property("ADBE Text Document").setValue(%q);`, word))
	film = filepath.Join(t.TempDir(), "out.mp4")
	code, out := start(t, t.Context(), append([]string{"-project", project, "-comp", "main", "-r", script, "-output", film}, more...)...)
	if code != 0 {
		t.Fatal(out)
	}
	if m := regexp.MustCompile(`Frames reused: (\d+)`).FindStringSubmatch(out); m != nil {
		reused, _ = strconv.Atoi(m[1])
	}
	told := 0
	for _, m := range regexp.MustCompile(` \((\d+)\): `).FindAllStringSubmatch(out, -1) {
		if told++; m[1] == "1" {
			told = 1 // it began anew
		}
		if m[1] != strconv.Itoa(told) {
			t.Fatalf("frame %d was told of as %s", told, m[1])
		}
	}
	return film, reused
}

func contents(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFilmsShareEncodedStretches renders films that differ in a word: what lies before and after it is encoded twice and no more, and each film is
// the one that it would be if nothing was shared.
func TestFilmsShareEncodedStretches(t *testing.T) {
	project, dir := worded(t), filepath.Join(t.TempDir(), "frames")
	share := func(on bool) {
		value := ""
		if on {
			value = dir
		}
		t.Setenv("OVERCRANK_FRAMES", value)
		t.Setenv("OVERCRANK_FRAMES_ROOM", "100000000")
	}
	words := []string{"One", "Two", "Three"}
	var alone [][]byte
	share(false)
	for _, w := range words {
		film, reused := wording(t, project, w)
		if reused != 0 {
			t.Errorf("%d frames were reused although none are shared", reused)
		}
		alone = append(alone, contents(t, film))
	}
	share(true)
	thumbs := t.TempDir()
	t.Setenv("OVERCRANK_THUMBS", thumbs)
	for i, w := range words {
		film, reused := wording(t, project, w)
		if want := map[int]int{2: 4*rate - 20}[i]; reused != want {
			t.Errorf("film %d reused %d frames, want %d", i+1, reused, want)
		}
		if !bytes.Equal(contents(t, film), alone[i]) {
			t.Errorf("film %d is another one than without sharing:\n%s\nwithout:\n%s", i+1, decoded(t, film), "")
		}
		pictures, err := filepath.Glob(filepath.Join(thumbs, "*.jpg"))
		if err != nil || len(pictures) != 20 {
			t.Errorf("film %d has %d thumbnails, %v", i+1, len(pictures), err)
		}
		for _, p := range pictures {
			if err := os.Remove(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(project), ".stretches*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	// Nothing but kept stretches: the frames themselves are gone.
	for _, f := range shelved(t, dir) {
		if info, err := os.Stat(f); err != nil || info.Size() > 0 && !bytes.Contains(contents(t, f), []byte("avcC")) {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	if film, reused := wording(t, project, "Three"); reused != 4*rate-20 || !bytes.Equal(contents(t, film), alone[2]) {
		t.Errorf("of stretches alone %d frames were reused", reused)
	}
}

// shelved are the files of a folder of shared frames.
func shelved(t testing.TB, dir string) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(f string) bool { return len(filepath.Base(f)) != 64 })
}

// TestAFilmOfStretchesHasTheTimesOfAWholeOne compares frames and sound, by their times, with those of a film that was encoded at once.
func TestAFilmOfStretchesHasTheTimesOfAWholeOne(t *testing.T) {
	for _, c := range []struct{ ticks, each uint32 }{{25 * 1024, 1024}, {24000, 1001}, {60000, 1001}} {
		p := sample()
		comp := p.Items[0].Comp
		comp.FrameRate, comp.TicksPerSecond, comp.FrameTicks = float64(c.ticks)/float64(c.each), c.ticks, c.each
		comp.Duration, comp.WorkAreaDuration = 4, 4
		for _, l := range comp.Layers {
			l.Out = 4
		}
		comp.Layers[0].In, comp.Layers[0].Out = 1.2, 2
		project := lay(t, p)
		whole := filepath.Join(t.TempDir(), "whole.mp4")
		runs(t, "-project", project, "-comp", "main", "-output", whole)
		film, _ := wording(t, project, "Hello you")
		times := func(film string) (out []string) {
			for line := range strings.Lines(decoded(t, film)) {
				if fields := strings.Split(strings.TrimSpace(line), ","); len(fields) == 6 && !strings.HasPrefix(line, "#") {
					if strings.TrimSpace(fields[0]) == "0" {
						fields[5] = "" // encoded anew, pictures are not the same to the last bit
					}
					out = append(out, strings.Join(fields, ","))
				} else {
					out = append(out, line)
				}
			}
			return out
		}
		want, got := times(whole), times(film)
		if !slices.Equal(want, got) || len(want) < 4*24 {
			t.Errorf("%d/%d frames/s: the film of stretches has the times\n%s\nwant\n%s", c.ticks, c.each, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if !bytes.Contains(contents(t, film), []byte("avcC")) || strings.Join(got, "") == "" {
			t.Error("it is no film")
		}
	}
}

// TestAFilmOfStretchesIsTheSameFromSeveralMachines puts the parts of such a film together.
func TestAFilmOfStretchesIsTheSameFromSeveralMachines(t *testing.T) {
	project, dir := worded(t), t.TempDir()
	whole, _ := wording(t, project, "Hullo")
	script := filepath.Join(filepath.Dir(project), "word.jsx")
	part := func(name string, more ...string) string {
		path := filepath.Join(dir, name)
		runs(t, append([]string{"-project", project, "-comp", "main", "-r", script, "-OMtemplate", "video_h264_vbr_15mbps", "-output", path}, more...)...)
		return path
	}
	all, err := os.Create(filepath.Join(dir, "all.frames"))
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	var w *frames.Writer
	for i, path := range []string{part("1.frames", "-s", "0", "-e", "40"), part("2.frames", "-s", "41", "-e", "99")} {
		eachFrame(t, path, func(head frames.Head, number int, pix []byte) {
			if !slices.Equal(head.CutList(), []int{30, 50}) {
				t.Fatalf("part %d has the cuts %q", i+1, head.Cuts)
			}
			if w == nil {
				if w, err = frames.NewWriter(all, head); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Write(number, pix); err != nil {
				t.Fatal(err)
			}
		})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(dir, "again.mp4")
	runs(t, "-assemble", all.Name(), "-audio", part("sound.wav"), "-output", again, "-s", "0", "-e", "99")
	if !bytes.Equal(contents(t, whole), contents(t, again)) {
		t.Errorf("put together:\n%s\nof one machine:\n%s", decoded(t, again), decoded(t, whole))
	}
}

// TestAStretchOfAnotherEncoderIsNotUsed damages what is kept so that it seems to be of another build of the encoder.
func TestAStretchOfAnotherEncoderIsNotUsed(t *testing.T) {
	project, dir := worded(t), filepath.Join(t.TempDir(), "frames")
	t.Setenv("OVERCRANK_FRAMES", dir)
	t.Setenv("OVERCRANK_FRAMES_ROOM", "100000000")
	wording(t, project, "One")
	wording(t, project, "Two")
	want, _ := wording(t, project, "Three")
	altered := 0
	for _, f := range shelved(t, dir) {
		altered += otherEncoder(t, f)
	}
	if altered != 2 {
		t.Fatalf("%d stretches are kept, want 2", altered)
	}
	if film, _ := wording(t, project, "Three"); !bytes.Equal(contents(t, film), contents(t, want)) {
		t.Error("it is another film")
	}
	if film, reused := wording(t, project, "Three"); reused < 4*rate-20 || !bytes.Equal(contents(t, film), contents(t, want)) {
		t.Errorf("after it was encoded again, %d frames are reused", reused)
	}
}

func TestCutsLieAroundWhatChanges(t *testing.T) {
	for _, c := range []struct {
		times []extent
		want  []int
	}{
		{nil, nil},
		{[]extent{always}, nil},
		{[]extent{{0, 10}}, nil},
		{[]extent{{1.5, 3.5}}, []int{38, 88}},
		{[]extent{{1.5, 2}, {1.8, 3.5}, {3.2, 3.4}}, []int{38, 88}},
		{[]extent{{0.4, 2}}, []int{50}},
		{[]extent{{2, 9.5}}, []int{50}},
		{[]extent{{2, 3}, {3.5, 5}, {6, 20}}, []int{50, 125, 150}},
		{[]extent{{1, 2}, {3.2, 4}, {5, 6}, {7.5, 8}, {9.1, 9.2}}, []int{25, 50, 80, 150, 188, 200, 228}}, // without one of the shortest
	} {
		if got := cutsFor(c.times, 250, 25); !slices.Equal(got, c.want) {
			t.Errorf("around %v: %v, want %v", c.times, got, c.want)
		}
	}
}

func TestChangesAreFoundThroughCompositions(t *testing.T) {
	build := func() *aep.Project {
		p := sample()
		outer := &aep.Composition{Width: width, Height: height, PixelAspect: 1, FrameRate: rate, Duration: 10}
		shows := layer(1, "inner", idMain)
		shows.Start, shows.In, shows.Out, shows.Stretch = 3, 3.5, 9, 200
		outer.Layers = []*aep.Layer{shows}
		p.Items = append(p.Items, &aep.Item{ID: 99, Name: "outer", Kind: aep.ItemComposition, Comp: outer})
		return p
	}
	find := func(change func(p *aep.Project)) []extent {
		p := build()
		before := markProject(p)
		change(p)
		return changesSince(before, p).times[99]
	}
	for name, c := range map[string]struct {
		change func(p *aep.Project)
		want   []extent
	}{
		"nothing":              {func(*aep.Project) {}, nil},
		"a name and no more":   {func(p *aep.Project) { p.Items[0].Name = "renamed" }, nil},
		"a layer":              {func(p *aep.Project) { l := p.Items[0].Comp.Layers[1]; l.In, l.Out = 1, 2; l.Name = "" }, []extent{{5, 7}, {3.5, 7}}},
		"a layer, taken away":  {func(p *aep.Project) { c := p.Items[0].Comp; c.Layers = c.Layers[1:] }, []extent{{3.5, 7}}},
		"one that is not seen": {func(p *aep.Project) { p.Items[0].Comp.Layers[1].Enabled = false; p.Items[0].Comp.Layers[1].Null = true }, nil},
		"a source":             {func(p *aep.Project) { p.Items[4].Footage.Width++ }, []extent{{3.5, 7}}},
		"a composition":        {func(p *aep.Project) { p.Items[0].Comp.FrameRate++ }, []extent{{3.5, 9}}},
	} {
		if got := find(c.change); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestLayersThatVaryAreThoseThatChangedAndThoseThatAskForLayers(t *testing.T) {
	name := func(p *aep.Project) { p.Items[0].Comp.Layers[0].Name = "other" }
	for _, c := range []struct {
		bar    string // the expression of the second layer
		change func(p *aep.Project)
		want   []uint32
	}{
		{"value", func(*aep.Project) {}, nil},
		{`thisComp.layer("title").position`, func(*aep.Project) {}, nil},
		{"value", name, []uint32{1}},
		{`thisComp.layer("title").position`, name, []uint32{1, 2}},
		{"value", func(p *aep.Project) { p.Items[4].Footage.Width++ }, []uint32{4}},
	} {
		p := sample()
		p.Items[0].Comp.Layers[1].Props.Children[0].Children[0].Expression = c.bar
		outer := layer(7, "outer", idMain)
		p.Items = append(p.Items, &aep.Item{ID: 99, Kind: aep.ItemComposition, Comp: &aep.Composition{FrameRate: rate, Duration: 10, Layers: []*aep.Layer{outer}}})
		before := markProject(p)
		c.change(p)
		changed := changesSince(before, p)
		if got := slices.Sorted(maps.Keys(changed.varying(p.Items[0]))); !slices.Equal(got, c.want) {
			t.Errorf("with the expression %q %v vary, want %v", c.bar, got, c.want)
		}
		if got := changed.varying(p.Items[len(p.Items)-1]); got[outer.ID] != (len(c.want) > 0) {
			t.Errorf("with the expression %q the layer that shows the composition varies: %v", c.bar, got)
		}
	}
}

// otherEncoder alters the headers of a kept stretch and its checksum. It gives 1 for a stretch and 0 for a frame.
func otherEncoder(t testing.TB, path string) int {
	t.Helper()
	b := contents(t, path)
	at := bytes.Index(b, []byte("avcC"))
	if at < 0 {
		return 0
	}
	b[at+6] ^= 0x40 // which features of the profile are used
	address, err := hex.DecodeString(filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(append(address, b[sha256.Size:]...))
	copy(b, sum[:])
	put(t, path, string(b))
	return 1
}
