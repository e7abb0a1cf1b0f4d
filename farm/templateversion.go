package farm

import (
	"slices"
	"time"
)

// MostVersions is how many earlier versions of a template are remembered.
const MostVersions = 20

// TemplateVersion is what a template was before it got another file. The farm keeps what was read of it, not the file.
type TemplateVersion struct {
	Number        int       `json:"number"` // from 1
	File          FileRef   `json:"file"`
	Introspection *FileRef  `json:"introspection,omitempty"`
	SavedWith     string    `json:"savedWith,omitempty"`
	ReplacedAt    time.Time `json:"replacedAt"`
}

// VersionNow is the number of the version that the template has now, from 1.
func (t Template) VersionNow() int {
	if len(t.Versions) == 0 {
		return 1
	}
	return t.Versions[len(t.Versions)-1].Number + 1
}

// Superseded gives the earlier versions of a template whose present file is replaced at a time, the oldest first.
func (t Template) Superseded(at time.Time) []TemplateVersion {
	versions := append(slices.Clone(t.Versions), TemplateVersion{
		Number: t.VersionNow(), File: *t.File, Introspection: t.Introspection, SavedWith: t.SavedWith, ReplacedAt: at,
	})
	return versions[max(0, len(versions)-MostVersions):]
}

// VersionOf is the number of the version that had a file, 0 when none of those that are remembered had.
func (t Template) VersionOf(sha256 string) int {
	if t.File != nil && t.File.SHA256 == sha256 {
		return t.VersionNow()
	}
	for _, v := range slices.Backward(t.Versions) {
		if v.File.SHA256 == sha256 {
			return v.Number
		}
	}
	return 0
}

// VersionAt is the number of the version that the template had at a time, 0 when that is not remembered any more.
func (t Template) VersionAt(at time.Time) int {
	for i, v := range t.Versions {
		if at.Before(v.ReplacedAt) {
			if i == 0 && v.Number > 1 {
				return 0
			}
			return v.Number
		}
	}
	return t.VersionNow()
}

// VersionFor is the number of the version with which a job's rendering began, or would begin now; 0 for one that ended before it began, and where it
// is not remembered any more.
func (t Template) VersionFor(j Job) int {
	switch {
	case !j.StartedAt.IsZero():
		return t.VersionAt(j.StartedAt)
	case j.Status.Ended():
		return 0
	}
	return t.VersionNow()
}
