package handout

import (
	"slices"
	"strings"

	"overcrank/coordinator/library"
	"overcrank/coordinator/results"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// File is a file that an agent may read: a kept one, the result that has this name, or what lies under this key.
type File struct {
	farm.FileRef
	Output string `json:"output,omitempty"`
	Key    string `json:"key,omitempty"`
}

// Files is every file that the lease names, by hash.
func (h Handout) Files() map[string]File {
	lease, refs := h.Lease, map[string]File{}
	for src, f := range lease.Files {
		file := File{FileRef: f}
		if strings.HasPrefix(src, farm.ResultScheme) {
			file.Output = f.Name
		}
		if at, ok := partAttempt(src); ok {
			file.Key = results.AttemptKey(at, f.SHA256)
		}
		refs[f.SHA256] = file
	}
	for _, f := range lease.Fonts {
		refs[f.SHA256] = File{FileRef: f}
	}
	if f := lease.Project.File; f != nil {
		refs[f.SHA256] = File{FileRef: *f}
	}
	return refs
}

// readFiles adds the files that a job's machine reads, its assets and its fonts. The address of the project becomes the lease's name for
// it where it is that of a result.
func (m *Maker) readFiles(tx *raftstore.Tx, lease *wire.Lease, job *farm.Job, template *farm.Template) (err error) {
	if lease.Files, err = leaseFiles(tx, *job); err != nil {
		return err
	}
	if lease.Assets, err = m.leaseAssets(tx, *job, lease.Files); err != nil {
		return err
	}
	if err := m.nameResults(tx, job.Team, lease.Files, &job.Template.Src); err != nil {
		return err
	}
	lease.Fonts, err = library.FontsFor(tx, *job, template)
	return err
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

// leaseAssets puts the results of nested jobs in the place of the assets that asked for them, and the farm's own name of a result in
// the place of its address; their files go into files.
func (m *Maker) leaseAssets(tx *raftstore.Tx, job farm.Job, files map[string]farm.FileRef) ([]farm.Asset, error) {
	assets := slices.Clone(job.Assets)
	srcs := make([]*string, len(assets))
	for i := range assets {
		srcs[i] = &assets[i].Src
	}
	if err := m.nameResults(tx, job.Team, files, srcs...); err != nil || len(job.Children) == 0 {
		return assets, err
	}
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
		asset.Type, asset.Src, asset.Child = "video", nameResult(files, child), ""
		if child.Settings.Type == "image" {
			asset.Type = "image"
		}
	}
	return assets, nil
}

// nameResults lets an agent have results of the team by itself that a lease names by the addresses under which callers know them: of
// the farm's addresses it may reach none, or be asked there for a token that it does not have. srcs that name one become those of
// the lease, and the results' files go into files.
func (m *Maker) nameResults(tx *raftstore.Tx, team string, files map[string]farm.FileRef, srcs ...*string) error {
	srcs = slices.DeleteFunc(srcs, func(src *string) bool {
		_, _, is := results.SplitAddress(*src)
		return !is
	})
	if len(srcs) == 0 {
		return nil
	}
	bases, err := m.cluster.BaseAddresses(tx)
	if err != nil {
		return err
	}
	for _, src := range srcs {
		base, name, _ := results.SplitAddress(*src)
		if !slices.Contains(bases, base) {
			continue
		}
		job, err := tx.JobByOutput(name)
		switch {
		case farm.CodeOf(err) == farm.CodeNotFound:
			continue
		case err != nil:
			return err
		case job.Team == team && job.Output != nil && job.Output.Remote == nil && job.Output.GoneAt.IsZero():
			*src = nameResult(files, job)
		}
	}
	return nil
}

// nameResult puts a job's result among the files of a lease and gives the address by which the lease names it.
func nameResult(files map[string]farm.FileRef, job farm.Job) string {
	ref := job.Output.FileRef
	ref.Name = job.OutputName
	src := farm.ResultScheme + job.ID
	files[src] = ref
	return src
}
