package agent

import (
	"context"
	"fmt"
	"io"
	"os"

	"overcrank/agent/parts"
	"overcrank/durable"
	"overcrank/farm"
)

// mayKeep tells whether a film that this machine renders as a whole is worth being rendered so that its frames outlast the attempt:
// where somebody may come back to the machine, and the disk has room for all of them.
func (t *attempt) mayKeep() bool {
	s := t.lease.Settings
	if !t.lease.Parted || t.lease.Kind != farm.TaskRender || t.lease.Preview || s.Type == "aep" || t.engine.Kind != farm.EngineEmbedded || !t.a.watch.SomebodyMayCome() {
		return false
	}
	p := t.plan()
	if p.frames < 2 {
		return false
	}
	free, _, err := durable.Space(t.dir)
	const bytesOfPixel = 4 // before they are packed
	return err == nil && int64(p.frames)*int64(p.want.Width)*int64(p.want.Height)*bytesOfPixel < free/2
}

// renderKeeping goes the way of a split job on one machine: frames that lose nothing, the sound, and one film of both. It takes a
// little longer, and what is done when the attempt ends early is not rendered again.
func (t *attempt) renderKeeping(ctx context.Context) (result, error) {
	whole := t.lease
	t.lease.Part = true
	pictures, err := t.render(ctx)
	if err != nil {
		return result{}, err
	}
	first := t.kept.first
	sound := ""
	if p := t.form(); !p.stills {
		t.lease.Kind = farm.TaskSound
		made, err := t.render(ctx)
		if err != nil {
			return result{}, err
		}
		if made.info.Audio {
			sound = made.path
		}
	}
	p := t.form()
	p.first, p.frames = first, pictures.info.Frames
	t.say("putting %d frames together", p.frames)
	want := farm.Frames{Start: first, End: first + p.frames - 1}
	made, err := t.putTogether(ctx, p, want, []parts.Part{{Frames: want, Open: func(context.Context) (io.ReadCloser, error) {
		in, err := os.Open(pictures.path)
		if err != nil {
			return nil, fmt.Errorf("opening the frames: %w", err)
		}
		return in, nil
	}}}, sound)
	if err == nil {
		t.lease = whole
	}
	return made, err
}
