package results

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/png"
	"path"
	"slices"
	"strconv"
	"strings"

	"overcrank/coordinator/files"
	"overcrank/farm"
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

// KeepSamples keeps the full-size pictures of a zip that an attempt has sent; CodeInvalid when it is not one of pictures.
func (r *Results) KeepSamples(ctx context.Context, task farm.Task, key string) error {
	file, err := r.proofs.Open(ctx, files.Kept{Key: key, SHA256: path.Base(key), Size: -1})
	if errors.Is(err, files.ErrDamaged) {
		return farm.Errorf(farm.CodeInvalid, "Render failed: the pictures to look at first did not arrive whole")
	}
	if err != nil {
		return fmt.Errorf("opening the pictures of task %s: %w", task.ID, err)
	}
	defer file.Close()
	archive, err := zip.NewReader(files.At{ReadSeeker: file.ReadSeekCloser}, file.Size)
	if err != nil || len(archive.File) == 0 || len(archive.File) > 16 {
		return farm.Errorf(farm.CodeInvalid, "Render failed: the pictures to look at first cannot be read")
	}
	for _, f := range archive.File {
		name, _ := strings.CutSuffix(f.Name, ".png")
		frame, err := strconv.Atoi(strings.TrimPrefix(name, samplePrefix))
		if err != nil || frame < 0 || frame > maxFrame {
			return farm.Errorf(farm.CodeInvalid, "Render failed: the pictures to look at first hold %q", f.Name)
		}
		if err := r.keepSample(ctx, task.Job, frame, f); err != nil {
			return err
		}
		r.farm.Spread(ctx, farm.Event{Kind: farm.EventThumbnail, Team: task.Team, ID: task.Job, Frame: frame})
	}
	return nil
}

func (r *Results) keepSample(ctx context.Context, job string, frame int, f *zip.File) error {
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
	if _, err := r.files.Put(ctx, sampleKey(job, frame), picture, files.Limits{Size: -1, Max: maxSample}); err != nil {
		return files.ReceiveError("picture", err)
	}
	return nil
}

// Samples lists the full-size pictures of single frames that came before the rest of a job, in the order of the frames.
func (r *Results) Samples(ctx context.Context, p farm.Principal, jobID string) ([]farm.Thumbnail, error) {
	job, err := r.state.JobOf(p, jobID)
	if err != nil {
		return nil, err
	}
	list := []farm.Thumbnail{}
	err = r.files.List(ctx, sampleFolder(job.ID), func(o files.Object) error {
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
func (r *Results) OpenSample(ctx context.Context, p farm.Principal, jobID string, frame int) (*files.File, error) {
	job, err := r.state.JobOf(p, jobID)
	if err != nil {
		return nil, err
	}
	file, err := r.files.Open(ctx, sampleKey(job.ID, max(frame, 0)))
	if errors.Is(err, files.ErrNotFound) {
		return nil, farm.Errorf(farm.CodeNotFound, "frame %d of job %s was not rendered to be looked at first", frame, job.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("opening a picture of job %s: %w", job.ID, err)
	}
	return files.NewPicture(file, fmt.Sprintf("%d.png", frame)), nil
}
