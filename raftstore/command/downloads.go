package command

import (
	"time"

	"overcrank/farm"
)

// PutDownload keeps a file that the farm hands out, in the place of one that it replaces.
type PutDownload struct{ Download farm.Download }

// RemoveDownload forgets a file that the farm hands out. With a time, that it was removed is remembered until PutDownload brings it back, so that a
// coordinator that finds the file in a folder of packages leaves it there.
type RemoveDownload struct {
	SHA256 string
	At     time.Time `json:"At,omitzero"`
}

func (PutDownload) Needs() int    { return ReleasesLevel }
func (RemoveDownload) Needs() int { return ReleasesLevel }
