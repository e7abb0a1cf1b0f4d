package coordinator

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"strconv"
	"strings"
	"time"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// maxInline is how long a data: address may be within the farm's state; longer ones become kept files.
const maxInline = 4 << 10

// Submit takes a job with the jobs nested in it. The caller has checked its shape; Submit checks it against the farm:
// templates, compositions, files. The whole family is accepted when Submit returns: it survives whatever happens to any
// machine. In the answer each nested job stands in its asset, as Nested.
func (c *Coordinator) Submit(ctx context.Context, p farm.Principal, job farm.Job) (farm.Job, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return farm.Job{}, err
	}
	if ids, before, err := state.Made(ctx); before || err != nil {
		return c.submitted(ids, err)
	}
	s := c.newSubmission(p)
	job, err := s.plan(state.Aside(ctx), job)
	if err != nil {
		return farm.Job{}, err
	}
	if err := s.setAside(ctx, s.jobs); err != nil {
		return farm.Job{}, err
	}
	if _, err := c.state.Apply(ctx, command.SubmitJobs{Jobs: s.jobs, Tasks: s.tasks}); err != nil {
		return farm.Job{}, err
	}
	return job, c.tellMissingOfFamily(&job)
}

// submitted reads a job as Submit gave it, by its id.
func (c *Coordinator) submitted(ids []string, err error) (job farm.Job, _ error) {
	if err != nil {
		return farm.Job{}, err
	}
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		job, err = tx.Job(ids[0])
		if err == nil {
			err = readNested(tx, &job)
		}
		return err
	})
	return job, errors.Join(err, c.tellMissingOfFamily(&job))
}

// readNested puts the jobs nested in a job into its assets, as they were submitted.
func readNested(tx *raftstore.Tx, job *farm.Job) error {
	job.Status = farm.JobQueued
	if len(job.Children) > 0 {
		job.Status = farm.JobPending
	}
	for i := range job.Assets {
		asset := &job.Assets[i]
		if asset.Child == "" {
			continue
		}
		child, err := tx.Job(asset.Child)
		if err != nil {
			return err
		}
		if err := readNested(tx, &child); err != nil {
			return err
		}
		asset.Nested = &child
	}
	return nil
}

// keepData moves long data: addresses out of the job into kept files.
func (c *Coordinator) keepData(ctx context.Context, p farm.Principal, job *farm.Job) error {
	owner := ""
	if job.Private {
		owner = job.ID
	}
	long := func(src string) bool {
		return strings.HasPrefix(src, "data:") && len(src) > maxInline && len(farm.SecretRefs(src)) == 0
	}
	keep := func(field, name string, src *string) error {
		data, mediaType, err := address.Data(*src)
		if err != nil {
			return farm.Invalid("a data: address cannot be read", farm.FieldError{Field: field, Message: err.Error()})
		}
		if exts, err := mime.ExtensionsByType(mediaType); err == nil && len(exts) > 0 && !strings.Contains(name, ".") {
			name += exts[len(exts)-1]
		}
		stored, err := c.putFile(ctx, p, name, bytes.NewReader(data), int64(len(data)), owner)
		if err != nil {
			return err
		}
		*src = stored.Src()
		return nil
	}
	if long(job.Template.Src) {
		if err := keep("template.src", "project", &job.Template.Src); err != nil {
			return err
		}
	}
	for i := range job.Assets {
		a := &job.Assets[i]
		media := a.MediaValue()
		if !long(a.Src) && !long(media) {
			continue
		}
		name := cmp.Or(a.Name, fmt.Sprintf("asset-%d", i))
		if long(a.Src) {
			if err := keep(fmt.Sprintf("assets[%d].src", i), name, &a.Src); err != nil {
				return err
			}
		}
		if long(media) {
			if err := keep(fmt.Sprintf("assets[%d].value", i), name, &media); err != nil {
				return err
			}
			a.Value = json.RawMessage(strconv.Quote(media)) // farm:// and hexadecimal digits need no escaping
		}
	}
	return nil
}

// storedFiles finds the stored files that a job names; it is an error when one is not there.
func (c *Coordinator) storedFiles(p farm.Principal, job farm.Job) ([]farm.StoredFile, error) {
	if len(job.KeptFiles()) == 0 {
		return nil, nil
	}
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

// prolong moves a stored file's expiry when half of its life is over. One that goes with a job has none to be moved.
func (c *Coordinator) prolong(ctx context.Context, f farm.StoredFile) error {
	now := c.cfg.Now()
	if f.Job != "" || f.ExpiresAt.Sub(now) > c.cfg.FileLife/2 {
		return nil
	}
	f.ExpiresAt = now.Add(c.cfg.FileLife)
	_, err := c.state.Apply(ctx, command.PutFile{File: f})
	return err
}

// waitTime words a point in time for a sentence.
func waitTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
