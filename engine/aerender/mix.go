package aerender

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"overcrank/engine/audio"
	"overcrank/engine/render"
)

// mix is the sound of a film, which is mixed while its frames are drawn.
type mix struct {
	dir  string // where its file lies
	path *promise[string]
}

// mix begins to mix the sound of a film, or sound alone. The mix must be dropped.
func (j *job) mix(ctx context.Context, r *render.Renderer) (*mix, error) {
	if !j.template.Film && !j.template.Sound {
		return nil, nil
	}
	clips, err := r.Audio(ctx)
	if err != nil || len(clips) == 0 {
		return nil, err
	}
	for i := range clips {
		j.sources.tellChannels(&clips[i])
	}
	dir, err := os.MkdirTemp("", "overcrank-sound-")
	if err != nil {
		return nil, fail(exitRender, "After Effects error: mixing sound: %w", err)
	}
	path := filepath.Join(dir, "sound.wav")
	return &mix{dir, promised(ctx, func(ctx context.Context) (string, error) { return j.mixInto(ctx, path, clips) })}, nil
}

// mixInto gives the path, or "" if the film is to be without sound.
func (j *job) mixInto(ctx context.Context, path string, clips []audio.Clip) (string, error) {
	start := render.FrameTime(j.item.Comp, j.span.first)
	length := render.FrameTime(j.item.Comp, j.span.frames()*j.span.step)
	err := audio.Mix(ctx, path, clips, start, length)
	switch {
	case err == nil:
		return path, nil
	case j.flags.skipMissing && ctx.Err() == nil:
		j.out.warning(fmt.Sprintf("the film has no sound: %v", err))
		return "", nil
	}
	return "", fail(exitRuntime, "Could not read from source: %w", err)
}

// file is the path of the mix once it is there, "" without sound.
func (m *mix) file(ctx context.Context) (string, error) {
	if m == nil {
		return "", nil
	}
	return m.path.wait(ctx)
}

// failed is why there is no mix, if it is known that there will be none.
func (m *mix) failed() error {
	if m == nil {
		return nil
	}
	select {
	case <-m.path.done:
		return m.path.err
	default:
		return nil
	}
}

// drop ends the mixing, unless it is done, and removes the file.
func (m *mix) drop() {
	if m == nil {
		return
	}
	m.path.drop()
	_ = os.RemoveAll(m.dir) // the film is whole without that
}
