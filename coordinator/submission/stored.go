package submission

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/url"
	"strconv"
	"strings"

	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// maxInline is how long a data: address may be within the farm's state; longer ones become kept files.
const maxInline = 4 << 10

// keepData moves long data: addresses out of the job into kept files.
func (s *Submitter) keepData(ctx context.Context, p farm.Principal, job *farm.Job) error {
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
			return farm.Invalid("a data: address cannot be read", farm.Field(field, "%s", farm.AsIs(err.Error())))
		}
		if exts, err := mime.ExtensionsByType(mediaType); err == nil && len(exts) > 0 && !strings.Contains(name, ".") {
			name += exts[len(exts)-1]
		}
		stored, err := s.stored.PutFor(ctx, p, owner, name, bytes.NewReader(data), int64(len(data)))
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
func (s *Submitter) storedFiles(p farm.Principal, job farm.Job) ([]farm.StoredFile, error) {
	if len(job.KeptFiles()) == 0 {
		return nil, nil
	}
	var missing []farm.FieldError
	var stored []farm.StoredFile
	err := s.state.View(func(tx *raftstore.Tx) error {
		check := func(field, src string) error {
			sha256, ok := strings.CutPrefix(src, farm.KeptScheme)
			if !ok {
				return nil
			}
			f, err := tx.File(p.Team, sha256)
			if farm.CodeOf(err) == farm.CodeNotFound {
				missing = append(missing, farm.Field(field, "there is no stored file %s; it may have expired: store it again", src))
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
func (s *Submitter) prolong(ctx context.Context, f farm.StoredFile) error {
	now := s.state.Now()
	if f.Job != "" || f.ExpiresAt.Sub(now) > s.cfg.FileLife/2 {
		return nil
	}
	f.ExpiresAt = now.Add(s.cfg.FileLife)
	_, err := s.state.Apply(ctx, command.PutFile{File: f})
	return err
}

// refusedFiles are the fields of a job that name a file by a file: address which no machine of the farm may read, as far as their agents
// have told. Machines that are not connected count as well, and one whose agent is too old to tell may be allowed anything.
func (s *Submitter) refusedFiles(job farm.Job) (refused []farm.FieldError, err error) {
	refused = refusedSources(job, func(src string) (why string) {
		if scheme, _, _ := strings.Cut(src, ":"); err != nil || !strings.EqualFold(scheme, "file") || len(farm.SecretRefs(src)) > 0 {
			return ""
		}
		u, wrong := url.Parse(src)
		if wrong != nil {
			return "is not a well-formed file: address"
		}
		allowed, failed := s.farm.FileAllowed(u.Path)
		if err = failed; allowed || err != nil {
			return ""
		}
		return "is in no folder that a machine of the farm may take files from; an administrator allows a folder by the flag --root of a machine's agent"
	})
	return refused, err
}
