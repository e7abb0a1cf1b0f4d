package command

import (
	"time"

	"overcrank/farm"
)

// CreateTemplate registers a template.
type CreateTemplate struct{ Template farm.Template }

// RenameTemplate gives a template another display name.
type RenameTemplate struct {
	Team, ID, DisplayName string
	At                    time.Time
}

// MarkTemplate says whether a template's compositions have to be rendered from their first frame on, by one machine. It counts for what
// is begun from then on: a job that is rendered in parts stays so.
type MarkTemplate struct {
	Team, ID   string
	Sequential bool
	At         time.Time
}

// RenewUpload gives a template a fresh upload address and ends earlier ones.
type RenewUpload struct {
	Team, ID, Nonce string
	Until, At       time.Time
}

// ReceiveTemplate says that the file of a template has arrived whole; the template is processing from then on. It is
// refused when Nonce is not the one in force. Nonce is "" for a file that the farm fetched from the template's src.
type ReceiveTemplate struct {
	ID, Nonce string
	File      farm.FileRef
	At        time.Time
}

// FinishTemplate ends the reading of a template's file: with Error it failed. It is refused when FileSHA256 is no longer
// the template's file. Tasks that waited for the template become ready, or fail with it.
type FinishTemplate struct {
	ID, FileSHA256 string
	Introspection  *farm.FileRef
	Compositions   []string
	Layers         []string
	Fonts          []farm.FontUse
	Error          string
	At             time.Time
	MatchFonts     bool     `json:",omitempty"` // match the waiting jobs with the team's fonts
	Effects        []string `json:",omitempty"` // of farm.Template
	SavedWith      string   `json:",omitempty"` // of farm.Template
	MissingFootage []string `json:",omitempty"` // of farm.Template; Store.KnowsMissingFootage says whether it may be given
	// Completed takes the place of the file that came: it is that one with files of the version before. Store.KnowsCompleted says whether it may be given.
	Completed *farm.FileRef `json:",omitempty"`
}

// TakeVersion gives a template the file of one of its earlier versions, by number, as its next version. It is read as one that was uploaded.
type TakeVersion struct {
	Team, ID string
	Version  int
	At       time.Time
}

// DeleteTemplate removes a template; refused while jobs that have not ended use it.
type DeleteTemplate struct{ Team, ID string }

func (CreateTemplate) Needs() int  { return ClusterLevel }
func (RenameTemplate) Needs() int  { return ClusterLevel }
func (MarkTemplate) Needs() int    { return ClusterLevel }
func (RenewUpload) Needs() int     { return ClusterLevel }
func (ReceiveTemplate) Needs() int { return ClusterLevel }
func (DeleteTemplate) Needs() int  { return ClusterLevel }
func (TakeVersion) Needs() int     { return VersionsLevel }

// Needs is higher when files are missing or were put in, which older programs would not keep.
func (c FinishTemplate) Needs() int {
	if c.Completed != nil {
		return CompletedLevel
	}
	if len(c.MissingFootage) > 0 {
		return CheckedLevel
	}
	return ClusterLevel
}
