package doctor

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"overcrank/aep"
	"overcrank/agent"
	"overcrank/agent/adobe"
	"overcrank/agent/aerender"
	"overcrank/agent/attempt"
	"overcrank/agent/film"
	"overcrank/agent/inventory"
	"overcrank/agent/presence"
	"overcrank/agent/readiness"
	"overcrank/agent/update"
	"overcrank/farm"
	"overcrank/farm/codec"
	"overcrank/farm/wire"
	"overcrank/farm/wording"
	"overcrank/ffmpeg"
)

// The trial's composition. It is small: what is tried is the engine, not the machine.
const (
	trialName               = "Doctor"
	trialWidth, trialHeight = 64, 48 // pixels
	trialRate               = 25
	trialFrames             = 2
	trialSeconds            = float64(trialFrames) / trialRate
	firstEngineProgress     = 0.25
	lastEngineProgress      = 1.0
)

// trialProject is a project with one composition that needs no file and no font.
func trialProject() *aep.Project {
	solid := &aep.Item{ID: 2, Name: "Solid", Kind: aep.ItemFootage, Footage: &aep.Footage{
		Kind: aep.FootageSolid, Width: trialWidth, Height: trialHeight, PixelAspect: 1, Color: [3]float64{0.9, 0.4, 0.1}, HasVideo: true, Still: true,
	}}
	layer := &aep.Layer{
		ID: 1, Name: "Solid", Kind: aep.LayerAV, Source: 2, Out: trialSeconds, Stretch: 100, Blend: aep.BlendNormal, Enabled: true, EffectsEnabled: true,
		Quality: 2, Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true},
	}
	return &aep.Project{
		// Every After Effects that is in use opens a project of this version.
		Version: aep.Version{Major: 22, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8,
		Items: []*aep.Item{
			{ID: 1, Name: trialName, Kind: aep.ItemComposition, Comp: &aep.Composition{
				Width: trialWidth, Height: trialHeight, PixelAspect: 1, FrameRate: trialRate, FrameTicks: 1024, TicksPerSecond: 1024 * trialRate,
				Duration: trialSeconds, WorkAreaDuration: trialSeconds, ShutterAngle: 180, ShutterPhase: -90, Layers: []*aep.Layer{layer},
			}}, solid,
		},
	}
}

// engines renders two frames with each engine.
func (d *Doctor) engines(ctx context.Context, scratch string, engines []farm.EngineInfo) {
	for i, e := range engines {
		if ctx.Err() != nil {
			return
		}
		step := (lastEngineProgress - firstEngineProgress) / float64(len(engines))
		at := firstEngineProgress + step*float64(i)
		d.Tell(at, "two frames with "+engineWords(e))
		began := time.Now()
		_, err := d.try(ctx, filepath.Join(scratch, fmt.Sprint("engine", i)), e, usualTrial(), func(fraction float64) { d.Tell(at+step*fraction, "two frames with "+engineWords(e)) })
		if ctx.Err() != nil {
			return
		}
		found := Finding{Check: "engine", About: engineWords(e), Health: Well, Found: "rendered two frames, which were checked", Seconds: time.Since(began).Seconds()}
		if err != nil {
			found.Health, found.Found = Broken, err.Error()
			found.Mend = d.mendEngine(e, err)
			if e.Beta {
				found.Health = Poor
			}
		}
		d.add(found)
	}
	d.Tell(lastEngineProgress, "done")
}

func engineWords(e farm.EngineInfo) string {
	switch {
	case e.Kind == farm.EngineEmbedded:
		return "embedded engine " + e.Version
	case e.Beta:
		return "After Effects " + e.Version + " (Beta)"
	}
	return "After Effects " + e.Version
}

// trial is what an engine is tried with.
type trial struct {
	project     *aep.Project
	composition string
	frames      farm.Frames
}

func usualTrial() trial {
	return trial{project: trialProject(), composition: trialName, frames: farm.Frames{End: trialFrames - 1}}
}

// TryEmbedded renders two frames with the embedded engine of the agent's program, in the way that jobs are rendered, and checks the film. On a machine
// without ffmpeg, which takes no work, nothing can be rendered, and the error is update.ErrNotRendered.
func TryEmbedded(ctx context.Context, cfg agent.Config) error {
	_, err := tryEmbedded(ctx, cfg, usualTrial())
	return err
}

// Picture renders a frame of a composition, which needs no files, as TryEmbedded does, and returns a small JPEG of it.
func Picture(ctx context.Context, cfg agent.Config, project *aep.Project, composition string, frame int) ([]byte, error) {
	picture, err := tryEmbedded(ctx, cfg, trial{project: project, composition: composition, frames: farm.Frames{Start: frame, End: frame}})
	if err == nil && picture == nil {
		err = errors.New("the embedded engine made no small picture")
	}
	return picture, err
}

func tryEmbedded(ctx context.Context, cfg agent.Config, what trial) (picture []byte, err error) {
	if err := film.Tools(); err != nil {
		return nil, fmt.Errorf("%w: %w", update.ErrNotRendered, err)
	}
	if err := cfg.Complete(); err != nil {
		return nil, err
	}
	d := New(cfg)
	dir, err := os.MkdirTemp(cfg.DataDir, "trial-*")
	if err != nil {
		return nil, fmt.Errorf("making a folder for a trial: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return d.try(ctx, dir, farm.EngineInfo{Kind: farm.EngineEmbedded, Version: cfg.Version, Path: cfg.Engine}, what, func(float64) {})
}

// errEngineTime ends a trial that takes too long.
var errEngineTime = errors.New("it was not done in time")

// try renders a few frames with one engine, in the way that jobs are rendered, and returns a small picture of the first, if the engine made one.
func (d *Doctor) try(ctx context.Context, dir string, engine farm.EngineInfo, what trial, progress func(float64)) ([]byte, error) {
	within := max(d.EngineTime, time.Second)
	ctx, cancel := context.WithTimeoutCause(ctx, within, errEngineTime)
	defer cancel()
	cfg := d.Config
	desk, err := presence.NewDesk(nil)
	if err != nil {
		return nil, fmt.Errorf("looking whether somebody works at this machine: %w", err)
	}
	defer desk.Close()
	watch := presence.NewWatch(desk, presence.Rules{}, presence.Pause{}, cfg.Logger)
	ae := adobe.New(1, watch, adobe.Fonts{}, nil, cfg.Logger)
	ae.Script = d.scriptCommand
	m := &attempt.Machine{
		Name: cfg.Name, Slots: cfg.Slots, TaskTime: cfg.TaskTime, Limits: d.limits, Log: cfg.Logger, WorkDir: dir,
		Inventory: func() farm.Inventory { return farm.Inventory{CPUs: 1, Engines: []farm.EngineInfo{engine}} },
		Presence:  watch, Readiness: readiness.New(""), AfterEffects: ae, Lowered: func() <-chan struct{} { return nil }, Pace: attempt.UsualPace(),
	}
	lease := wire.Lease{
		Attempt: wire.Attempt{Task: "doctor", Attempt: 1}, Kind: farm.TaskRender, Composition: what.composition, Ext: "mp4",
		Project: wire.Project{Type: aep.TypeProject}, Settings: farm.Settings{Frames: &what.frames},
	}
	write := func(w io.Writer) error { return aep.Write(w, what.project) }
	picture, err := attempt.Trial(ctx, m, lease, engine, write, func(percent float64) { progress(percent / 100) })
	if errors.Is(context.Cause(ctx), errEngineTime) {
		return nil, fmt.Errorf("%w: the frames were not done after %s", errEngineTime, wording.Duration(within))
	}
	return picture, err
}

// mendEngine says what to do about an engine that did not render.
func (d *Doctor) mendEngine(e farm.EngineInfo, err error) string {
	text := strings.ToLower(err.Error())
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	var engine *aerender.Failure
	licence := errors.As(err, &engine) && engine.Class == farm.FailureLicence
	switch {
	case errors.Is(err, film.ErrNoTools), film.Tools() != nil:
		return "Install ffmpeg, and make sure that it is in the PATH of the agent's account."
	case e.Kind == farm.EngineEmbedded:
		return "The embedded engine is part of this program: check that " + e.Path + " exists and is executable, or reinstall overcrank."
	case licence:
		return "Sign in to Creative Cloud as the account that the agent runs as and open this After Effects once; check that a licence is available, for its plug-ins too."
	case has("scripting may be blocked", "without having run the script"):
		return "Open this After Effects as the agent's account and allow scripts to write files: Settings, Scripting & Expressions."
	case has("has not allowed it to be controlled"):
		return "Allow the agent to control After Effects: System Settings, Privacy & Security, Automation."
	case has("dialog", "busy", "hung", "not done", "in time"):
		return "Open this After Effects as the account that the agent runs as: it may wait for an answer to a dialog, or for somebody to sign in. First end any After Effects that is still running without a window."
	case has("disk is full", "not writable", "disk of machine"):
		return "Free disk space."
	case has("cannot run scripts", "could not be started"):
		return "Repair this After Effects with Creative Cloud: " + e.Path + " cannot be started."
	}
	return "Open this After Effects as the agent's account and render something. If it fails there as well, reset its preferences (hold Ctrl+Alt+Shift, on macOS Cmd+Opt+Shift, while it starts) or repair it with Creative Cloud."
}

// films checks that ffmpeg is there and encodes the farm's codecs.
func (d *Doctor) films(ctx context.Context, scratch string, report inventory.Report) {
	if report.NoFilms != nil {
		d.add(Finding{
			Check: "ffmpeg", Health: Broken, Found: report.NoFilms.Error(),
			Mend: "Install ffmpeg and ffprobe (https://ffmpeg.org/download.html), and make sure that they are in the PATH of the agent's account; or give the farm a build to hand out: overcrank ffmpeg add.",
		})
		return
	}
	still := filepath.Join(scratch, "still.png")
	if err := writeStill(still); err != nil {
		d.add(Finding{Check: "ffmpeg", Health: Broken, Found: err.Error()})
		return
	}
	var failed, missing []string
	tried := map[string]bool{} // by file type: codecs of one differ in their rate only, or in alpha
	for _, c := range d.codecs() {
		if !slices.Contains(report.Codecs, c.Name) {
			missing = append(missing, c.Name)
			continue
		}
		if tried[c.Ext] && c.Name != codec.ProRes4444 {
			continue
		}
		tried[c.Ext] = true
		if err := film.Encode(ctx, still, filepath.Join(scratch, "try-"+c.Name+"."+c.Ext), c.Name, report.Encoders); err != nil && ctx.Err() == nil {
			failed = append(failed, c.Name)
		}
	}
	switch {
	case len(failed) > 0:
		d.add(Finding{Check: "ffmpeg", Health: Broken, Found: "fails to encode " + strings.Join(failed, ", "), Mend: "Install a full build of ffmpeg: this one lists encoders that do not work."})
	case len(missing) > 0:
		d.add(Finding{
			Check: "ffmpeg", Health: Broken, Found: ffmpegWords(report) + ": cannot write " + strings.Join(missing, ", "),
			Mend: "Give this machine an ffmpeg with prores_ks, png, mjpeg and an encoder of H.264 that works: libx264, libopenh264, or on Windows h264_mf and on macOS h264_videotoolbox.",
		})
	default:
		d.add(Finding{Check: "ffmpeg", Health: Well, Found: fmt.Sprintf("%s: writes all %d codecs, with %s", ffmpegWords(report), len(report.Codecs), strings.Join(report.Encoders, ", "))})
	}
}

// ffmpegWords are which ffmpeg is used, under which licence it was built, and where it comes from.
func ffmpegWords(report inventory.Report) string {
	f := report.FFmpeg
	if f == nil {
		return "ffmpeg"
	}
	from := "found in the PATH"
	switch {
	case f.SHA256 != "":
		from = "given by the farm"
	case os.Getenv(ffmpeg.FolderVariable) != "":
		from = "named by the settings"
	}
	words := f.Version
	if f.Licence != "" {
		words += ", " + f.Licence
	}
	return fmt.Sprintf("%s (%s, %s)", f.Path, words, from)
}

func writeStill(path string) error {
	img := image.NewRGBA(image.Rect(0, 0, trialWidth, trialHeight))
	for i := range trialWidth * trialHeight {
		img.SetRGBA(i%trialWidth, i/trialWidth, color.RGBA{uint8(4 * (i % trialWidth)), 100, 30, 255})
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing a picture: %w", err)
	}
	if err := errors.Join(png.Encode(f, img), f.Close()); err != nil {
		return fmt.Errorf("writing a picture: %w", err)
	}
	return nil
}
