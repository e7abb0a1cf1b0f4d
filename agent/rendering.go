package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"overcrank/agent/aerender"
	"overcrank/agent/film"
	"overcrank/agent/script"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/farm/codec"
	"overcrank/ffmpeg/encoding"
)

// memoryShare is how much of the machine's memory, in percent, the embedded engine may take on all slots together. The rest
// is the artist's, and that of the programs that encode.
const memoryShare = 80

// embeddedWords are what the embedded engine is called in a sentence.
const embeddedWords = "the embedded engine"

// stillsPrefix begins the names of the stills that an engine writes.
const stillsPrefix = "frame_"

// result is a validated file, ready to be uploaded.
type result struct {
	path string
	info film.Info
	kind string // media type
	// thumbs are small pictures by frame, counted from the result's first; nil when none were made.
	thumbs map[int]string
}

// plan is what the engine is asked to write.
type plan struct {
	codec  string
	ext    string // with which the engine writes, without the dot
	stills bool
	start  *int // as the composition's timecode counts
	end    *int
	frames int   // expected, 0 when not known
	first  int   // that is rendered, counted from the composition's first as 0
	only   []int // frames as the composition's timecode counts, instead of a range
	part   bool  // frames of a split job
	sound  bool  // the sound alone
	audio  bool  // the film has to have sound
	want   film.Want
}

// form is what kind of file the job gives.
func (t *attempt) form() plan {
	s := t.lease.Settings
	p := plan{codec: s.Codec, ext: t.lease.Ext, stills: s.Type == "image" && !t.lease.Preview}
	if p.stills {
		p.codec = cmp.Or(p.codec, codec.DefaultStill)
		if c, known := codec.Find(p.codec); known {
			p.ext = c.Ext
		}
	}
	p.codec = cmp.Or(p.codec, codec.DefaultFilm)
	if p.ext == "" {
		p.ext = "mp4"
	}
	return p
}

// plan reads the job's settings, and what the task makes of the job.
func (t *attempt) plan() plan {
	s, p := t.lease.Settings, t.form()
	p.part, p.sound = t.lease.Part && t.lease.Kind == farm.TaskRender, t.lease.Kind == farm.TaskSound
	comp := t.project.Settings
	length := int(comp.Duration*comp.FrameRate + 0.5)
	p.frames = length
	if comp.WorkAreaDuration > 0 {
		p.frames = int(comp.WorkAreaDuration*comp.FrameRate + 0.5)
		p.first = int(comp.WorkAreaStart*comp.FrameRate + 0.5)
	}
	shown := int(math.Round(comp.DisplayStart * comp.FrameRate)) // the number that the first frame has for an engine
	switch {
	case s.Frames != nil:
		start, end := shown+s.Frames.Start, shown+s.Frames.End
		p.start, p.end, p.first = &start, &end, s.Frames.Start
		p.frames = max(0, min(s.Frames.End, length-1)-s.Frames.Start+1)
	case p.stills:
		p.start, p.end, p.frames, p.first = &shown, &shown, 1, 0
	}
	for _, a := range t.assets {
		if a.Type == "script" || a.Type == "function" && script.FunctionName(a.Name) == "comp-duration-set" {
			p.frames = 0 // the script decides
		}
	}
	if t.lease.Kind == farm.TaskSample {
		p = t.samples(p, shown)
	}
	p.want = film.Want{Frames: p.frames}
	if !t.lease.Preview {
		p.want.Width, p.want.Height, p.want.FrameRate = comp.Width, comp.Height, comp.FrameRate
	}
	return p
}

// samples are single frames, to be looked at before the rest: transparent where the result is.
func (t *attempt) samples(p plan, shown int) plan {
	still := encoding.OpaquePNG
	if c, _ := codec.Find(p.codec); c.Alpha {
		still = codec.DefaultStill
	}
	p.stills, p.codec, p.ext = true, still, "png"
	p.start, p.end, p.frames = nil, nil, len(t.lease.Stills)
	for _, n := range t.lease.Stills {
		p.only = append(p.only, shown+n)
	}
	return p
}

// renderSettings is the template of render settings that fits the job.
func (t *attempt) renderSettings() string {
	quality := t.lease.Settings.Quality
	for _, a := range t.assets {
		if a.Type == "function" {
			quality = cmp.Or(script.PreviewQuality(a.Name, a.Params), quality)
		}
	}
	switch {
	case t.lease.Preview && t.engine.Kind == farm.EngineEmbedded:
		return aerender.PreviewSettings
	case t.lease.Preview || quality == "draft":
		return aerender.DraftSettings
	}
	return aerender.BestSettings
}

// render runs the engine and checks what it wrote.
func (t *attempt) render(ctx context.Context) (result, error) {
	p := t.plan()
	req := aerender.Request{
		Dir: t.dir, Env: t.environment(), Project: t.project.Path, Composition: t.project.Composition,
		RenderSettings: t.renderSettings(), Start: p.start, End: p.end, Stills: p.only, Frames: p.frames,
		Limits: t.a.limits, Wall: t.a.cfg.TaskTime, Lower: t.a.board.lowered(), OnLine: t.hear,
		OnProgress: func(now aerender.Progress) {
			t.watch.rendered(now.Done)
			t.feed.at("rendering", now.Percent/100, now.Frame, now.Total)
		},
	}
	t.feed.at("rendering", 0, p.first, p.frames)
	t.watch.engineStarts()
	if p.part {
		t.kept = &keptFrames{path: filepath.Join(t.dir, "out", partName), first: p.first, some: t.lease.Parted, last: p.first + p.frames - 1}
		if t.lease.Ahead && t.a.watch.SomebodyMayCome(ctx) {
			t.handAhead(ctx)
		}
	}
	if t.engine.Kind == farm.EngineAfterEffects {
		return t.renderAdobe(ctx, req, p)
	}
	req.Program, req.Engine = t.embedded(t.engine.Path), embeddedWords
	req.Script = t.script
	if t.lease.Settings.Type == "aep" {
		return t.saveEmbedded(ctx, req)
	}
	req.OutputModule = p.codec
	req.Output = t.output(p)
	return t.renderAndCheck(ctx, req, p)
}

// embedded starts the embedded engine with its share of the machine's memory.
func (t *attempt) embedded(path string) []string {
	share := strconv.FormatFloat(memoryShare/float64(t.a.cfg.Slots), 'f', 1, 64)
	return []string{path, "aerender", "-mem_usage", share, share}
}

// saveEmbedded has the embedded engine save the filled-in project, and packs it with its folder.
func (t *attempt) saveEmbedded(ctx context.Context, req aerender.Request) (result, error) {
	req.Save = t.savedPath()
	ran, err := aerender.Run(ctx, req)
	for _, w := range ran.Warnings {
		t.warn(t.withoutFolders(w))
	}
	if err != nil {
		return result{}, err
	}
	return t.packProject(ctx, req.Save)
}

// output is where the engine writes.
func (t *attempt) output(p plan) string {
	name := "film." + p.ext
	switch {
	case p.sound:
		name = soundName
	case p.part:
		name = partName
	case p.stills:
		name = stillsPrefix + "[#####]." + p.ext
	}
	return filepath.Join(t.dir, "out", name)
}

// renderAndCheck runs the engine and looks at its result: an exit code of 0 proves nothing.
func (t *attempt) renderAndCheck(ctx context.Context, req aerender.Request, p plan) (result, error) {
	var found result
	req.Done = func() (bool, error) {
		var wrong *film.Wrong
		var err error
		found, err = t.check(ctx, p)
		if errors.As(err, &wrong) {
			return false, nil
		}
		return err == nil, err
	}
	t.log.Info("engine starts", "engine", t.engine.Kind, "version", t.engine.Version)
	thumbs := t.watchThumbnails(ctx)
	ran, err := aerender.Run(ctx, req)
	delivered := thumbs.stop()
	for _, w := range ran.Warnings {
		t.warn(t.withoutFolders(w))
	}
	if err != nil {
		return result{}, err
	}
	if ran.Hung {
		t.say("the engine had finished and did not end; it was ended")
	}
	if ran.Expected > 0 && p.only == nil {
		p.frames, p.want.Frames = ran.Expected, ran.Expected
	}
	t.feed.at("checking", 0, 0, 0)
	if found.path == "" || !ran.Hung {
		if found, err = t.check(ctx, p); err != nil {
			return result{}, err
		}
	}
	if delivered == 0 && !p.part && !p.sound {
		t.makeThumbnails(ctx, found, p)
	}
	return found, nil
}

// environment is what the embedded engine is told beside its flags.
func (t *attempt) environment() []string {
	tmp := filepath.Join(t.dir, "tmp")
	return []string{
		"OVERCRANK_FONTS=" + filepath.Join(t.dir, "fonts"),
		"OVERCRANK_THUMBS=" + filepath.Join(t.dir, "thumbs"),
		fmt.Sprintf("OVERCRANK_WORKERS=%d", max(1, t.a.stock.now().CPUs/t.a.cfg.Slots)),
		"TMPDIR=" + tmp, "TMP=" + tmp, "TEMP=" + tmp,
	}
}

// hear adds a line of the engine's to the job's log.
func (t *attempt) hear(line string) { t.feed.log(t.withoutFolders(line)) }

// check looks at what the engine wrote, from its first to its last frame.
func (t *attempt) check(ctx context.Context, p plan) (result, error) {
	out := filepath.Join(t.dir, "out")
	switch {
	case p.sound:
		return t.checkSound()
	case p.part:
		return t.checkPart(p)
	case !p.stills:
		path := filepath.Join(out, "film."+p.ext)
		info, err := film.CheckFilm(ctx, path, p.want)
		if err != nil {
			return result{}, err
		}
		if p.audio && !info.Audio {
			return result{}, &film.Wrong{Message: "the film has no sound, and the composition has"}
		}
		seen, err := film.Watch(ctx, path, info, t.wantedThumbnails())
		if err != nil {
			return result{}, err
		}
		if !info.Audio && t.project != nil && t.project.Sounds() {
			seen.Hints = append(seen.Hints, "The composition has a layer with sound, and the film has no sound.")
		}
		for _, hint := range seen.Hints {
			t.warn(hint)
		}
		t.say("the film is whole: %d frames, %d×%d pixels, %.2f s", info.Frames, info.Width, info.Height, info.Duration)
		return result{path: path, info: info, kind: mediaTypes[p.ext], thumbs: seen.Frames}, nil
	}
	files, info, err := film.CheckStills(ctx, out, stillsPrefix, p.ext, p.want)
	if err != nil {
		return result{}, err
	}
	whole := "the picture is whole"
	if len(files) != 1 {
		whole = fmt.Sprintf("%d pictures are whole", len(files))
	}
	t.say("%s, %d×%d pixels", whole, info.Width, info.Height)
	switch {
	case info.Black && len(files) == 1:
		t.warn("The picture is black.")
	case info.Black:
		t.warn("All pictures are black.")
	}
	info.FrameRate, info.Duration = 0, 0
	if t.lease.Ext != "zip" && p.only == nil {
		return result{path: files[0], info: info, kind: mediaTypes[p.ext]}, nil
	}
	path, number := filepath.Join(out, "result.zip"), func(i int) int { return p.first + i }
	if p.only != nil {
		number = func(i int) int { return t.lease.Stills[i] }
	}
	if err := zipStills(ctx, path, files, number); err != nil {
		return result{}, err
	}
	return result{path: path, info: info, kind: mediaTypes["zip"]}, nil
}

var mediaTypes = map[string]string{"mp4": "video/mp4", "mov": "video/quicktime", "png": "image/png", "jpg": "image/jpeg", "zip": "application/zip"}

// renderAdobe renders with After Effects. Its aerender runs no scripts: another After Effects applies the script first and
// saves a copy, which is then rendered to a lossless intermediate and encoded here.
func (t *attempt) renderAdobe(ctx context.Context, req aerender.Request, p plan) (result, error) {
	done, err := t.takeAfterEffects(ctx)
	if err != nil {
		return result{}, err
	}
	defer done()
	defer t.installFonts()()
	if t.lease.Discard {
		clear, err := t.discardTraces()
		if err != nil {
			return result{}, err
		}
		defer clear()
	}
	saved, err := t.applyScript(ctx)
	if err != nil {
		return result{}, err
	}
	if t.lease.Settings.Type == "aep" {
		return t.packProject(ctx, saved)
	}
	req.Program, req.Project = []string{t.engine.Path}, saved
	req.Env = nil
	req.Output = filepath.Join(t.dir, "out", "raw_film.mov")
	switch {
	case p.sound:
		return t.soundAdobe(ctx, req)
	case p.part:
		return t.rangeAdobe(ctx, req, p)
	case p.stills:
		req.Output, req.OutputModule = t.rawPictures(), adobePictures
	case p.codec == codec.ProRes4444:
		req.OutputModule = "Lossless with Alpha"
	default:
		req.OutputModule = adobeFilm
	}
	for i, run := range adobeRuns(req) {
		run.Done = func() (bool, error) { return t.rawWhole(ctx, p.stills, i+1, run.Frames) }
		expected, err := t.runAdobe(ctx, run)
		if err != nil {
			return result{}, err
		}
		if expected > 0 && p.only == nil {
			p.frames, p.want.Frames = expected, expected
		}
	}
	t.feed.at("checking", 0, 0, 0)
	if err := t.encodeRaw(ctx, p); err != nil {
		return result{}, err
	}
	found, err := t.check(ctx, p)
	if err == nil {
		t.makeThumbnails(ctx, found, p)
	}
	return found, err
}

// rawWhole tells whether an After Effects that finished and does not end has written everything: a film of so many frames, or the
// pictures of so many runs.
func (t *attempt) rawWhole(ctx context.Context, stills bool, runs, frames int) (bool, error) {
	out := filepath.Join(t.dir, "out")
	if stills {
		return picturesWhole(ctx, out, runs*frames)
	}
	// The container's extension is After Effects' own choice.
	written, err := durable.Find(out, "raw_film.*")
	if err != nil || len(written) == 0 {
		return false, err
	}
	_, err = film.CheckFilm(ctx, written[0], film.Want{Frames: frames})
	var wrong *film.Wrong
	if errors.As(err, &wrong) {
		return false, nil
	}
	return err == nil, err
}

// adobeRuns are the runs of After Effects that a request takes: it renders ranges, and no single frames.
func adobeRuns(req aerender.Request) []aerender.Request {
	if req.Stills == nil {
		return []aerender.Request{req}
	}
	runs := make([]aerender.Request, len(req.Stills))
	for i, n := range req.Stills {
		runs[i] = req
		runs[i].Stills, runs[i].Start, runs[i].End, runs[i].Frames = nil, &n, &n, 1
	}
	return runs
}

// runAdobe runs After Effects and gives how many frames it said it would render, 0 when it did not say.
func (t *attempt) runAdobe(ctx context.Context, req aerender.Request) (expected int, err error) {
	defer t.a.expectAfterEffects()()
	ran, err := aerender.Run(ctx, req)
	for _, w := range ran.Warnings {
		t.warn(t.withoutFolders(w))
	}
	return ran.Expected, err
}

// encodeRaw encodes what After Effects wrote as the job wants it. The container's extension is After Effects' own choice.
func (t *attempt) encodeRaw(ctx context.Context, p plan) error {
	out := filepath.Join(t.dir, "out")
	written, err := durable.Find(out, "raw_*")
	if err != nil {
		return fmt.Errorf("looking for the result: %w", err)
	}
	if len(written) == 0 {
		return &film.Wrong{Message: "After Effects wrote no result"}
	}
	for _, raw := range written {
		name := "film." + p.ext
		if p.stills {
			number := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(raw), "raw_"), filepath.Ext(raw))
			name = stillsPrefix + number + "." + p.ext
		}
		if err := film.Encode(ctx, raw, filepath.Join(out, name), p.codec); err != nil {
			var u *film.Unreadable
			if errors.As(err, &u) {
				return &film.Wrong{Message: "what After Effects wrote " + u.Error()}
			}
			return err
		}
		if err := os.Remove(raw); err != nil {
			return fmt.Errorf("removing the intermediate: %w", err)
		}
	}
	return nil
}
