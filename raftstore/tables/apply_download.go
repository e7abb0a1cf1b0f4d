package tables

import (
	"cmp"
	"slices"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// maxDownloads bounds how many downloads are kept, and of how many it is remembered that they were removed: lists of them are read whole.
const maxDownloads = 200

// removedDownload is a file that people had the farm no longer hand out.
type removedDownload struct {
	SHA256 string    `json:"sha256"`
	At     time.Time `json:"at"`
}

func noDownload(sha256 string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "the farm hands out no file %.64q", sha256)
}

func (t *tables) putDownload(c command.PutDownload) command.Result {
	d := c.Download
	if err := checkID("download", d.File.SHA256); err != nil {
		return refuse(err)
	}
	if wrong := d.Problems(); len(wrong) > 0 {
		return refuse(farm.Invalid("the download is not valid", wrong...))
	}
	known := all[farm.Download](t, bucketDownloads)
	var replaced []farm.Download
	for _, k := range known {
		if k.File.SHA256 == d.File.SHA256 || d.Replaces(k) {
			replaced = append(replaced, k)
		}
	}
	if len(known)-len(replaced) >= maxDownloads {
		return refusef(farm.CodeConflict, "the farm hands out %d files, which is as many as it may; remove some", len(known))
	}
	for _, k := range replaced {
		t.dropDownload(k)
	}
	put(t, bucketDownloads, d.File.SHA256, d)
	t.remove(bucketRemovedDownloads, d.File.SHA256)
	t.add(countOfDownloads(d.File.SHA256), 1)
	return command.Result{Updates: true}
}

func (t *tables) removeDownload(c command.RemoveDownload) command.Result {
	d, ok := get[farm.Download](t, bucketDownloads, c.SHA256)
	if !ok {
		return refuse(noDownload(c.SHA256))
	}
	t.dropDownload(d)
	if !c.At.IsZero() {
		t.rememberRemoval(removedDownload{SHA256: c.SHA256, At: c.At})
	}
	return command.Result{Updates: true}
}

// rememberRemoval forgets the earliest removal when there are too many.
func (t *tables) rememberRemoval(r removedDownload) {
	known := all[removedDownload](t, bucketRemovedDownloads)
	if len(known) >= maxDownloads {
		earliest := slices.MinFunc(known, func(a, b removedDownload) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.SHA256, b.SHA256)) })
		t.remove(bucketRemovedDownloads, earliest.SHA256)
	}
	put(t, bucketRemovedDownloads, r.SHA256, r)
}

func (t *tables) dropDownload(d farm.Download) {
	t.remove(bucketDownloads, d.File.SHA256)
	t.add(countOfDownloads(d.File.SHA256), -1)
}
