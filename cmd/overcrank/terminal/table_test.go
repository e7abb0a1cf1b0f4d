package terminal

import (
	"strings"
	"testing"
)

func TestColumnsAreAlignedByTheWidthThatPeopleSee(t *testing.T) {
	table := NewTable("NAME", "STATE", "REMARK")
	table.Row("日本語", "finished", "")
	table.Row("e\u0301te", "failed", "Layer 'x'\nnot found")
	table.Row("a\x1b[31mred", "ok", "tab\there")
	table.Row("", "", "only here")
	var b strings.Builder
	n, err := table.WriteTo(&b)
	want := "" +
		"NAME       STATE     REMARK\n" +
		"日本語     finished\n" +
		"e\u0301te        failed    Layer 'x' not found\n" +
		"a [31mred  ok        tab here\n" +
		strings.Repeat(" ", 21) + "only here\n"
	if err != nil || b.String() != want || n != int64(len(want)) {
		t.Errorf("%v, %d bytes:\n%s\nwant %d:\n%s", err, n, b.String(), len(want), want)
	}
}

func TestABarThatCannotMoveSaysNothingOfShortThings(t *testing.T) {
	var b strings.Builder
	bar := NewBar(&b, "uploading")
	bar.Bytes(1, 2)
	bar.Bytes(2, 2)
	bar.End()
	if b.Len() > 0 {
		t.Errorf("it says %q", b.String())
	}
	bar = NewBar(&b, "rendering")
	bar.began = bar.began.Add(-2 * quietFor)
	for _, percent := range []float64{1, 5, 12, 14, 100} {
		bar.Set(percent, "at work")
	}
	if want := "rendering   1 % · at work\nrendering  12 % · at work\nrendering 100 % · at work\n"; b.String() != want {
		t.Errorf("it says %q, want %q", b.String(), want)
	}
}

// TestANameDoesNotTurnALineAround: what switches the direction of writing in a name would reach into the cells behind it.
func TestANameDoesNotTurnALineAround(t *testing.T) {
	if got, want := Plain("a\u202eb\u2066c\u2069\x1b[31m\nd \u05d0\u200f"), "abc [31m d \u05d0\u200f"; got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}
