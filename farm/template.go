package farm

import (
	"strings"
	"time"
)

// TemplateStatus is where a template stands. The values are those of the public interface.
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

	// UploadNonce is part of the signature of the upload address in force; a new nonce ends earlier addresses.
	UploadNonce string    `json:"uploadNonce,omitempty"`
	UploadUntil time.Time `json:"uploadUntil,omitzero"`

	File *FileRef `json:"file,omitempty"` // nil until uploaded
	// Introspection names the stored JSON of an aep.Summary; nil until the file has been read.
	Introspection *FileRef  `json:"introspection,omitempty"`
	Compositions  []string  `json:"compositions,omitempty"`
	Layers        []string  `json:"layers,omitempty"`
	Fonts         []FontUse `json:"fonts,omitempty"`
	// Effects are the match names of the effects that the project uses and After Effects does not bring itself.
	Effects []string `json:"effects,omitempty"`
	// SavedWith is the version of After Effects that wrote the project, such as 26.0.
	SavedWith string `json:"savedWith,omitempty"`
	// MissingFootage names files that did not come with the project and that its compositions cannot be rendered without: each job
	// has to bring them.
	MissingFootage []string `json:"missingFootage,omitempty"`
	// Sequential says that its compositions must be rendered from their first frame on, by one machine.
	Sequential bool `json:"sequential,omitempty"`
	ActiveJobs int  `json:"activeJobs,omitempty"` // jobs that have not ended and use it
}

// TemplateLife is how long a template waits for its file before it counts as inactive.
const TemplateLife = 7 * 24 * time.Hour

// Inactive says whether a template has waited too long for its file: jobs cannot use it until its upload is renewed. uploadLife
// is how long its upload address is good, which tells when it was last given out.
func (t Template) Inactive(now time.Time, uploadLife time.Duration) bool {
	return t.Status == TemplateAwaitingUpload && !now.Before(t.UploadUntil.Add(TemplateLife-uploadLife))
}

// FontUse is a font that a project's text uses.
type FontUse struct {
	PostScript string `json:"postScript"`
	Family     string `json:"family,omitempty"`
	Style      string `json:"style,omitempty"`
}

// StoredFile is a caller's own file, handed over to be used as a src, readable by its team until it expires.
type StoredFile struct {
	FileRef
	Team      string    `json:"team"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
	Job       string    `json:"job,omitempty"` // private, of whose own data: address the file was made; it goes with the job
}

// Src is the address under which jobs use the file.
func (f StoredFile) Src() string { return KeptScheme + f.SHA256 }

// UploadUsed tells whether a file has come under the upload address in force. From then on the address takes that file alone, which comes
// again when its answer was lost; a file that could not be read may be followed by another. Addresses of before v0.2 cannot tell.
func (t Template) UploadUsed() bool {
	_, before, tells := strings.Cut(t.UploadNonce, ".")
	return tells && t.File != nil && t.File.SHA256 != before && t.Status != TemplateError
}
