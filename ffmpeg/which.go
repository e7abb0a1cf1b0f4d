package ffmpeg

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// FolderVariable is the environment variable that names the folder of ffmpeg and ffprobe. Without it they are those of the
// PATH. An agent sets it for itself, and so for the engines that it starts.
const FolderVariable = "OVERCRANK_FFMPEG"

// Path is where program lies, "ffmpeg" or "ffprobe".
func Path(program string) (string, error) {
	if dir := os.Getenv(FolderVariable); dir != "" {
		program = filepath.Join(dir, program)
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("looking for ffmpeg: %w", err)
	}
	return path, nil
}

// Licences of a build, by how it was configured.
const (
	LGPL    = "LGPL"
	GPL     = "GPL"
	Nonfree = "nonfree" // it may not be passed on to others
)

// Build is what an ffmpeg says of itself.
type Build struct {
	Path    string
	Version string // such as 7.1.1
	Licence string // LGPL, GPL or Nonfree; "" when it does not say how it was configured
}

// Which is the ffmpeg that is used on this machine.
func Which(ctx context.Context) (Build, error) {
	path, err := Path("ffmpeg")
	if err != nil {
		return Build{}, ErrMissing
	}
	out, err := Run(ctx, "ffmpeg", "-version")
	if err != nil {
		return Build{}, err
	}
	b := said(out)
	b.Path = path
	return b, nil
}

// said reads what "ffmpeg -version" prints.
func said(out []byte) (b Build) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) > 2 && fields[1] == "version":
			b.Version = fields[2]
		case len(fields) > 0 && fields[0] == "configuration:":
			b.Licence = licenceOf(fields)
		}
	}
	return b
}

// licenceOf is the licence that a build has by the options that it was configured with.
func licenceOf(options []string) string {
	switch {
	case slices.Contains(options, "--enable-nonfree"):
		return Nonfree
	case slices.Contains(options, "--enable-gpl"):
		return GPL
	}
	return LGPL
}
