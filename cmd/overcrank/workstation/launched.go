package workstation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"overcrank/cmd/overcrank/terminal"
	"overcrank/launcher"
)

// launcherFolder is where the launcher of this machine keeps its state. Packages have it in one place.
type launcherFolder struct {
	LauncherState string `hidden:"" default:"${launcher_folder}"`
}

// launched is which versions the launcher of this machine has.
type launched struct {
	Version  string            `json:"version"`            // the version that is started; "" is the installed one, before any update
	Previous string            `json:"previous,omitempty"` // the update before
	Pending  string            `json:"pending,omitempty"`  // an update that is started next, or is on trial
	OnTrial  bool              `json:"onTrial,omitempty"`  // the pending one was started
	Bad      []string          `json:"bad,omitempty"`      // updates that were rolled back
	Outcome  *launcher.Outcome `json:"outcome,omitempty"`  // of the last update
	Trouble  string            `json:"trouble,omitempty"`  // why nothing is known
}

// look reads the launcher's state, nil where there is no launcher.
func (f launcherFolder) look() *launched {
	if _, err := os.Stat(f.LauncherState); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	st, err := launcher.Read(f.LauncherState)
	if err != nil {
		return &launched{Trouble: err.Error()}
	}
	found := &launched{Version: st.Installed, Bad: st.Bad, Outcome: st.Outcome}
	if st.Current != nil {
		found.Version = st.Current.Version
	}
	if st.Previous != nil {
		found.Previous = st.Previous.Version
	}
	if st.Pending != nil {
		found.Pending, found.OnTrial = st.Pending.Version, st.Pending.Starts > 0
	}
	return found
}

// lines describe it to people.
func (l *launched) lines() []string {
	if l == nil {
		return nil
	}
	if l.Trouble != "" {
		return []string{"launcher: " + terminal.Plain(l.Trouble)}
	}
	var lines []string
	if l.Version != "" {
		lines = append(lines, "the launcher runs version "+terminal.Plain(l.Version))
	}
	switch {
	case l.OnTrial:
		lines = append(lines, fmt.Sprintf("version %s is on trial", terminal.Plain(l.Pending)))
	case l.Pending != "":
		lines = append(lines, fmt.Sprintf("version %s starts once the agent has given its work back", terminal.Plain(l.Pending)))
	}
	if o := l.Outcome; o != nil && !o.Good {
		lines = append(lines, fmt.Sprintf("version %s was rolled back at %s: %s", terminal.Plain(o.Version), when(o.At), strings.TrimSpace(terminal.Plain(o.Reason))))
	}
	return lines
}
