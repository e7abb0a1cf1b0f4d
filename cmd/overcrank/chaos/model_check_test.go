//go:build linux

package chaos_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// line is an operation from one second to another.
func line(from, to int, in asked, out answer) operation {
	return operation{Job: "job", Asked: in, Answer: out, Call: time.Duration(from) * time.Second, Return: time.Duration(to) * time.Second}
}

func submitted(from, to int, in asked) operation {
	in.Kind = opSubmit
	return line(from, to, in, answer{Outcome: done, Status: queued})
}

func read(from, to int, status string) operation {
	return line(from, to, asked{Kind: opRead}, answer{Outcome: done, Status: status})
}

func readAll(from, to int, status string, priority int, held bool) operation {
	return line(from, to, asked{Kind: opRead}, answer{Outcome: done, Status: status, Detailed: true, Priority: priority, Held: held})
}

func priority(from, to, value int, o outcome) operation {
	return line(from, to, asked{Kind: opPriority, Priority: value}, answer{Outcome: o})
}

func cancel(from, to int, force bool, o outcome) operation {
	return line(from, to, asked{Kind: opCancel, Force: force}, answer{Outcome: o})
}

func release(from, to int, o outcome) operation {
	return line(from, to, asked{Kind: opRelease}, answer{Outcome: o})
}

// TestTheModelKnowsWhatCannotHappen gives the checker histories of a farm as it should be, and of farms that lose, forget and contradict
// themselves.
func TestTheModelKnowsWhatCannotHappen(t *testing.T) {
	held := submitted(0, 1, asked{Held: true, Priority: 5})
	free := submitted(0, 1, asked{Priority: 5})
	nested := submitted(0, 1, asked{Nested: true})
	for name, test := range map[string]struct {
		ops      []operation
		possible bool
	}{
		"a job is rendered":                         {[]operation{free, read(2, 3, rendering), read(4, 5, finished), read(6, 7, finished)}, true},
		"a job begins anew":                         {[]operation{free, read(2, 3, rendering), read(4, 5, queued), read(6, 7, finished)}, true},
		"an acknowledged job is not there":          {[]operation{free, line(2, 3, asked{Kind: opRead}, answer{Outcome: absent})}, false},
		"a job is not there before it is submitted": {[]operation{submitted(5, 6, asked{}), line(2, 3, asked{Kind: opRead}, answer{Outcome: absent})}, true},
		"a job is there and then it is not":         {[]operation{free, read(2, 3, queued), line(4, 5, asked{Kind: opRead}, answer{Outcome: absent})}, false},
		"what has finished is queued":               {[]operation{free, read(2, 3, finished), read(4, 5, queued)}, false},
		"what has finished is rendered":             {[]operation{free, read(2, 3, finished), read(4, 5, rendering)}, false},
		"what has finished has failed":              {[]operation{free, read(2, 3, finished), read(4, 5, failed)}, false},
		"two readers at once":                       {[]operation{free, read(2, 9, finished), read(3, 4, queued)}, true},
		"a job waits for children again":            {[]operation{free, read(2, 3, pending)}, false},
		"nobody cancelled it":                       {[]operation{free, read(2, 3, cancelled)}, false},
		"its family was cancelled":                  {[]operation{nested, read(2, 3, cancelled)}, true},
		"a cancelled job is rendered":               {[]operation{free, cancel(2, 3, false, done), read(4, 5, rendering)}, false},
		"a cancelled job finishes":                  {[]operation{free, cancel(2, 3, true, done), read(4, 5, finished)}, false},
		"a cancelled job is still queued":           {[]operation{free, cancel(2, 3, false, done), read(4, 5, queued)}, false},
		"a reader beside the cancel":                {[]operation{free, cancel(2, 9, false, done), read(4, 5, queued), read(6, 7, cancelled)}, true},
		"the past comes back beside the cancel":     {[]operation{free, cancel(2, 9, false, done), read(4, 5, cancelled), read(6, 7, queued)}, false},
		"a held job cannot be refused a cancel":     {[]operation{held, cancel(2, 3, false, refused)}, false},
		"what renders is refused a cancel":          {[]operation{free, cancel(2, 3, false, refused), read(4, 5, queued)}, true},
		"what renders is not refused force":         {[]operation{free, cancel(2, 3, true, refused), read(4, 5, rendering)}, false},
		"what has ended is cancelled":               {[]operation{free, read(2, 3, finished), cancel(4, 5, true, done)}, false},
		"an unsure cancel never happened":           {[]operation{held, cancel(2, 3, false, unsure), readAll(4, 5, queued, 5, true)}, true},
		"an unsure cancel happens much later":       {[]operation{held, cancel(2, 3, false, unsure), read(4, 5, queued), read(6, 7, cancelled)}, true},
		"an unsure cancel is undone":                {[]operation{held, cancel(2, 3, false, unsure), read(4, 5, cancelled), read(6, 7, queued)}, false},
		"a held job is rendered":                    {[]operation{held, read(2, 3, rendering)}, false},
		"a released job is rendered":                {[]operation{held, release(2, 3, done), read(4, 5, rendering)}, true},
		"a released job is still held":              {[]operation{held, release(2, 3, done), readAll(4, 5, queued, 5, true)}, false},
		"it was rendered before its release":        {[]operation{held, read(2, 3, rendering), release(4, 5, done)}, false},
		"a priority is read":                        {[]operation{held, priority(2, 3, 7, done), readAll(4, 5, queued, 7, true)}, true},
		"an old priority is read":                   {[]operation{held, priority(2, 3, 7, done), readAll(4, 5, queued, 5, true)}, false},
		"a priority comes back":                     {[]operation{held, priority(2, 9, 7, done), readAll(3, 4, queued, 7, true), readAll(5, 6, queued, 5, true)}, false},
		"a priority that nobody set":                {[]operation{held, readAll(2, 3, queued, 6, true)}, false},
		"a lost priority":                           {[]operation{held, priority(2, 3, 7, done), priority(4, 5, 8, unsure), readAll(6, 7, queued, 5, true)}, false},
		"an unsure priority is seen late":           {[]operation{held, priority(2, 3, 7, unsure), priority(4, 5, 8, done), readAll(6, 7, queued, 7, true)}, true},
		"an unsure priority is seen twice":          {[]operation{held, priority(2, 3, 7, unsure), readAll(4, 5, queued, 7, true), priority(6, 7, 8, done), readAll(8, 9, queued, 7, true)}, false},
		"what has ended gets a priority":            {[]operation{free, read(2, 3, finished), priority(4, 5, 8, done)}, false},
		"what has not ended is refused a priority":  {[]operation{held, priority(2, 3, 8, refused)}, false},
		"a batch is cancelled":                      {[]operation{held, line(2, 3, asked{Kind: opSweep}, answer{Outcome: done}), read(4, 5, cancelled)}, true},
		"a batch is cancelled but for one":          {[]operation{held, line(2, 3, asked{Kind: opSweep}, answer{Outcome: done}), read(4, 5, queued)}, false},
		"a submission without an answer":            {[]operation{line(0, 1, asked{Kind: opSubmit}, answer{Outcome: unsure}), line(2, 3, asked{Kind: opRead}, answer{Outcome: absent}), read(4, 5, queued)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			history := map[string][]operation{"job": test.ops}
			wrong := checkHistory(history, folder)
			if len(wrong) == 0 != test.possible {
				t.Fatalf("it can happen: %v; the checker says %q", test.possible, wrong)
			}
			if test.possible {
				return
			}
			if err := tellWrong(folder, history); err != nil {
				t.Fatal(err)
			}
			told, err := os.ReadFile(filepath.Join(folder, "contradictions.txt"))
			if err != nil || !strings.Contains(string(told), "submit") {
				t.Errorf("the contradiction is told as %q, %v", told, err)
			}
			if _, err := os.Stat(filepath.Join(folder, "history-job.html")); err != nil {
				t.Error(err)
			}
		})
	}
}
