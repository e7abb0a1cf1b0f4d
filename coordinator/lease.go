package coordinator

import (
	"strings"

	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// leaseOf puts together all that an agent needs to run a task.
func (c *Coordinator) leaseOf(t farm.Task, farmHasAfterEffects bool) (wire.Lease, error) {
	var job farm.Job
	var template *farm.Template
	lease := wire.Lease{Attempt: wire.Attempt{Task: t.ID, Attempt: t.Attempt}, Job: t.Job, Kind: t.Kind}
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		if job, err = tx.Job(t.Job); err != nil {
			return err
		}
		if job.Template.ID != "" {
			found, err := tx.Template(job.Template.ID)
			if err != nil {
				return err
			}
			template = &found
		}
		lease.Files, err = leaseFiles(tx, job)
		return err
	})
	if err != nil {
		return wire.Lease{}, err
	}
	if len(job.Fonts) > 0 {
		// The farm keeps no fonts of its own, so one that a job names by its file is never there.
		return wire.Lease{}, farm.Errorf(farm.CodeInvalid, "Font '%s' not available", job.Fonts[0])
	}
	lease.JobName = job.Name
	lease.Composition = job.Template.Composition
	lease.Assets = job.Assets
	lease.Preview = job.Preview
	lease.Settings = job.Settings
	if t.Frames != nil {
		lease.Settings.Frames = t.Frames
	}
	if !farmHasAfterEffects {
		lease.Settings.Engine = ""
	}
	_, lease.Ext, _ = strings.Cut(job.OutputName, ".")
	if template == nil {
		lease.Project = wire.Project{Src: job.Template.Src}
		return lease, nil
	}
	if template.File == nil {
		return wire.Lease{}, farm.Errorf(farm.CodeInvalid, "Template %q has no file", template.DisplayName)
	}
	lease.Project = wire.Project{Type: template.Type, File: template.File}
	if lease.Composition == "" {
		lease.Composition, err = c.onlyComposition(*template)
	}
	return lease, err
}

// leaseFiles finds the stored files that a job names.
func leaseFiles(tx *raftstore.Tx, job farm.Job) (map[string]farm.FileRef, error) {
	var found map[string]farm.FileRef
	for _, sha256 := range job.KeptFiles() {
		src := farm.KeptScheme + sha256
		file, err := tx.File(job.Team, sha256)
		if farm.CodeOf(err) == farm.CodeNotFound {
			return nil, farm.Errorf(farm.CodeGone, "Asset failed to download (410): %s has expired", src)
		}
		if err != nil {
			return nil, err
		}
		if found == nil {
			found = map[string]farm.FileRef{}
		}
		found[src] = file.FileRef
	}
	return found, nil
}

// filesOf is every kept file that a lease names, by hash.
func filesOf(lease wire.Lease) map[string]farm.FileRef {
	refs := map[string]farm.FileRef{}
	for _, f := range lease.Files {
		refs[f.SHA256] = f
	}
	for _, f := range lease.Fonts {
		refs[f.SHA256] = f
	}
	if f := lease.Project.File; f != nil {
		refs[f.SHA256] = *f
	}
	return refs
}

// outputExt is the extension of a job's result, without the dot.
func outputExt(s farm.Settings) string {
	switch {
	case s.Type == "aep":
		return "zip"
	case s.Type == "image" && s.Frames != nil && !s.Frames.Single:
		return "zip"
	case s.Type == "image" && s.Codec == "image_jpeg":
		return "jpg"
	case s.Type == "image":
		return "png"
	case strings.HasPrefix(s.Codec, "video_prores"):
		return "mov"
	default:
		return "mp4"
	}
}

// contentType is what a kept file is served as, by its name.
func contentType(name string) string {
	switch strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]) {
	case "mp4":
		return "video/mp4"
	case "mov":
		return "video/quicktime"
	case "png":
		return "image/png"
	case "jpg", "jpeg":
		return "image/jpeg"
	case "zip":
		return "application/zip"
	case "log":
		return "text/plain; charset=utf-8"
	default:
		return "application/octet-stream"
	}
}
