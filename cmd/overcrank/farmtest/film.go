//go:build linux

package farmtest

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Probe tells codec, size, number of frames and length of a film, as ffprobe does.
func Probe(t testing.TB, path string) (codec string, width, height, frames int, audio bool) {
	t.Helper()
	out, err := exec.Command("ffprobe", "-v", "error", "-count_frames", "-show_entries",
		"stream=codec_type,codec_name,width,height,nb_read_frames", "-of", "compact=p=0", path).Output()
	if err != nil {
		t.Fatalf("ffprobe %s: %v", path, err)
	}
	field := func(line, name string) string {
		m := regexp.MustCompile(`(?:^|\|)` + name + `=([^|]*)`).FindStringSubmatch(line)
		if m == nil {
			return ""
		}
		return m[1]
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if field(line, "codec_type") == "audio" {
			audio = true
			continue
		}
		codec = field(line, "codec_name")
		width, _ = strconv.Atoi(field(line, "width"))
		height, _ = strconv.Atoi(field(line, "height"))
		frames, _ = strconv.Atoi(field(line, "nb_read_frames"))
	}
	return codec, width, height, frames, audio
}
