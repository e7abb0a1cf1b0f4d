package farm

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// MostVersions is how many earlier versions of a template are remembered.
	MostVersions = 20
	// KeptVersions is of how many earlier versions of a template the farm keeps the file, so that jobs can render them.
	KeptVersions = 10
	// MostVersionNumber is the largest number of a version that a job may ask for.
	MostVersionNumber = 1_000_000_000
)

// TemplateVersion is what a template was before it got another file. What was read of it is remembered longer than its file is kept.
type TemplateVersion struct {
	Number        int       `json:"number"` // from 1
	File          FileRef   `json:"file"`
	Introspection *FileRef  `json:"introspection,omitempty"`
	SavedWith     string    `json:"savedWith,omitempty"`
	ReplacedAt    time.Time `json:"replacedAt"`
	At            time.Time `json:"at,omitzero"`  // when its file came
	By            string    `json:"by,omitempty"` // name of the token that brought it, "" where that is not known
	// Kept says that the farm keeps the file, and jobs can render the version. The lists below are those of Template.
	Kept           bool      `json:"kept,omitempty"`
	Compositions   []string  `json:"compositions,omitempty"`
	Fonts          []FontUse `json:"fonts,omitempty"`
	Effects        []string  `json:"effects,omitempty"`
	MissingFootage []string  `json:"missingFootage,omitempty"`
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
		Number: t.VersionNow(), File: *t.File, Introspection: t.Introspection, SavedWith: t.SavedWith, ReplacedAt: at, At: t.FileAt, By: t.FileBy,
		Kept: true, Compositions: t.Compositions, Fonts: t.Fonts, Effects: t.Effects, MissingFootage: t.MissingFootage,
	})
	for i := range versions[:max(0, len(versions)-KeptVersions)] {
		versions[i].Kept = false
	}
	return versions[max(0, len(versions)-MostVersions):]
}

// WithoutFiles are the earlier versions of a template as they are once the farm keeps no file of them.
func (t Template) WithoutFiles() []TemplateVersion {
	versions := slices.Clone(t.Versions)
	for i := range versions {
		versions[i].Kept = false
	}
	return versions
}

// Renderable are the numbers of the versions that jobs can render, the present one last.
func (t Template) Renderable() []int {
	var numbers []int
	for _, v := range t.Versions {
		if v.Kept {
			numbers = append(numbers, v.Number)
		}
	}
	return append(numbers, t.VersionNow())
}

// WrongVersion says of a field that asks for a version that jobs cannot render which they can.
func (t Template) WrongVersion(field string, version int) FieldError {
	asked, there := strconv.Itoa(version), t.renderableWords()
	gone, several := version > 0 && version < t.VersionNow(), len(t.Renderable()) > 1
	switch {
	case gone && several:
		return Field(field, "is %s, whose file is no longer kept; template %q has the versions %s", asked, t.DisplayName, there)
	case gone:
		return Field(field, "is %s, whose file is no longer kept; template %q has only version %s", asked, t.DisplayName, there)
	case several:
		return Field(field, "is %s; template %q has the versions %s", asked, t.DisplayName, there)
	}
	return Field(field, "is %s; template %q has only version %s", asked, t.DisplayName, there)
}

// NoVersion is CodeNotFound for a version that jobs cannot render, and says which they can.
func (t Template) NoVersion(version int) *Error {
	return Errorf(CodeNotFound, "version %s of template %q cannot be rendered; versions that can: %s", strconv.Itoa(version), t.DisplayName, t.renderableWords())
}

// renderableWords are the versions that jobs can render in a row: "1, 2, 5".
func (t Template) renderableWords() string {
	numbers := t.Renderable()
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}

// AtVersion is the template as it was in a version that jobs can render; 0 stands for the present one. kept is false for one that they cannot.
func (t Template) AtVersion(number int) (was Template, kept bool) {
	if number == 0 || number == t.VersionNow() {
		return t, true
	}
	i := slices.IndexFunc(t.Versions, func(v TemplateVersion) bool { return v.Number == number })
	if i < 0 || !t.Versions[i].Kept {
		return t, false
	}
	return t.as(t.Versions[i]), true
}

// as is the template as it was in an earlier version, which had been read.
func (t Template) as(v TemplateVersion) Template {
	file := v.File
	t.File, t.Introspection, t.SavedWith = &file, v.Introspection, v.SavedWith
	t.Compositions, t.Fonts, t.Effects, t.MissingFootage, t.Layers = v.Compositions, v.Fonts, v.Effects, v.MissingFootage, nil
	t.Status, t.Error = TemplateUploaded, ""
	return t
}

// RenderedBy is the template as a job renders it: as it was in the version whose file the job holds. Of a version that is no longer remembered
// only its file is known.
func (t Template) RenderedBy(j Job) Template {
	if j.Project == nil || t.File != nil && t.File.SHA256 == j.Project.SHA256 {
		return t
	}
	for _, v := range slices.Backward(t.Versions) {
		if v.File.SHA256 == j.Project.SHA256 {
			return t.as(v)
		}
	}
	return t.as(TemplateVersion{File: *j.Project})
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

// VersionFor is the number of the version that a job renders: that which it asked for, that whose file it holds, or else that with which its
// rendering began, or would begin now. It is 0 for one that ended before it began, and where it is not remembered any more.
func (t Template) VersionFor(j Job) int {
	switch {
	case j.Template.Version > 0:
		return j.Template.Version
	case j.Project != nil && t.fileAt(j.CreatedAt) == j.Project.SHA256:
		return t.VersionAt(j.CreatedAt)
	case j.Project != nil && t.VersionOf(j.Project.SHA256) > 0:
		return t.VersionOf(j.Project.SHA256)
	case !j.StartedAt.IsZero():
		return t.VersionAt(j.StartedAt)
	case j.Status.Ended():
		return 0
	}
	return t.VersionNow()
}

// fileAt is the content of the file that the template had at a time, "" when that is not remembered any more.
func (t Template) fileAt(at time.Time) string {
	number := t.VersionAt(at)
	if number == t.VersionNow() && t.File != nil {
		return t.File.SHA256
	}
	for _, v := range t.Versions {
		if v.Number == number {
			return v.File.SHA256
		}
	}
	return ""
}
