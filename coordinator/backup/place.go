package backup

import (
	"os"

	"overcrank/farm"
)

// PlaceHere says where a file of this machine is, as the farm shows it: HOST:PATH, or the path alone where the machine does not know its name. It is "" where that is
// no line that a backup's place may be.
func PlaceHere(path string) string {
	place := path
	if host, err := os.Hostname(); err == nil {
		place = host + ":" + path
	}
	if !farm.CheckBackupPlace(place).IsZero() {
		return ""
	}
	return place
}
