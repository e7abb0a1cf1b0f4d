package coordinator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"strconv"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/raftstore"
)

// maxInline is how long a data: address may be within the farm's state; longer ones become kept files.
const maxInline = 4 << 10

// Submit takes a job with the jobs nested in it. The caller has checked its shape; Submit checks it against the farm:
// templates, compositions, files. The whole family is accepted when Submit returns: it survives whatever happens to any
// machine. In the answer each nested job stands in its asset, as Nested.
func (c *Coordinator) Submit(ctx context.Context, p farm.Principal, job farm.Job) (farm.Job, error) {
	s := c.newSubmission(p)
	job, err := s.plan(ctx, job)
	if err != nil {
		return farm.Job{}, err
	}
	if _, err := c.apply(ctx, raftstore.SubmitJobs{Jobs: s.jobs, Tasks: s.tasks}); err != nil {
	now := c.cfg.Now()
	job.ID, job.Team, job.SubmittedBy = id, p.Team, p.Name
	job.CreatedAt, job.UpdatedAt, job.Status = now, now, farm.JobQueued
	job.OutputName = id + "-" + strings.ToLower(rand.Text()) + "." + outputExt(job.Settings)
	job.Assets = slices.Clone(job.Assets)

	if unknown := c.checkSecrets(p.Team, job); len(unknown) > 0 {
		return farm.Job{}, farm.Invalid("the job refers to secrets that do not exist", unknown...)
	}
	ready, err := c.settleTemplate(ctx, p, &job)
	if err != nil {
		return farm.Job{}, err
	}
	return job, nil
}

// settleTemplate checks the project that a job names, and settles its composition and its number of frames as far as they
// are known. ready tells whether the project's file is there.
func (c *Coordinator) settleTemplate(ctx context.Context, p farm.Principal, job *farm.Job) (ready bool, err error) {
	if job.Template.ID != "" {
		t, err := c.Template(ctx, p, job.Template.ID)
		if err == nil {
			job.Template.Src = ""
			if err := c.settleFonts(job, &t); err != nil {
				return false, err
			}
			return c.settleComposition(job, t)
		}
		if farm.CodeOf(err) != farm.CodeNotFound || job.Template.Src == "" {
			return false, err
		}
		job.Template.ID = ""
	}
	if job.Template.Src == "" {
		return false, farm.Invalid("the job names no project",
			farm.FieldError{Field: "template", Message: "needs an id or a src"})
	}
	if job.Settings.Frames != nil {
		job.FramesTotal = job.Settings.Frames.Count()
	}
	return true, c.settleFonts(job, nil)
}

func (c *Coordinator) settleComposition(job *farm.Job, t farm.Template) (ready bool, err error) {
	switch t.Status {
	case farm.TemplateUploaded:
	case farm.TemplateAwaitingUpload, farm.TemplateDownloading, farm.TemplateProcessing:
		return false, nil
	default:
		return false, farm.Invalid("the job's template cannot be used", farm.FieldError{
			Field: "template.id", Message: strings.TrimSpace(fmt.Sprintf("template %q is in state %s. %s", t.DisplayName, t.Status, t.Error)),
		})
	}
	if job.Template.Composition == "" {
		if job.Template.Composition, err = c.onlyComposition(t); err != nil {
			return false, err
		}
	} else if len(t.Compositions) < maxUsed && !slices.Contains(t.Compositions, job.Template.Composition) {
		return false, farm.Invalid(fmt.Sprintf("Composition '%s' not found", job.Template.Composition), farm.FieldError{
			Field: "template.composition", Message: "template \"" + t.DisplayName + "\" has " + quoteAll(t.Compositions),
		})
	}
	return true, c.countFrames(job, t)
}

// countFrames notes how many frames a job renders, and refuses a range that begins beyond the composition's end. One that
// only ends there is common among clients that count the end as excluded: what there is of it is rendered.
func (c *Coordinator) countFrames(job *farm.Job, t farm.Template) error {
	total := 0
	if t.Introspection != nil && job.Template.Composition != "" {
		s, err := c.summary(*t.Introspection)
		if err != nil {
			return err
		}
		for _, comp := range s.Compositions {
			if comp.Name == job.Template.Composition {
				total = int(math.Round(comp.Duration * comp.FrameRate))
				break
			}
		}
	}
	if f := job.Settings.Frames; f != nil {
		if total > 0 && f.Start >= total {
			return farm.Invalid("the job asks for frames that its composition does not have", farm.FieldError{
				Field:   "settings.frames",
				Message: fmt.Sprintf("composition '%s' has the frames 0 to %d", job.Template.Composition, total-1),
			})
		}
		last := f.End
		if total > 0 {
			last = min(last, total-1)
		}
		total = last - f.Start + 1
	}
	job.FramesTotal = total
	return nil
}

// keepData moves long data: addresses out of the job into kept files.
func (c *Coordinator) keepData(ctx context.Context, p farm.Principal, job *farm.Job) error {
	keep := func(field, name string, src *string) error {
		if !strings.HasPrefix(*src, "data:") || len(*src) <= maxInline || len(farm.SecretRefs(*src)) > 0 {
			return nil
		}
		data, mediaType, err := address.Data(*src)
		if err != nil {
			return farm.Invalid("a data: address cannot be read", farm.FieldError{Field: field, Message: err.Error()})
		}
		if exts, err := mime.ExtensionsByType(mediaType); err == nil && len(exts) > 0 && !strings.Contains(name, ".") {
			name += exts[len(exts)-1]
		}
		stored, err := c.PutFile(ctx, p, name, bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return err
		}
		*src = stored.Src()
		return nil
	}
	if err := keep("template.src", "project", &job.Template.Src); err != nil {
		return err
	}
	for i := range job.Assets {
		a := &job.Assets[i]
		name := a.Name
		if name == "" {
			name = fmt.Sprintf("asset-%d", i)
		}
		if err := keep(fmt.Sprintf("assets[%d].src", i), name, &a.Src); err != nil {
			return err
		}
		media := a.MediaValue()
		if err := keep(fmt.Sprintf("assets[%d].value", i), name, &media); err != nil {
			return err
		}
		if media != a.MediaValue() {
			a.Value = json.RawMessage(strconv.Quote(media)) // farm:// and hexadecimal digits need no escaping
		}
	}
	return nil
}

// storedFiles finds the stored files that a job names; it is an error when one is not there.
func (c *Coordinator) storedFiles(p farm.Principal, job farm.Job) ([]farm.StoredFile, error) {
	var missing []farm.FieldError
	var stored []farm.StoredFile
	err := c.store.View(func(tx *raftstore.Tx) error {
		check := func(field, src string) error {
			sha256, ok := strings.CutPrefix(src, farm.KeptScheme)
			if !ok {
				return nil
			}
			f, err := tx.File(p.Team, sha256)
			if farm.CodeOf(err) == farm.CodeNotFound {
				missing = append(missing, farm.FieldError{Field: field, Message: "there is no stored file " + src + "; it may have expired: store it again"})
				return nil
			}
			if err == nil {
				stored = append(stored, f)
			}
			return err
		}
		if err := check("template.src", job.Template.Src); err != nil {
			return err
		}
		for i, a := range job.Assets {
			if err := check(fmt.Sprintf("assets[%d].src", i), a.Src); err != nil {
				return err
			}
			if err := check(fmt.Sprintf("assets[%d].value", i), a.MediaValue()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		return nil, farm.Invalid("the job names files that the farm does not have", missing...)
	}
	return stored, nil
}

// prolong moves a stored file's expiry when half of its life is over.
func (c *Coordinator) prolong(ctx context.Context, f farm.StoredFile) error {
	now := c.cfg.Now()
	if f.ExpiresAt.Sub(now) > c.cfg.FileLife/2 {
		return nil
	}
	f.ExpiresAt = now.Add(c.cfg.FileLife)
	_, err := c.apply(ctx, raftstore.PutFile{File: f})
	return err
}

// waitTime words a point in time for a sentence.
func waitTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
