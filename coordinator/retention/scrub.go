package retention

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// shortestValue is how many bytes a value has at least that is looked for in a log: shorter ones are parts of most words.
const shortestValue = 3

// What is no job's own and still tells of it: quoted paths, addresses, and paths that stand alone.
var particular = []*regexp.Regexp{
	regexp.MustCompile(`'(?:/|[A-Za-z]:[\\/]|\\\\)[^']*'|"(?:/|[A-Za-z]:[\\/]|\\\\)[^"]*"`),
	regexp.MustCompile(`(?i)\b(?:[a-z][a-z0-9+.-]*://|data:[a-z0-9.+-]*[/;,])[^\s"'<>]*`),
	regexp.MustCompile(`\b[A-Za-z]:\\[^\s"'<>|]+|\\\\[^\s\\"'<>|]+\\[^\s"'<>|]+`),
	regexp.MustCompile(`(?:^|[\s(\[=,:])/[^\s"'<>,;:)\]/][^\s"'<>,;:)\]]*`),
}

// Scrubber takes what is particular about a job out of text.
type Scrubber struct{ values *strings.Replacer }

// NewScrubber makes what takes what is particular about a job out of text.
func NewScrubber(job farm.Job) Scrubber {
	var values []string
	add := func(text string) {
		if len(text) >= shortestValue && text != farm.Redacted {
			values = append(values, text)
		}
	}
	for _, text := range job.Particulars() {
		add(text)
		if quoted, err := json.Marshal(text); err == nil {
			add(string(quoted[1 : len(quoted)-1]))
		}
		for line := range strings.Lines(text) {
			add(strings.TrimSpace(line))
		}
	}
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(values))
	for _, value := range values {
		pairs = append(pairs, value, farm.Redacted)
	}
	return Scrubber{strings.NewReplacer(pairs...)}
}

// Line is one line, or one message, without values, addresses and paths.
func (s Scrubber) Line(text string) string {
	text = s.values.Replace(text)
	for _, pattern := range particular {
		text = pattern.ReplaceAllStringFunc(text, func(found string) string {
			switch first := found[0]; {
			case first == '\'' || first == '"':
				return string(first) + farm.Redacted + string(first)
			case strings.ContainsRune(" \t([=,:", rune(first)):
				return string(first) + farm.Redacted
			default:
				return farm.Redacted
			}
		})
	}
	return text
}

// copy scrubs line by line.
func (s Scrubber) copy(to io.Writer, from io.Reader) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 64<<10), 4*wire.MaxMessage)
	out := bufio.NewWriter(to)
	for lines.Scan() {
		if _, err := out.WriteString(s.Line(lines.Text()) + "\n"); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), out.Flush())
}
