package terminal

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"overcrank/farm/wording"
)

// Output is where a command prints: results to the writer, progress and remarks to Errors.
type Output struct {
	io.Writer
	Errors io.Writer
	Quiet  bool // no progress, no remarks
}

// Remark prints a line that is not part of the result.
func (o *Output) Remark(format string, args ...any) {
	if !o.Quiet {
		fmt.Fprintf(o.Errors, format+"\n", args...)
	}
}

// Bar starts a bar for something that takes long.
func (o *Output) Bar(label string) *Bar {
	if o.Quiet {
		return NewBar(io.Discard, label)
	}
	return NewBar(o.Errors, label)
}

// Answer prints an answer of the farm as it came.
func (o *Output) Answer(raw json.RawMessage) error {
	_, err := fmt.Fprintf(o, "%s\n", raw)
	return err
}

// Answers prints several answers of the farm as one array, but a single one as it came.
func (o *Output) Answers(raws []json.RawMessage) error {
	if len(raws) == 1 {
		return o.Answer(raws[0])
	}
	texts := make([]string, len(raws))
	for i, raw := range raws {
		texts[i] = string(raw)
	}
	_, err := fmt.Fprintf(o, "[%s]\n", strings.Join(texts, ","))
	return err
}

// JSON prints a value as JSON on one line.
func (o *Output) JSON(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return o.Answer(text)
}

// Indented prints a value as JSON that people read.
func (o *Output) Indented(v any) error {
	enc := json.NewEncoder(o)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Table prints a table.
func (o *Output) Table(t *Table) error {
	_, err := t.WriteTo(o)
	return err
}

// List prints a table with headings, or, when it has no rows, the remark none.
func (o *Output) List(t *Table, none string) error {
	if t.Empty() {
		o.Remark("%s", none)
		return nil
	}
	return o.Table(t)
}

// Private makes standard output readable by this user alone where it is a file: shells make files that everybody may read.
func (o *Output) Private() {
	file, ok := o.Writer.(*os.File)
	if !ok {
		return
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 {
		return
	}
	if err := file.Chmod(0o600); err != nil {
		o.Remark("Others may read this file, which holds a secret: %v.", err)
		return
	}
	o.Remark("The file is readable by this user alone now, since it holds a secret.")
}

// LocalTime shows a time of the API on this machine's clock, and "" as a dash.
func LocalTime(iso string) string {
	t, err := time.Parse(time.RFC3339, iso)
	switch {
	case iso == "":
		return "-"
	case err != nil:
		return iso
	}
	return wording.Local(t)
}

// FirstLine is the first line of a text.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Plural is "1 job" or "3 jobs".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if before, ok := strings.CutSuffix(what, "ch"); ok {
		return fmt.Sprintf("%d %sches", n, before)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Agreed says whether somebody typed a word.
func Agreed(from io.Reader, word string) bool {
	line, _ := bufio.NewReader(from).ReadString('\n')
	return strings.TrimSpace(line) == word
}

// Percent is a part of a hundred, aligned in a column.
func Percent(p float64) string { return fmt.Sprintf("%3.0f %%", p) }

// Size is a number of bytes, "" for 0, which is a size that is not known.
func Size(n int64) string {
	if n == 0 {
		return ""
	}
	return wording.Size(n)
}
