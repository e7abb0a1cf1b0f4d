package completion

import (
	"embed"
	"fmt"
	"io"
	"strings"
)

//go:embed scripts
var scripts embed.FS

// Shells are the shells that there are scripts for.
func Shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// Script is what makes a shell ask for completions.
func Script(shell string) (string, error) {
	text, err := scripts.ReadFile("scripts/overcrank." + shell)
	if err != nil {
		return "", fmt.Errorf("there are scripts for %s, not for %s", strings.Join(Shells(), ", "), shell)
	}
	return string(text), nil
}

// The last line of an answer tells the shell whether it is to add the names of files.
const (
	onlyThese = ":these"
	withFiles = ":files"
)

// Write answers a shell: a line for each candidate, its help behind a tab, and at last what else to offer.
func Write(w io.Writer, candidates []Candidate, files bool) error {
	var b strings.Builder
	for _, c := range candidates {
		b.WriteString(oneLine(c.Word))
		if c.Help != "" {
			b.WriteString("\t" + oneLine(c.Help))
		}
		b.WriteByte('\n')
	}
	if files {
		b.WriteString(withFiles + "\n")
	} else {
		b.WriteString(onlyThese + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// oneLine keeps what the farm's names hold from becoming lines, columns or commands of the terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
