package inventory

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"overcrank/agent/film"
	"overcrank/durable"
	"overcrank/ffmpeg"
	"overcrank/memory"
)

// askTime is how long a program may take to tell of the machine.
const askTime = 10 * time.Second

// System is the machine that is looked at.
type System struct {
	OS   string // as Go names it
	Root string // folder that stands for the machine's disks, "" for the disks themselves
	Home string // of the account that the agent runs as, as the machine writes it
	Env  func(name string) string
	// Ask runs a program of the machine and gives what it prints, also when it ends with an error.
	Ask    func(ctx context.Context, program string, args ...string) ([]byte, error)
	Memory func() int64 // bytes, 0 when it is not known
	// Writers are the ffmpeg, and those of its encoders that codecs are written with and that work.
	Writers func(ctx context.Context) (ffmpeg.Build, []string, error)
	Space   func(dir string) (free, size int64, err error) // of the disk that a folder is on, in bytes
}

// Here is the machine that this program runs on.
func Here() System {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // an account without a home keeps nothing there
	}
	return System{OS: runtime.GOOS, Home: home, Env: os.Getenv, Ask: ask, Memory: memory.Total, Space: durable.Space, Writers: film.Writers}
}

func ask(ctx context.Context, program string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = time.Second
	return cmd.Output()
}

// at is where a path of the machine lies for this program.
func (s System) at(path string) string {
	if s.Root == "" {
		return path
	}
	path = strings.ReplaceAll(strings.Replace(path, ":", "", 1), `\`, "/")
	return filepath.Join(s.Root, filepath.FromSlash(path))
}

// join makes a path as the machine writes it; it is "" when an element is, as a variable that is not set makes it.
func (s System) join(elements ...string) string {
	for _, e := range elements {
		if e == "" {
			return ""
		}
	}
	separator := "/"
	if s.OS == "windows" {
		separator = `\`
	}
	return strings.Join(elements, separator)
}

// read is a small text file of the machine, "" when there is none.
func (s System) read(path string) string {
	f, err := os.Open(s.at(path))
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, 64<<10)
	n, _ := f.Read(b) // a file that cannot be read says nothing
	return strings.TrimSpace(string(b[:n]))
}
