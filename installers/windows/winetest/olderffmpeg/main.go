// Command olderffmpeg is the ffmpeg.exe of the tests under wine: it starts the ffmpeg of 2018 beside it, the newest for Windows that a package registry
// has, with what came later said in the words of that year.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// laterWords are options that came after 2018, with what stood for them: one delay for each channel of a sound, of which each of the two had to be named,
// and sounds that are mixed without making each quieter, which had to be made louder again.
var laterWords = []struct {
	later *regexp.Regexp
	older string
}{
	{regexp.MustCompile(`adelay=delays=(\w+):all=1`), "adelay=delays=$1|$1"},
	{regexp.MustCompile(`amix=inputs=(\d+):normalize=0:dropout_transition=0`), "amix=inputs=$1:dropout_transition=0,volume=$1"},
}

func main() {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cmd := exec.Command(filepath.Join(filepath.Dir(self), "ffmpeg-2018.exe"), translate(os.Args[1:])...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	var ended *exec.ExitError
	switch err := cmd.Run(); {
	case errors.As(err, &ended):
		os.Exit(ended.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func translate(args []string) []string {
	var older []string
	for i := 0; i < len(args); i++ {
		if args[i] == "-stats_period" { // only how often progress is told
			i++
			continue
		}
		arg := args[i]
		for _, word := range laterWords {
			arg = word.later.ReplaceAllString(arg, word.older)
		}
		older = append(older, arg)
	}
	return older
}
