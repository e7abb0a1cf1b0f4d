//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
)

func TestMoreRowsThanABatchTakesBecomeSeveral(t *testing.T) {
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	table := "Title\n"
	for n := range client.BatchLimit + 1 {
		table += fmt.Sprintf("Number %d\n", n)
	}
	path := filepath.Join(t.TempDir(), "variants.csv")
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := f.Command("batches", "submit", path, "--template", f.Card(), "--composition", titlecard.Composition, "--json")
	var answers []client.BatchCreated
	if err := json.Unmarshal([]byte(stdout), &answers); code != 0 || err != nil {
		t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
	}
	if len(answers) != 2 || answers[0].SuccessCount != client.BatchLimit || answers[1].SuccessCount != 1 || !strings.Contains(stderr, "2 batches") {
		t.Errorf("%d batches, the first of %d; said %q", len(answers), answers[0].SuccessCount, stderr)
	}
	code, stdout, _ = f.Command("jobs", "--all", "--json", "--minimal")
	var jobs []client.Job
	if err := json.Unmarshal([]byte(stdout), &jobs); code != 0 || err != nil || len(jobs) != client.BatchLimit+1 {
		t.Errorf("jobs --all gives %d jobs, exit code %d, %v", len(jobs), code, err)
	}
}
