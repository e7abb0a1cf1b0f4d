package coordinator

import (
	"slices"
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
		job, err = tx.Job(t.Job)
		return err
	})
	if err != nil {
		return wire.Lease{}, err
	}
	if job, err = c.whole(job); err != nil {
		return wire.Lease{}, err
	}
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		if job.Template.ID != "" {
			found, err := tx.Template(job.Template.ID)
			if err != nil {
				return err
			}
			template = &found
		}
		if lease.Files, err = leaseFiles(tx, job); err != nil {
			return err
		}
		if lease.Assets, err = leaseAssets(tx, job, lease.Files); err != nil {
			return err
		}
		return c.leaseExtras(tx, &lease, job, template)
	})
	if err != nil {
		return wire.Lease{}, err
	}
	lease.JobName = job.Name
	lease.Discard = job.Private
	lease.Composition = job.Template.Composition
	lease.Preview = job.Preview
	lease.Settings = job.Settings
	lease.Upload = job.Upload
	if t.Frames != nil {
		lease.Settings.Frames = t.Frames
	}
	if !farmHasAfterEffects {
		lease.Settings.Engine = ""
	}
	_, lease.Ext, _ = strings.Cut(job.OutputName, ".")
	switch {
	case job.Join:
		return lease, nil
	case template == nil:
		lease.Project = wire.Project{Src: job.Template.Src}
		return lease, nil
	case template.File == nil:
		return wire.Lease{}, farm.Errorf(farm.CodeInvalid, "Template %q has no file", template.DisplayName)
	}
	lease.Project = wire.Project{Type: template.Type, File: template.File}
	if lease.Composition == "" {
		lease.Composition, err = onlyComposition(*template, c.summary)
	}
	return lease, err
}

// leaseFiles finds the stored files that a job names.
func leaseFiles(tx *raftstore.Tx, job farm.Job) (map[string]farm.FileRef, error) {
	found := map[string]farm.FileRef{}
	for _, sha256 := range job.KeptFiles() {
		src := farm.KeptScheme + sha256
		file, err := tx.File(job.Team, sha256)
		if farm.CodeOf(err) == farm.CodeNotFound {
			return nil, farm.Errorf(farm.CodeGone, "Asset failed to download (410): %s has expired", src)
		}
		if err != nil {
			return nil, err
		}
		found[src] = file.FileRef
	}
	return found, nil
}

// leaseAssets puts the results of nested jobs in the place of the assets that asked for them, and their files into files.
func leaseAssets(tx *raftstore.Tx, job farm.Job, files map[string]farm.FileRef) ([]farm.Asset, error) {
	if len(job.Children) == 0 {
		return job.Assets, nil
	}
	assets := slices.Clone(job.Assets)
	for i := range assets {
		asset := &assets[i]
		if asset.Child == "" {
			continue
		}
		child, err := tx.Job(asset.Child)
		if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
			return nil, err
		}
		if err != nil || child.Output == nil {
			return nil, farm.Errorf(farm.CodeGone, "Asset failed to download (410): the nested job %s has no result", asset.Child)
		}
		asset.Type, asset.Src, asset.Child = "video", farm.ResultScheme+child.ID, ""
		if child.Settings.Type == "image" {
			asset.Type = "image"
		}
		ref := child.Output.FileRef
		ref.Name = child.OutputName
		files[asset.Src] = ref
	}
	return assets, nil
}

// leasedFile is a file that an agent may read: a kept one, or the result that has this name.
type leasedFile struct {
	farm.FileRef
	output string
}

// filesOf is every file that a lease names, by hash.
func filesOf(lease wire.Lease) map[string]leasedFile {
	refs := map[string]leasedFile{}
	for src, f := range lease.Files {
		file := leasedFile{FileRef: f}
		if strings.HasPrefix(src, farm.ResultScheme) {
			file.output = f.Name
		}
		refs[f.SHA256] = file
	}
	for _, f := range lease.Fonts {
		refs[f.SHA256] = leasedFile{FileRef: f}
	}
	if f := lease.Project.File; f != nil {
		refs[f.SHA256] = leasedFile{FileRef: *f}
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
