package farm

import (
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// MostBackups is how many of its latest backups a farm remembers.
	MostBackups = 20
	// MostBackupPlace is how many characters may say where a backup is kept.
	MostBackupPlace = 200
)

// Backup is what a farm remembers of a backup that somebody read to its end.
type Backup struct {
	ID      string    `json:"id"` // also in the backup's manifest
	At      time.Time `json:"at"` // the farm is in it as it was then
	EndedAt time.Time `json:"endedAt"`
	By      string    `json:"by"`              // name of the token that asked for it
	Place   string    `json:"place,omitempty"` // where it is kept, in the words of whoever asked for it
	Index   uint64    `json:"index"`           // of the last change in it
	Bytes   int64     `json:"bytes"`
	Keys    bool      `json:"keys,omitempty"`  // the farm's keys are in it, sealed
	Files   bool      `json:"files,omitempty"` // the farm's files are in it
	// CheckedAt is when whoever keeps it reported that it was read to its end and found whole; zero for not yet.
	CheckedAt time.Time `json:"checkedAt,omitzero"`
}

// CheckBackupPlace says what is wrong with the words for where a backup is kept, zero for nothing. Addresses with a password or a signature are
// refused, since everybody who looks after the farm reads them.
func CheckBackupPlace(place string) Text {
	switch {
	case !utf8.ValidString(place) || utf8.RuneCountInString(place) > MostBackupPlace || place != oneLine(place, 4*MostBackupPlace):
		return Say("has to be one line of up to %d characters", MostBackupPlace)
	case strings.Contains(place, "://") && strings.ContainsAny(place, "@?#"):
		return Say("must not hold a password or a signature: leave out what stands before @ and after ?")
	}
	return Text{}
}
