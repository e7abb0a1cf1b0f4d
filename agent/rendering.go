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
	"overcrank/farm"
)

// memoryShare is how much of the machine's memory, in percent, the embedded engine may take on all slots together. The rest
// is the artist's, and that of the programs that encode.
const memoryShare = 80

// stillsPrefix begins the names of the stills that an engine writes.
const stillsPrefix = "frame_"

// result is a validated file, ready to be uploaded.
type result struct {
	path string
	info film.Info
	kind string // media type
}

// plan is what the engine is asked to write.
type plan struct {
	codec  string
	ext    string // with which the engine writes, without the dot
	stills bool
	start  *int // as the composition's timecode counts
	end    *int
	frames int // expected, 0 when not known
	first  int // that is rendered, counted from the composition's first as 0
}

// plan reads the job's settings.
func (t *attempt) plan() plan {
	s := t.lease.Settings
	p := plan{codec: s.Codec, ext: t.lease.Ext, stills: s.Type == "image" && !t.lease.Preview}
	if p.stills {
		p.codec = cmp.Or(p.codec, film.DefaultStill)
		p.ext = "png"
		if p.codec == "image_jpeg" {
			p.ext = "jpg"
		}
	}
	p.codec = cmp.Or(p.codec, film.DefaultFilm)
	if p.ext == "" {
		p.ext = "mp4"
	}
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
		RenderSettings: t.renderSettings(), Start: p.start, End: p.end, Frames: p.frames,
		Limits: t.a.limits, OnLine: t.hear,
		OnProgress: func(now aerender.Progress) {
			t.feed.at("rendering", now.Percent/100, now.Frame, now.Total)
		},
	}
	t.feed.at("rendering", 0, p.first, p.frames)
	if t.engine.Kind == farm.EngineAfterEffects {
		return t.renderAdobe(ctx, req, p)
	}
	share := strconv.FormatFloat(memoryShare/float64(t.a.cfg.Slots), 'f', 1, 64)
	req.Program = []string{t.engine.Path, "aerender", "-mem_usage", share, share}
	req.Script = t.script
	if t.lease.Settings.Type == "aep" {
		return t.saveEmbedded(ctx, req)
	}
	req.OutputModule = p.codec
	req.Output = t.output(p)
	return t.renderAndCheck(ctx, req, p)
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
	if p.stills {
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
	if ran.Expected > 0 {
		p.frames = ran.Expected
	}
	t.feed.at("checking", 0, 0, 0)
	if found.path == "" || !ran.Hung {
		if found, err = t.check(ctx, p); err != nil {
			return result{}, err
		}
	}
	if delivered == 0 {
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
	want := film.Want{Frames: p.frames}
	if !t.lease.Preview {
		want.Width, want.Height, want.FrameRate = t.project.Settings.Width, t.project.Settings.Height, t.project.Settings.FrameRate
	}
	out := filepath.Join(t.dir, "out")
	if !p.stills {
		path := filepath.Join(out, "film."+p.ext)
		info, err := film.CheckFilm(ctx, path, want)
		if err != nil {
			return result{}, err
		}
		t.say("the film is whole: %d frames, %d×%d pixels, %.2f s", info.Frames, info.Width, info.Height, info.Duration)
		return result{path: path, info: info, kind: mediaTypes[p.ext]}, nil
	}
	files, info, err := film.CheckStills(ctx, out, stillsPrefix, p.ext, want)
	if err != nil {
		return result{}, err
	}
	whole := "the picture is whole"
	if len(files) != 1 {
		whole = fmt.Sprintf("%d pictures are whole", len(files))
	}
	t.say("%s, %d×%d pixels", whole, info.Width, info.Height)
	info.FrameRate, info.Duration = 0, 0
	if t.lease.Ext != "zip" {
		return result{path: files[0], info: info, kind: mediaTypes[p.ext]}, nil
	}
	path := filepath.Join(out, "result.zip")
	if err := zipStills(ctx, path, files, p.first); err != nil {
		return result{}, err
	}
	return result{path: path, info: info, kind: mediaTypes["zip"]}, nil
}

var mediaTypes = map[string]string{"mp4": "video/mp4", "mov": "video/quicktime", "png": "image/png", "jpg": "image/jpeg", "zip": "application/zip"}

// renderAdobe renders with After Effects. Its aerender runs no scripts: another After Effects applies the script first and
// saves a copy, which is then rendered to a lossless intermediate and encoded here.
func (t *attempt) renderAdobe(ctx context.Context, req aerender.Request, p plan) (result, error) {
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
	raw := p
	switch {
	case p.stills:
		raw.ext, req.OutputModule = "tif", "TIFF Sequence with Alpha"
	case p.codec == "video_prores_4444":
		raw.ext, req.OutputModule = "mov", "Lossless with Alpha"
	default:
		raw.ext, req.OutputModule = "mov", "Lossless"
	}
	raw.codec = "intermediate"
	req.Output = filepath.Join(t.dir, "out", "raw_film.mov")
	if p.stills {
		req.Output = filepath.Join(t.dir, "out", "raw_[#####].tif")
	}
	req.Done = func() (bool, error) { return t.rawWhole(ctx, raw) }
	ran, err := aerender.Run(ctx, req)
	for _, w := range ran.Warnings {
		t.warn(t.withoutFolders(w))
	}
	if err != nil {
		return result{}, err
	}
	if ran.Expected > 0 {
		p.frames = ran.Expected
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

// rawWhole tells whether an After Effects that finished and does not end has written everything.
func (t *attempt) rawWhole(ctx context.Context, p plan) (bool, error) {
	out := filepath.Join(t.dir, "out")
	want := film.Want{Frames: p.frames}
	var err error
	if p.stills {
		_, _, err = film.CheckStills(ctx, out, "raw_", p.ext, want)
	} else {
		_, err = film.CheckFilm(ctx, filepath.Join(out, "raw_film."+p.ext), want)
	}
	var wrong *film.Wrong
	if errors.As(err, &wrong) {
		return false, nil
	}
	return err == nil, err
}

// encodeRaw encodes what After Effects wrote as the job wants it. The container's extension is After Effects' own choice.
func (t *attempt) encodeRaw(ctx context.Context, p plan) error {
	out := filepath.Join(t.dir, "out")
	written, err := filepath.Glob(filepath.Join(out, "raw_*"))
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
