package launcher

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"overcrank/durable"
	"overcrank/release"
)

const stateFile = "state.json"

// maxStateBytes bounds what is read of a state: it names a handful of versions.
const maxStateBytes = 256 << 10

// State is what a launcher remembers. The zero value is that of a machine on which no update was ever staged.
type State struct {
	Current   *Kept        `json:"current,omitempty"`   // the update that runs; nil means the installed version
	Previous  *Kept        `json:"previous,omitempty"`  // the update that ran before
	Pending   *Pending     `json:"pending,omitempty"`   // the update that is started next, or is on trial
	Installed string       `json:"installed,omitempty"` // the installed version that noteInstalled saw last
	Bad       []string     `json:"bad,omitempty"`       // versions that were rolled back, the last one last: they are not taken again
	Seen      release.Seen `json:"seen"`                // what this machine has seen of releases; older ones are refused
	Outcome   *Outcome     `json:"outcome,omitempty"`   // of the last update
}

// Kept is a version in the state folder.
type Kept struct {
	Version string `json:"version"`
	Number  int64  `json:"number"` // of its release
}

// Pending is a version that has not yet shown that it works.
type Pending struct {
	Kept
	Starts int  `json:"starts"`         // on trial, but for those that the launcher itself ended
	Away   bool `json:"away,omitempty"` // it says that the farm cannot be reached
}

// Outcome is how an update ended.
type Outcome struct {
	Version string    `json:"version"`
	Number  int64     `json:"number"`
	Good    bool      `json:"good"`             // it said that it was healthy; otherwise it was rolled back
	Away    bool      `json:"away,omitempty"`   // it was rolled back since the farm could not be reached, and may be tried again
	Reason  string    `json:"reason,omitempty"` // why it was rolled back, or of a good one, what its trial did not show
	At      time.Time `json:"at"`
}

// DamagedError means that the state file cannot be parsed.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is damaged: %v", e.Path, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Read reads the state in a state folder. A folder without one has the zero State. The error is a *DamagedError when the file is not what a
// launcher writes.
func Read(folder string) (State, error) {
	path := filepath.Join(folder, stateFile)
	text, err := durable.ReadSmall(path, maxStateBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return State{}, nil
	case errors.Is(err, durable.ErrTooLarge):
		return State{}, &DamagedError{Path: path, Err: err}
	case err != nil:
		return State{}, fmt.Errorf("reading the launcher's state: %w", err)
	}
	st, err := parse(text)
	if err != nil {
		return State{}, &DamagedError{Path: path, Err: err}
	}
	return st, nil
}

func parse(text []byte) (State, error) {
	var st State
	if err := json.Unmarshal(text, &st); err != nil {
		return State{}, err
	}
	return st, st.check()
}

// check refuses versions that are not plain folder names, since their paths would lead out of the versions folder.
func (st State) check() error {
	named := append([]string(nil), st.Bad...)
	for _, k := range []*Kept{st.Current, st.Previous} {
		if k != nil {
			named = append(named, k.Version)
		}
	}
	if st.Pending != nil {
		named = append(named, st.Pending.Version)
	}
	for _, version := range named {
		if !release.ValidVersion(version) {
			return fmt.Errorf("%q is not a version", version)
		}
	}
	return nil
}

// change reads the state, calls do to change it, and writes it if it differs, under a lock against other processes. When do returns an error, nothing is
// written.
func change(folder string, do func(*State) error) (State, error) {
	unlock, err := lock(filepath.Join(folder, "lock"))
	if err != nil {
		return State{}, fmt.Errorf("locking the launcher's state: %w", err)
	}
	defer unlock()
	st, err := Read(folder)
	if err != nil {
		return State{}, err
	}
	before, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return State{}, fmt.Errorf("encoding the launcher's state: %w", err)
	}
	if err := do(&st); err != nil {
		return State{}, err
	}
	text, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return State{}, fmt.Errorf("encoding the launcher's state: %w", err)
	}
	if bytes.Equal(before, text) {
		return st, nil
	}
	return st, patiently(func() error {
		return durable.WriteFile(filepath.Join(folder, stateFile), append(text, '\n'), 0o644)
	})
}

// maxBad is how many bad versions are remembered, the latest ones.
const maxBad = 20

// rollBack drops the pending version and remembers it as bad, unless the farm was away during its trial.
func (st *State) rollBack(reason string, away bool, now time.Time) {
	p := st.Pending
	st.Pending = nil
	st.Outcome = &Outcome{Version: p.Version, Number: p.Number, Reason: reason, Away: away, At: now.UTC().Truncate(time.Second)}
	if away {
		return
	}
	st.Bad = append(st.Bad, p.Version)
	st.Bad = st.Bad[max(0, len(st.Bad)-maxBad):]
}

// kept are the versions in the state folder that the state needs.
func (st State) kept() []string {
	var versions []string
	if st.Pending != nil {
		versions = append(versions, st.Pending.Version)
	}
	for _, k := range []*Kept{st.Current, st.Previous} {
		if k != nil {
			versions = append(versions, k.Version)
		}
	}
	return versions
}
