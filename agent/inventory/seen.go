package inventory

import (
	"errors"
	"fmt"
	"os"
	"time"

	"overcrank/durable"
	"overcrank/farm"
)

const (
	maxSeen     = 60_000   // files that are remembered
	maxSeenFile = 64 << 20 // bytes
	seenVersion = 1        // of what is read out of files; a file of another version is forgotten
)

// seen remembers what was found in files, so that thousands of fonts are read once and not at every look.
type seen struct {
	path  string // "" for one that is not kept
	files map[string]sight
	used  map[string]bool // since the last save
	fresh bool            // something was read since then
}

// sight is what was found in a file while it had this size and time.
type sight struct {
	Size    int64          `json:"s"`
	Time    time.Time      `json:"t"`
	Fonts   []farm.FontUse `json:"f,omitempty"`
	Effects []string       `json:"e,omitempty"`
	Version string         `json:"v,omitempty"` // that a program said of itself
	Mute    bool           `json:"m,omitempty"` // it could not be read
}

type seenFile struct {
	Version int              `json:"version"`
	Files   map[string]sight `json:"files"`
}

// openSeen reads what an earlier run remembered; what cannot be read is forgotten.
func openSeen(path string) *seen {
	s := &seen{path: path, files: map[string]sight{}, used: map[string]bool{}}
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxSeenFile {
		return s
	}
	var kept seenFile
	if err := durable.ReadJSON(path, &kept); err != nil || kept.Version != seenVersion || kept.Files == nil {
		return s
	}
	s.files = kept.Files
	return s
}

// look gives what is in a file, and reads it with read when it is not known in its present state.
func (s *seen) look(path string, info os.FileInfo, read func(path string, found *sight)) sight {
	s.used[path] = true
	if known, ok := s.files[path]; ok && known.Size == info.Size() && known.Time.Equal(info.ModTime()) {
		return known
	}
	found := sight{Size: info.Size(), Time: info.ModTime().UTC()}
	read(path, &found)
	if len(s.files) < maxSeen {
		s.files[path], s.fresh = found, true
	}
	return found
}

// save keeps what is remembered. After a whole look, files that are gone are forgotten.
func (s *seen) save(whole bool) error {
	if whole {
		for path := range s.files {
			if !s.used[path] {
				delete(s.files, path)
				s.fresh = true
			}
		}
		clear(s.used)
	}
	if !s.fresh || s.path == "" {
		return nil
	}
	if err := durable.WriteJSON(s.path, seenFile{Version: seenVersion, Files: s.files}, 0o600); err != nil {
		return fmt.Errorf("remembering the fonts of this machine: %w", err)
	}
	s.fresh = false
	return nil
}

// errEnough ends a walk when its time or its bound is over.
var errEnough = errors.New("enough was found")
