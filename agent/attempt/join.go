package attempt

import (
	"context"
	"path/filepath"

	"overcrank/agent/join"
)

// joinClips fetches the clips and stitches them.
func (t *attempt) joinClips(ctx context.Context) (product, error) {
	clips := make([]string, len(t.lease.Assets))
	fetches := make([]func(context.Context) error, len(clips))
	for i, a := range t.lease.Assets {
		fetches[i] = func(ctx context.Context) (err error) {
			clips[i], err = sources{t}.assetFile(ctx, i, a)
			return err
		}
	}
	if err := (sources{t}).atOnce(ctx, fetches); err != nil {
		return product{}, err
	}
	t.feed.at("joining", 0, 0, 0)
	film := filepath.Join(t.dir, "out", "film.mp4")
	made, err := join.Join(ctx, join.Request{
		Clips: clips, Out: film, Dir: filepath.Join(t.dir, "tmp"), Encoders: t.machine.Inventory().Encoders,
		OnProgress: func(fraction float64) { t.feed.at("joining", fraction, 0, 0) },
		Say:        func(line string) { t.say("%s", line) },
	})
	if err != nil {
		return product{}, err
	}
	t.say("the film is whole: %d frames, %d×%d pixels, %.2f s", made.Frames, made.Width, made.Height, made.Duration)
	joined := result{path: film, info: made.Info, kind: mediaTypes["mp4"]}
	t.makeThumbnails(ctx, joined, plan{ext: "mp4", frames: made.Frames})
	return product{result: joined}, nil
}
