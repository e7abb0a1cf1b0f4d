package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"overcrank/cmd/overcrank/terminal"
)

// output is where a command prints: results to the writer, progress and remarks to errors.
type output struct {
	io.Writer
	errors io.Writer
	quiet  bool
}

// remark says something that is not the result.
func (o *output) remark(format string, args ...any) {
	if !o.quiet {
		fmt.Fprintf(o.errors, format+"\n", args...)
	}
}

// bar starts a bar for something that takes long.
func (o *output) bar(label string) *terminal.Bar {
	if o.quiet {
		return terminal.NewBar(io.Discard, label)
	}
	return terminal.NewBar(o.errors, label)
}

// answer prints an answer of the farm as it came.
func (o *output) answer(raw json.RawMessage) error {
	_, err := fmt.Fprintf(o, "%s\n", raw)
	return err
}

// answers prints several answers of the farm as one array, but one alone as it came.
func (o *output) answers(raws []json.RawMessage) error {
	if len(raws) == 1 {
		return o.answer(raws[0])
	}
	texts := make([]string, len(raws))
	for i, raw := range raws {
		texts[i] = string(raw)
	}
	_, err := fmt.Fprintf(o, "[%s]\n", strings.Join(texts, ","))
	return err
}

// table prints a table.
func (o *output) table(t *terminal.Table) error {
	_, err := t.WriteTo(o)
	return err
}

// localTime shows a time of the API on this machine's clock, and "" as a dash.
func localTime(iso string) string {
	t, err := time.Parse(time.RFC3339, iso)
	switch {
	case iso == "":
		return "-"
	case err != nil:
		return iso
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// plural is "1 job" or "3 jobs".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if before, ok := strings.CutSuffix(what, "ch"); ok {
		return fmt.Sprintf("%d %sches", n, before)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
