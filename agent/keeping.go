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
func (t *attempt) mayKeep(ctx context.Context) bool {
	s := t.lease.Settings
	if !t.lease.Parted || t.lease.Kind != farm.TaskRender || t.lease.Preview || s.Type == "aep" || !t.a.watch.SomebodyMayCome(ctx) {
		return false
	}
	p := t.plan()
	if p.frames < 2 {
		return false
	}
	free, _, err := durable.Space(t.dir)
	return err == nil && int64(p.frames)*int64(p.want.Width)*int64(p.want.Height)*t.bytesOfPixel() < free/2
}

// bytesOfPixel is what a frame that is kept takes on the disk for each of its pixels, before it is packed. Of After Effects it is that
// of its deepest pictures: a picture that waits to be moved takes the place of its frame.
func (t *attempt) bytesOfPixel() int64 {
	if t.engine.Kind == farm.EngineAfterEffects {
		return 8
	}
	return 4
}

// renderKeeping goes the way of a split job on one machine: frames that lose nothing, the sound, and one film of both. It takes a
// little longer, and what is done when the attempt ends early is not rendered again.
func (t *attempt) renderKeeping(ctx context.Context) (result, error) {
	whole, p := t.lease, t.plan()
	all := farm.Frames{Start: p.first, End: p.first + p.frames - 1}
	t.lease.Part, t.lease.Settings.Frames = true, &all
	pictures, err := t.render(ctx)
	if noTemplate(err) {
		t.say("this After Effects has no output module for pictures; what it renders of the film cannot be kept")
		t.stopAhead()
		t.lease, t.kept = whole, nil
		return t.render(ctx)
	}
	if err != nil {
		return result{}, err
	}
	sound := ""
	if !p.stills {
		t.lease.Kind = farm.TaskSound
		made, err := t.render(ctx)
		if err != nil {
			return result{}, err
		}
		if made.info.Audio {
			sound = made.path
		}
	}
	t.lease = whole
	return t.assembleKept(ctx, pictures.path, all, sound)
}

// assembleKept makes the film of the frames that this machine has, and of the sound, which is "" for none.
func (t *attempt) assembleKept(ctx context.Context, pictures string, all farm.Frames, sound string) (result, error) {
	p := t.form()
	p.first, p.frames = all.Start, all.Count()
	t.say("putting %d frames together", p.frames)
	return t.putTogether(ctx, p, all, []parts.Part{{Frames: all, Open: func(context.Context) (io.ReadCloser, error) {
		in, err := os.Open(pictures)
		if err != nil {
			return nil, fmt.Errorf("opening the frames: %w", err)
		}
		return in, nil
	}}}, sound)
}
