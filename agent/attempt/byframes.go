package attempt

import (
	"context"
	"fmt"
	"io"
	"os"

	"overcrank/agent/parts"
	"overcrank/durable"
	"overcrank/farm"
)

// renderRange renders a range of a film that machines share.
func (t *attempt) renderRange(ctx context.Context, e engine, p plan) (product, error) {
	return t.handingOver(ctx, p, func() (result, error) { return e.render(ctx, p) })
}

// mayKeepFrames tells whether a film that this machine renders as a whole is worth being rendered frame by frame, so that its frames outlast
// the attempt: where somebody may come back to the machine, and the disk has space for all of them.
func (t *attempt) mayKeepFrames(ctx context.Context, s scene, p plan) bool {
	if !t.lease.Parted || t.lease.Kind != farm.TaskRender || t.lease.Preview || p.frames < 2 || !t.machine.Presence.SomebodyMayCome(ctx) {
		return false
	}
	free, _, err := durable.Space(t.dir)
	return err == nil && int64(p.frames)*int64(p.want.Width)*int64(p.want.Height)*bytesOfPixel(s.engine) < free/2
}

// bytesOfPixel is what a frame takes on the disk for each of its pixels, before it is packed. Of After Effects it is that of its deepest
// pictures: a picture that waits to be moved takes the place of its frame.
func bytesOfPixel(engine farm.EngineInfo) int64 {
	if engine.Kind == farm.EngineAfterEffects {
		return 8
	}
	return 4
}

// renderByFrames does on one machine what a split job does on several: frames that lose nothing, the sound, and one film of both. It takes
// a little longer, and frames that are done when the attempt ends early are not rendered again.
func (t *attempt) renderByFrames(ctx context.Context, e engine, whole plan) (product, error) {
	made, err := t.handingOver(ctx, whole.drawn(), func() (result, error) {
		pictures, err := e.render(ctx, whole.drawn())
		if err != nil {
			return result{}, err
		}
		sound := ""
		if !whole.stills {
			made, err := e.render(ctx, whole.heard())
			if err != nil {
				return result{}, err
			}
			if made.info.Audio {
				sound = made.path
			}
		}
		e.close() // before it is encoded: another task may use the engine
		return t.assembleFile(ctx, whole, pictures.path, sound)
	})
	if noTemplate(err) {
		t.say("this After Effects has no output module for pictures; what it renders of the film cannot be kept")
		film, err := e.render(ctx, whole)
		return product{result: film}, err
	}
	return made, err
}

// assembleFile makes the film of a file of all its frames, and of the sound, which is "" for none.
func (t *attempt) assembleFile(ctx context.Context, whole plan, pictures, sound string) (result, error) {
	t.say("putting %d frames together", whole.frames)
	p := formOf(t.lease)
	p.first, p.frames = whole.first, whole.frames
	return t.assemble(ctx, p, []parts.Part{{Frames: whole.all(), Open: func(context.Context) (io.ReadCloser, error) {
		in, err := os.Open(pictures)
		if err != nil {
			return nil, fmt.Errorf("opening the frames: %w", err)
		}
		return in, nil
	}}}, sound)
}
