package farm

import (
	"strings"
	"time"
)

// TemplateStatus is the state of a template. The values are those of the public interface.
type TemplateStatus string

// The states of a template.
const (
	TemplateAwaitingUpload TemplateStatus = "awaiting_upload"
	TemplateDownloading    TemplateStatus = "downloading"
	TemplateProcessing     TemplateStatus = "processing"
	TemplateUploaded       TemplateStatus = "uploaded"
	TemplateError          TemplateStatus = "error"
)

// Template is a registered After Effects project.
type Template struct {
	ID          string         `json:"id"`
	Team        string         `json:"team"`
	Type        string         `json:"type"` // aep, zip, mogrt
	DisplayName string         `json:"displayName"`
	Status      TemplateStatus `json:"status"`
	Src         string         `json:"src,omitempty"`
	Error       string         `json:"error,omitempty"`
	CreatedAt   time.Time      `json:"createdAt"`
	UpdatedAt   time.Time      `json:"updatedAt"`

	// UploadNonce is part of the signature of the current upload address; a new nonce invalidates earlier addresses.
	UploadNonce string    `json:"uploadNonce,omitempty"`
	UploadUntil time.Time `json:"uploadUntil,omitzero"`

	// UploadBy is the name of the token that the current upload address was made for; "" where that is not known.
	UploadBy string `json:"uploadBy,omitempty"`

	File   *FileRef  `json:"file,omitempty"`   // nil until uploaded
	FileAt time.Time `json:"fileAt,omitzero"`  // when it came
	FileBy string    `json:"fileBy,omitempty"` // name of the token that brought it, "" where that is not known
	// CameAs is the content hash of a project that came alone, where File is an archive of it and of files that the version before had.
	CameAs string `json:"cameAs,omitempty"`
	// Introspection names the stored JSON of an aep.Summary; nil until the file has been read.
	Introspection *FileRef  `json:"introspection,omitempty"`
	Compositions  []string  `json:"compositions,omitempty"`
	Layers        []string  `json:"layers,omitempty"`
	Fonts         []FontUse `json:"fonts,omitempty"`
	// Effects are the match names of the effects that the project uses and that do not come with After Effects.
	Effects []string `json:"effects,omitempty"`
	// SavedWith is the version of After Effects that wrote the project, such as 26.0.
	SavedWith string `json:"savedWith,omitempty"`
	// MissingFootage names files that did not come with the project and that its compositions cannot be rendered
	// without: each job has to supply them.
	MissingFootage []string `json:"missingFootage,omitempty"`
	// Sequential says that one machine must render its compositions from their first frame on.
	Sequential bool `json:"sequential,omitempty"`
	// RetiredAt is since when the template takes no new jobs; zero for one in use. RetiredBy names who said so.
	RetiredAt time.Time `json:"retiredAt,omitzero"`
	RetiredBy string    `json:"retiredBy,omitempty"`
	// Versions are what the template was before its present file, the oldest first, at most MostVersions.
	Versions   []TemplateVersion `json:"versions,omitempty"`
	ActiveJobs int               `json:"activeJobs,omitempty"` // jobs that have not ended and use it
}

// ArchiveEnding is what the names of the files end with that are archives of projects which came without their footage and were completed.
const ArchiveEnding = ".zip"

// FileType is of which type the template's present file is: that of the template, or zip for a project that was completed.
func (t Template) FileType() string {
	if t.Type == "aep" && t.File != nil && strings.HasSuffix(t.File.Name, ArchiveEnding) {
		return "zip"
	}
	return t.Type
}

// TemplateLife is how long a template waits for its file before it becomes inactive.
const TemplateLife = 7 * 24 * time.Hour

// Took says whether the present file came under a content hash.
func (t Template) Took(sha256 string) bool {
	return t.File != nil && (t.File.SHA256 == sha256 || t.CameAs != "" && t.CameAs == sha256)
}

// Inactive says whether a template has waited too long for its file: jobs cannot use it until its upload is renewed.
// uploadLife is how long an upload address is valid, from which follows when it was issued.
func (t Template) Inactive(now time.Time, uploadLife time.Duration) bool {
	return t.Status == TemplateAwaitingUpload && !now.Before(t.UploadUntil.Add(TemplateLife-uploadLife))
}

// FontUse is a font that a project's text uses.
type FontUse struct {
	PostScript string `json:"postScript"`
	Family     string `json:"family,omitempty"`
	Style      string `json:"style,omitempty"`
}

// StoredFile is a caller's own file, uploaded to be used as a src, readable by its team until it expires.
type StoredFile struct {
	FileRef
	Team      string    `json:"team"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
	Job       string    `json:"job,omitempty"` // a private job whose data: address became the file; both are deleted together
}

// Src is the address under which jobs use the file.
func (f StoredFile) Src() string { return KeptScheme + f.SHA256 }

// UploadUsed tells whether the current upload address has received a file. From then on it takes only the same file,
// sent again because its answer was lost; a file that could not be read may be followed by another. It cannot tell for
// addresses from before v0.2.
func (t Template) UploadUsed() bool {
	_, before, tells := strings.Cut(t.UploadNonce, ".")
	return tells && t.File != nil && t.File.SHA256 != before && t.Status != TemplateError
}
