package results

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/farm/wire"
)

const (
	maxFrame = 10_000_000
	// maxThumbnails is how many pictures are taken of an attempt; agents send 48 at most, as package agent/attempt has it.
	maxThumbnails = 200
	// attemptsPictured is of how many attempts it is remembered how many were taken, far more than are under way at once.
	attemptsPictured = 8192
)

func thumbnailFolder(job string) string { return files.Thumbnails + "/" + job }

func thumbnailKey(job string, frame int) string {
	return thumbnailFolder(job) + "/" + strconv.Itoa(frame) + ".jpg"
}

// ReceiveThumbnail keeps a small JPEG of a frame that one of the agent's leases has rendered.
func (r *Results) ReceiveThumbnail(ctx context.Context, a farm.Agent, at wire.Attempt, frame int, picture []byte) error {
	if frame < 0 || frame > maxFrame {
		return farm.Errorf(farm.CodeInvalid, "frame %d cannot be: frames count from 0", frame)
	}
	task, _, err := r.state.Leased(a, at)
	if err != nil {
		return err
	}
	if !r.pictured.take(at) {
		return farm.Errorf(farm.CodeRateLimited, "attempt %d of task %s has sent %d thumbnails, and no more are taken", at.Attempt, at.Task, maxThumbnails)
	}
	if err := files.CheckThumbnail(picture); err != nil {
		return err
	}
	size := int64(len(picture))
	if _, err := r.files.Put(ctx, thumbnailKey(task.Job, frame), bytes.NewReader(picture), files.Limits{Size: size}); err != nil {
		return files.ReceiveError("thumbnail", err)
	}
	r.farm.Spread(ctx, farm.Event{Kind: farm.EventThumbnail, Team: task.Team, ID: task.Job, Frame: frame})
	return nil
}

// pictured counts the thumbnails of attempts at this node.
type pictured struct {
	mu      sync.Mutex
	taken   *lru.Cache[wire.Attempt, int]
	refused uint64
}

func newPictured() *pictured {
	taken, err := lru.New[wire.Attempt, int](attemptsPictured)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &pictured{taken: taken}
}

// take counts one more of an attempt; false when it has sent as many as it may.
func (p *pictured) take(at wire.Attempt) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, _ := p.taken.Get(at)
	if n >= maxThumbnails {
		p.refused++
		return false
	}
	p.taken.Add(at, n+1)
	return true
}

// ThumbnailsRefused is how many thumbnails were not taken, since their attempts had sent too many.
func (r *Results) ThumbnailsRefused() uint64 {
	p := r.pictured
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// Thumbnails lists the pictures of a job's frames, in the order of the frames.
func (r *Results) Thumbnails(ctx context.Context, p farm.Principal, jobID string) ([]farm.Thumbnail, error) {
	job, err := r.state.JobOf(p, jobID)
	if err != nil {
		return nil, err
	}
	var list []farm.Thumbnail
	err = r.files.List(ctx, thumbnailFolder(job.ID), func(o files.Object) error {
		name := o.Key[strings.LastIndexByte(o.Key, '/')+1:]
		if frame, err := strconv.Atoi(strings.TrimSuffix(name, ".jpg")); err == nil {
			list = append(list, farm.Thumbnail{Frame: frame, Size: o.Size})
		}
		return nil
	})
	slices.SortFunc(list, func(a, b farm.Thumbnail) int { return a.Frame - b.Frame })
	return list, err
}

// OpenThumbnail opens the picture of a frame.
func (r *Results) OpenThumbnail(ctx context.Context, p farm.Principal, jobID string, frame int) (*files.File, error) {
	job, err := r.state.JobOf(p, jobID)
	if err != nil {
		return nil, err
	}
	file, err := r.files.Open(ctx, thumbnailKey(job.ID, max(frame, 0)))
	if errors.Is(err, files.ErrNotFound) {
		return nil, farm.Errorf(farm.CodeNotFound, "frame %d of job %s has no picture", frame, job.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("opening a thumbnail: %w", err)
	}
	return files.NewPicture(file, fmt.Sprintf("%d.jpg", frame)), nil
}
