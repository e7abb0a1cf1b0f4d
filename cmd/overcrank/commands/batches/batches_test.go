package batches

import (
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/farm/variants"
)

func TestFilesOfResultsAreCalledAsAsked(t *testing.T) {
	row := variants.Variant{Number: 7, Output: "from @output", Job: map[string]any{"name": "the name"}, Cells: map[string]string{"Title": "Spring", "line": "of a poem"}}
	plain := variants.Variant{Number: 3, Job: map[string]any{}, Cells: map[string]string{"Title": ""}}
	for _, c := range []struct {
		pattern string
		of      variants.Variant
		want    string
	}{
		{"", row, "from @output"},
		{"", variants.Variant{Job: map[string]any{"name": "the name"}}, "the name"},
		{"", plain, ""},
		{"{Title}-{job}", row, "Spring-J"},
		{"{line}", row, "of a poem"},
		{"{line}", plain, "3"},
		{"film {Title}", plain, "film "},
	} {
		got := submitCommand{FileName: c.pattern}.resultName([]variants.Variant{c.of}, client.BatchJob{Index: 0, ID: "J"})
		if got != c.want {
			t.Errorf("%q calls it %q, want %q", c.pattern, got, c.want)
		}
	}
	if err := checkPattern("{Titel}", []variants.Variant{row}); err == nil {
		t.Error("a pattern of an unknown column is taken")
	}
}

func TestProgressOfBatchesTellsWhatIsLeft(t *testing.T) {
	for _, c := range []struct {
		all     client.BatchStats
		ended   int
		watched time.Duration
		want    string
	}{
		{client.BatchStats{Total: 10, Pending: 10}, 0, time.Minute, "0 of 10 done"},
		{client.BatchStats{Total: 10, Finished: 3, Error: 1, Pending: 6}, 4, 20 * time.Second, "3 of 10 done, 1 failed, about 30 s left"},
		{client.BatchStats{Total: 1000, Finished: 500, Pending: 500}, 100, time.Hour, "500 of 1000 done, about 5 h left"},
	} {
		if got := batchProgress(c.all, c.ended, c.watched); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
