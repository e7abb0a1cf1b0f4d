package attempt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"overcrank/agent/aerender"
	"overcrank/agent/film"
	"overcrank/ffmpeg/encoding"
)

// memoryShare is how much of the machine's memory, in percent, the embedded engine may take on all slots together. The rest is the
// artist's, and that of the programs that encode.
const memoryShare = 80

// embeddedWords are what the embedded engine is called in a sentence.
const embeddedWords = "the embedded engine"

// embedded renders a scene with the embedded engine, which runs scripts itself.
type embedded struct {
	*attempt
	scene scene
}

func (e *embedded) close() {}

func (e *embedded) request(p plan) aerender.Request {
	e.feed.at("rendering", 0, p.first, p.frames)
	e.watch.engineStarts()
	req := e.attempt.request(e.scene, p)
	req.Program, req.Engine, req.Env, req.Script = e.embeddedProgram(e.scene.engine.Path), embeddedWords, append(e.embeddedEnvironment(), e.sharedFrames()...), e.scene.script
	return req
}

// embeddedProgram starts the embedded engine with its share of the machine's memory.
func (t *attempt) embeddedProgram(path string) []string {
	share := strconv.FormatFloat(memoryShare/float64(t.machine.Slots), 'f', 1, 64)
	return []string{path, "aerender", "-mem_usage", share, share}
}

// embeddedEnvironment is what the embedded engine is told beside its flags.
func (t *attempt) embeddedEnvironment() []string {
	tmp := filepath.Join(t.dir, "tmp")
	inventory := t.machine.Inventory()
	return []string{
		encoding.Variable + "=" + strings.Join(inventory.Encoders, ","),
		"OVERCRANK_FONTS=" + filepath.Join(t.dir, "fonts"),
		"OVERCRANK_THUMBS=" + filepath.Join(t.dir, "thumbs"),
		fmt.Sprintf("OVERCRANK_WORKERS=%d", max(1, inventory.CPUs/t.machine.Slots)),
		"TMPDIR=" + tmp, "TMP=" + tmp, "TEMP=" + tmp,
	}
}

// save has the engine save the project as the script left it.
func (e *embedded) save(ctx context.Context) (string, error) {
	req := e.request(plan{})
	req.Save = savedPath(e.scene.project.Path)
	ran, err := aerender.Run(ctx, req)
	e.warnOf(ran.Warnings)
	return req.Save, err
}

// render runs the engine and checks its result: an exit code of 0 proves nothing.
func (e *embedded) render(ctx context.Context, p plan) (result, error) {
	req := e.request(p)
	req.OutputModule, req.Output = p.codec, e.output(p)
	var found result
	req.Done = func() (bool, error) {
		var wrong *film.Wrong
		var err error
		found, err = e.check(ctx, p)
		if errors.As(err, &wrong) {
			return false, nil
		}
		return err == nil, err
	}
	e.log.Info("engine starts", "engine", e.scene.engine.Kind, "version", e.scene.engine.Version)
	thumbs := e.watchThumbnails(ctx)
	ran, err := aerender.Run(ctx, req)
	delivered := thumbs.stop()
	e.warnOf(ran.Warnings)
	e.watch.reused(ran.Reused)
	if err != nil {
		return result{}, err
	}
	if ran.Hung {
		e.say("the engine had finished and did not end; it was ended")
	}
	p = p.expecting(ran.Expected)
	e.feed.at("checking", 0, 0, 0)
	if found.path == "" || !ran.Hung {
		if found, err = e.check(ctx, p); err != nil {
			return result{}, err
		}
	}
	if delivered == 0 && !p.part && !p.sound {
		e.makeThumbnails(ctx, found, p)
	}
	return found, nil
}
