package machines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"overcrank/coordinator/files"
	"overcrank/farm"
)

// lookWithin bounds how long storage may take to say whether there is a picture.
const lookWithin = 2 * time.Second

func frameKey(agent string) string { return files.FirstFrames + "/" + agent + ".jpg" }

// ReceiveFirstFrame keeps a small JPEG of the frame that a machine has rendered once it was installed, in the place of one that it sent before.
func (r *Roster) ReceiveFirstFrame(ctx context.Context, a farm.Agent, picture []byte) error {
	if err := files.CheckThumbnail(picture); err != nil {
		return err
	}
	if _, err := r.files.Put(ctx, frameKey(a.ID), bytes.NewReader(picture), files.Limits{Size: int64(len(picture))}); err != nil {
		return files.ReceiveError("first frame", err)
	}
	r.log.Info("a machine has shown its first frame", "agent", a.ID, "name", a.Name)
	r.events.Spread(farm.Event{Kind: farm.EventMachine, ID: a.ID})
	return nil
}

// HasFirstFrame tells whether a machine has shown its first frame. It says no while the farm's storage does not answer: no page about machines is to fail, or
// to be slow, for want of a picture.
func (r *Roster) HasFirstFrame(ctx context.Context, _ farm.Principal, id string) bool {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	_, err := r.files.Stat(ctx, frameKey(files.Part(id)))
	return err == nil
}

// OpenFirstFrame opens the picture of a machine's first frame; CodeNotFound when it has shown none.
func (r *Roster) OpenFirstFrame(ctx context.Context, _ farm.Principal, id string) (*files.File, error) {
	file, err := r.files.Open(ctx, frameKey(files.Part(id)))
	if errors.Is(err, files.ErrNotFound) {
		return nil, farm.Errorf(farm.CodeNotFound, "machine %s has shown no first frame", id)
	}
	if err != nil {
		return nil, fmt.Errorf("opening a machine's first frame: %w", err)
	}
	return files.NewPicture(file, "frame.jpg"), nil
}
