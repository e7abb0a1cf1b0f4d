package tables

import (
	"bytes"
	"fmt"
	"slices"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

const (
	// updatesKey is where the one record of bucketUpdates lies.
	updatesKey = "farm"
	// maxReleases bounds how many releases are kept: lists of them are read whole.
	maxReleases = 100
	// maxReleaseDocument bounds each signed document of a release, in bytes.
	maxReleaseDocument = 256 << 10
)

func noRelease(version string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "the farm has no release %q", version)
}

// releaseNumber is the row of bucketReleaseNumbers for a release: what the next one is compared with.
type releaseNumber struct {
	Version string `json:"version"`
	Keys    int64  `json:"keys"`
}

// releaseDocuments is the row of bucketReleaseDocuments for a release.
type releaseDocuments struct {
	Documents []farm.ReleaseDocument `json:"documents"`
}

func numberKey(number int64) string { return fmt.Sprintf("%019d", number) }

func (t *tables) putRelease(c command.PutRelease) command.Result {
	r := c.Release
	if err := checkRelease(r); err != nil {
		return refuse(err)
	}
	if t.has(bucketReleases, r.Version) {
		known, _ := get[releaseDocuments](t, bucketReleaseDocuments, r.Version)
		if slices.EqualFunc(known.Documents, r.Documents, sameDocument) {
			return command.Result{}
		}
		return refusef(farm.CodeConflict, "the farm has another release %s; remove that one first", r.Version)
	}
	if k, ok := get[releaseNumber](t, bucketReleaseNumbers, numberKey(r.Number)); ok {
		return refusef(farm.CodeConflict, "release %s has the number %d already", k.Version, r.Number)
	}
	known := all[releaseNumber](t, bucketReleaseNumbers)
	for _, k := range known {
		if k.Keys > r.Keys {
			return refusef(farm.CodeConflict, "release %s comes with release keys number %d, and %s has number %d: the older list is valid no longer", r.Version, r.Keys, k.Version, k.Keys)
		}
	}
	if len(known) >= maxReleases {
		return refusef(farm.CodeConflict, "the farm keeps %d releases, which is as many as it may; remove some", len(known))
	}
	put(t, bucketReleaseDocuments, r.Version, releaseDocuments{r.Documents})
	put(t, bucketReleaseNumbers, numberKey(r.Number), releaseNumber{r.Version, r.Keys})
	r.Documents = nil
	put(t, bucketReleases, r.Version, r)
	for _, f := range r.Files {
		t.add(countOfReleaseFiles(f.File.SHA256), 1)
	}
	return command.Result{Updates: true}
}

func sameDocument(a, b farm.ReleaseDocument) bool {
	return a.Name == b.Name && bytes.Equal(a.Content, b.Content)
}

// checkRelease refuses a release whose names could not stand in a key. Whether it is signed was seen by who sent it.
func checkRelease(r farm.Release) *farm.Error {
	if err := checkID("release", r.Version); err != nil {
		return err
	}
	if r.Number < 1 {
		return farm.Errorf(farm.CodeInvalid, "release %s has no number", r.Version)
	}
	if len(r.Files) == 0 || len(r.Documents) == 0 {
		return farm.Errorf(farm.CodeInvalid, "release %s has no files", r.Version)
	}
	for _, f := range r.Files {
		if err := checkID("release's file", f.File.SHA256); err != nil {
			return err
		}
	}
	for _, document := range r.Documents {
		if len(document.Content) > maxReleaseDocument {
			return farm.Errorf(farm.CodeInvalid, "a document of release %s is larger than %d bytes", r.Version, maxReleaseDocument)
		}
	}
	return nil
}

func (t *tables) removeRelease(c command.RemoveRelease) command.Result {
	r, ok := get[farm.Release](t, bucketReleases, c.Version)
	if !ok {
		return refuse(noRelease(c.Version))
	}
	if t.updates().Release == c.Version {
		return refusef(farm.CodeConflict, "the farm's machines are to run release %s; choose another one, or none, first", c.Version)
	}
	t.remove(bucketReleases, c.Version)
	t.remove(bucketReleaseDocuments, c.Version)
	t.remove(bucketReleaseNumbers, numberKey(r.Number))
	for _, f := range r.Files {
		t.add(countOfReleaseFiles(f.File.SHA256), -1)
	}
	return command.Result{Updates: true}
}

// updates is how machines get releases, zero while nobody has said so.
func (t *tables) updates() farm.Updates {
	u, _ := get[farm.Updates](t, bucketUpdates, updatesKey)
	return u
}

func (t *tables) putUpdates(c command.PutUpdates) command.Result {
	u := c.Updates
	if now := t.updates(); u.Revision != now.Revision {
		return refusef(farm.CodeConflict, "the settings of updates have changed meanwhile: this was made from revision %d, and %d is in force; read them again", u.Revision, now.Revision)
	}
	if wrong := u.Problems(); len(wrong) > 0 {
		return refuse(farm.Invalid("the settings of updates are not valid", wrong...))
	}
	if u.Release != "" && !t.has(bucketReleases, u.Release) {
		return refuse(noRelease(u.Release))
	}
	u.Revision++
	put(t, bucketUpdates, updatesKey, u)
	return command.Result{Updates: true}
}

func (t *tables) recordUpdates(c command.RecordUpdates) command.Result {
	for _, m := range c.Machines {
		if t.has(bucketAgents, m.Agent) {
			put(t, bucketMachineUpdates, m.Agent, m)
			t.note(farm.EventMachine, "", m.Agent)
		}
	}
	return command.Result{}
}
