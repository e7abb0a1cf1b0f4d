package join

import (
	"bytes"
	"strconv"
	"strings"
)

// lines is an io.Writer that passes on the output of a program line by line.
type lines struct {
	each func(line string)
	rest []byte
}

// maxLine is the longest line, in bytes; the lines of ffmpeg are short.
const maxLine = 64 << 10

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, found := bytes.Cut(l.rest, []byte("\n"))
		if !found {
			break
		}
		l.each(strings.TrimRight(string(line), "\r"))
		l.rest = rest
	}
	if len(l.rest) > maxLine {
		l.rest = nil
	}
	return len(p), nil
}

// progress reads the output of ffmpeg's flag -progress.
type progress struct {
	frames  int
	seconds float64
	changed func()
}

func (p *progress) line(line string) {
	key, value, _ := strings.Cut(line, "=")
	value = strings.TrimSpace(value)
	switch key {
	case "frame":
		if n, err := strconv.Atoi(value); err == nil {
			p.frames = n
		}
	case "out_time_us":
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			p.seconds = n / 1e6
		}
	case "progress":
		if p.changed != nil {
			p.changed()
		}
	}
}
