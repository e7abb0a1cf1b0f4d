package coordinator

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"overcrank/coordinator/files"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// The pictures that somebody looks at before a job is rendered come as one file, and are kept one by one.
const (
	maxSample     = 256 << 20 // bytes
	maxSampleSide = 30_000    // pixels
	samplePrefix  = "frame_"
)

func sampleFolder(job string) string { return files.Samples + "/" + files.Part(job) }

func sampleKey(job string, frame int) string {
	return sampleFolder(job) + "/" + strconv.Itoa(frame) + ".png"
}

// keepSamples keeps the pictures of a zip that has arrived; CodeInvalid when it is not one of pictures.
func (c *Coordinator) keepSamples(ctx context.Context, task farm.Task, key string) error {
	r, err := c.proofs.Open(ctx, files.Kept{Key: key, SHA256: path.Base(key), Size: -1})
	if errors.Is(err, files.ErrDamaged) {
		return farm.Errorf(farm.CodeInvalid, "Render failed: the pictures to look at first did not arrive whole")
	}
	if err != nil {
		return fmt.Errorf("opening the pictures of task %s: %w", task.ID, err)
	}
	defer r.Close()
	archive, err := zip.NewReader(readerAt{r.ReadSeekCloser}, r.Size)
	if err != nil || len(archive.File) == 0 || len(archive.File) > 16 {
		return farm.Errorf(farm.CodeInvalid, "Render failed: the pictures to look at first cannot be read")
	}
	for _, f := range archive.File {
		name, _ := strings.CutSuffix(f.Name, ".png")
		frame, err := strconv.Atoi(strings.TrimPrefix(name, samplePrefix))
		if err != nil || frame < 0 || frame > maxFrame {
			return farm.Errorf(farm.CodeInvalid, "Render failed: the pictures to look at first hold %q", f.Name)
		}
		if err := c.keepSample(ctx, task.Job, frame, f); err != nil {
			return err
		}
		c.spread(ctx, farm.Event{Kind: farm.EventThumbnail, Team: task.Team, ID: task.Job, Frame: frame})
	}
	return nil
}

func (c *Coordinator) keepSample(ctx context.Context, job string, frame int, f *zip.File) error {
	body, err := f.Open()
	if err != nil {
		return farm.Errorf(farm.CodeInvalid, "Render failed: the picture of frame %d cannot be read", frame)
	}
	defer body.Close()
	picture := bufio.NewReader(body)
	head, _ := picture.Peek(1 << 10) // a short one is no PNG either
	cfg, err := png.DecodeConfig(bytes.NewReader(head))
	if err != nil || cfg.Width > maxSampleSide || cfg.Height > maxSampleSide {
		return farm.Errorf(farm.CodeInvalid, "Render failed: the picture of frame %d is no PNG", frame)
	}
	if _, err := c.files.Put(ctx, sampleKey(job, frame), picture, files.Limits{Size: -1, Max: maxSample}); err != nil {
		return files.ReceiveError("picture", err)
	}
	return nil
}

// readerAt reads an open file anywhere. It serves one goroutine.
type readerAt struct{ io.ReadSeeker }

func (r readerAt) ReadAt(p []byte, off int64) (int, error) {
	if _, err := r.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// Samples lists the full-size pictures of single frames that came before the rest of a job, in the order of the frames.
func (c *Coordinator) Samples(ctx context.Context, p farm.Principal, jobID string) ([]farm.Thumbnail, error) {
	job, err := c.state.JobOf(p, jobID)
	if err != nil {
		return nil, err
	}
	list := []farm.Thumbnail{}
	err = c.files.List(ctx, sampleFolder(job.ID), func(o files.Object) error {
		name := o.Key[strings.LastIndexByte(o.Key, '/')+1:]
		if frame, err := strconv.Atoi(strings.TrimSuffix(name, ".png")); err == nil {
			list = append(list, farm.Thumbnail{Frame: frame, Size: o.Size})
		}
		return nil
	})
	slices.SortFunc(list, func(a, b farm.Thumbnail) int { return cmp.Compare(a.Frame, b.Frame) })
	return list, err
}

// OpenSample opens the full-size picture of a frame that came before the rest of its job, a PNG.
func (c *Coordinator) OpenSample(ctx context.Context, p farm.Principal, jobID string, frame int) (*files.File, error) {
	job, err := c.state.JobOf(p, jobID)
	if err != nil {
		return nil, err
	}
	r, err := c.files.Open(ctx, sampleKey(job.ID, max(frame, 0)))
	if errors.Is(err, files.ErrNotFound) {
		return nil, farm.Errorf(farm.CodeNotFound, "frame %d of job %s was not rendered to be looked at first", frame, job.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("opening a picture of job %s: %w", job.ID, err)
	}
	return files.NewPicture(r, fmt.Sprintf("%d.png", frame)), nil
}

// ApproveJob lets a job go on that waits for somebody to have looked at its first pictures. To approve twice changes nothing.
func (c *Coordinator) ApproveJob(ctx context.Context, p farm.Principal, id string) (farm.Job, error) {
	if err := p.May(farm.ActApprove); err != nil {
		return farm.Job{}, err
	}
	return c.decide(ctx, p, command.DecideJob{ID: id})
}

// maxReason is how long the reason of a rejection may be, in bytes.
const maxReason = 2000

// RejectJob ends a job that waits for approval in error: the error tells who rejected it and why.
func (c *Coordinator) RejectJob(ctx context.Context, p farm.Principal, id, reason string) (farm.Job, error) {
	if err := p.May(farm.ActApprove); err != nil {
		return farm.Job{}, err
	}
	if len(reason) > maxReason {
		return farm.Job{}, farm.Invalid("the reason is too long", farm.FieldError{Field: "reason", Message: fmt.Sprintf("may have %d bytes", maxReason)})
	}
	why := "Rejected by " + cmp.Or(p.Name, "somebody")
	if reason = strings.TrimSpace(reason); reason != "" {
		why += ": " + reason
	}
	return c.decide(ctx, p, command.DecideJob{ID: id, Reject: true, Reason: why})
}

func (c *Coordinator) decide(ctx context.Context, p farm.Principal, cmd command.DecideJob) (farm.Job, error) {
	if ids, before, err := state.Made(ctx); before || err != nil {
		jobs, err := c.jobsByID(ids, err)
		if err != nil {
			return farm.Job{}, err
		}
		return jobs[0], nil
	}
	if _, err := c.state.JobOf(p, cmd.ID); err != nil {
		return farm.Job{}, err
	}
	cmd.Team, cmd.By, cmd.At = p.Team, p.Name, c.cfg.Now()
	res, err := c.state.Apply(ctx, cmd)
	if err != nil {
		return farm.Job{}, err
	}
	if !cmd.Reject {
		c.note(cmd.ID, "approved by "+p.Name)
	}
	return res.Jobs[0], nil
}
