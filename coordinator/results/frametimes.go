package results

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/farm/wire"
)

const (
	// MaxFrameTimes is how large the times of an attempt's frames may be, in bytes.
	MaxFrameTimes = 128 << 10
	// mostTimed is of how many attempts of a job the times are read.
	mostTimed = 100

	timesExt = ".json"
)

// timesKey lies with the pictures of the job's frames, and goes with them.
func timesKey(job string, at wire.Attempt) string {
	return thumbnailFolder(job) + "/" + files.Part(at.Task) + "." + strconv.Itoa(at.Attempt) + timesExt
}

// TimedAttempt is how long the frames of an attempt took.
type TimedAttempt struct {
	wire.Attempt
	farm.FrameTimes
}

// ReceiveFrameTimes keeps how long the frames took that one of the agent's leases has rendered.
func (r *Results) ReceiveFrameTimes(ctx context.Context, a farm.Agent, at wire.Attempt, body []byte) error {
	task, _, err := r.state.Leased(a, at)
	if err != nil {
		return err
	}
	var times farm.FrameTimes
	if err := json.Unmarshal(body, &times); err != nil || !times.Valid() {
		return farm.Errorf(farm.CodeInvalid, "the times of the frames of attempt %d of task %s cannot be read", at.Attempt, at.Task)
	}
	if _, err := r.files.Put(ctx, timesKey(task.Job, at), bytes.NewReader(body), files.Limits{Size: int64(len(body))}); err != nil {
		return files.ReceiveError("times of frames", err)
	}
	return nil
}

// FrameTimes are how long the frames took that attempts of a job have rendered, of a hundred attempts at most.
func (r *Results) FrameTimes(ctx context.Context, p farm.Principal, jobID string) ([]TimedAttempt, error) {
	job, err := r.state.JobOf(p, jobID)
	if err != nil {
		return nil, err
	}
	var all []TimedAttempt
	err = r.files.List(ctx, thumbnailFolder(job.ID), func(o files.Object) error {
		name, ok := strings.CutSuffix(o.Key[strings.LastIndexByte(o.Key, '/')+1:], timesExt)
		dot := strings.LastIndexByte(name, '.')
		if !ok || dot < 0 || len(all) >= mostTimed {
			return nil
		}
		if n, err := strconv.Atoi(name[dot+1:]); err == nil {
			all = append(all, TimedAttempt{Attempt: wire.Attempt{Task: name[:dot], Attempt: n}})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing the times of the frames of job %s: %w", job.ID, err)
	}
	for i := range all {
		if all[i].FrameTimes, err = r.readTimes(ctx, timesKey(job.ID, all[i].Attempt)); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(t TimedAttempt) bool { return len(t.Of) == 0 }), nil
}

// readTimes reads the times of one attempt; none when they were deleted meanwhile.
func (r *Results) readTimes(ctx context.Context, key string) (times farm.FrameTimes, err error) {
	body, err := files.ReadAll(ctx, r.files, key)
	if errors.Is(err, files.ErrNotFound) {
		return times, nil
	}
	if err == nil {
		err = json.Unmarshal(body, &times)
	}
	if err != nil {
		return times, fmt.Errorf("reading times of frames: %w", err)
	}
	return times, nil
}
