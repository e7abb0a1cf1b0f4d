package command

import "overcrank/farm"

// PutDownload keeps a file that the farm hands out, in the place of one that it replaces.
type PutDownload struct{ Download farm.Download }

// RemoveDownload forgets a file that the farm hands out.
type RemoveDownload struct{ SHA256 string }

func (PutDownload) Needs() int    { return ReleasesLevel }
func (RemoveDownload) Needs() int { return ReleasesLevel }
