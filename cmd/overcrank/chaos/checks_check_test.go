//go:build linux

package chaos_test

import (
	"strings"
	"testing"
	"time"
)

// good is what a farm leaves that kept all promises: a job that finished at the second attempt, and one that was cancelled.
func good() *evidence {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	jobs := func() []seenJob {
		return []seenJob{{ID: "A", Name: "a", Status: finished}, {ID: "B", Name: "b", Status: cancelled}}
	}
	return &evidence{
		nodes:    []string{"one", "two"},
		promises: []*promised{{ID: "A", Key: "a", Hook: true}, {ID: "B", Key: "b", Hook: true}},
		listed:   map[string][]seenJob{"one": jobs(), "two": jobs()},
		attempts: map[string][]seenAttempt{
			"A": {
				{Task: "A.1", Number: 1, Outcome: "lost", LeasedAt: at, Ended: at.Add(time.Second)},
				{Task: "A.1", Number: 2, Outcome: "done", LeasedAt: at.Add(time.Second), Ended: at.Add(2 * time.Second)},
			},
			"B": {{Task: "B.1", Number: 1, Outcome: "cancelled", LeasedAt: at, Ended: at.Add(time.Second)}},
		},
		results: map[string]map[string]string{"A": {"one": "5ca1", "two": "5ca1"}},
		stored:  map[string]int{"A": 1},
		calls: []call{
			{Delivery: "d", Job: "A", Status: finished, Sum: "s", Signature: "g", Genuine: true, Answered: 500},
			{Delivery: "d", Job: "A", Status: finished, Sum: "s", Signature: "g", Genuine: true, Answered: 204},
		},
		deliveries: map[string]seenDelivery{"A": {ID: "d", Status: "delivered"}},
		prints:     []print{{"one", 7, "p"}, {"two", 6, "o"}, {"two", 7, "p"}, {"two", 8, "q"}},
	}
}

func TestPartsOfACancelledFilmMayBeDone(t *testing.T) {
	e := good()
	e.attempts["B"][0].Outcome, e.split = "done", map[string]bool{"B": true}
	if wrong := e.check(); len(wrong) > 0 {
		t.Errorf("it is said: %q", wrong)
	}
}

// TestTheChecksFindWhatIsWrong spoils what a good farm leaves, one thing at a time.
func TestTheChecksFindWhatIsWrong(t *testing.T) {
	if wrong := good().check(); len(wrong) > 0 {
		t.Fatalf("of a good farm is said: %q", wrong)
	}
	for want, spoil := range map[string]func(*evidence){
		"two does not have it": func(e *evidence) { e.listed["two"] = e.listed["two"][1:] },
		"one does not have it": func(e *evidence) { e.promises = append(e.promises, &promised{ID: "C", Key: "c"}) },
		"two lists 3 jobs":     func(e *evidence) { e.listed["two"] = append(e.listed["two"], seenJob{ID: "C", Status: finished}) },
		"was carried out 2 times": func(e *evidence) {
			e.listed["one"] = append(e.listed["one"], seenJob{ID: "C", Name: "a", Status: cancelled})
		},
		"has not ended":                       func(e *evidence) { e.listed["one"][0].Status = queued },
		"at two and":                          func(e *evidence) { e.listed["two"][1].Status = finished },
		"job B failed":                        func(e *evidence) { e.listed["one"][1].Status = failed },
		"nobody tried it":                     func(e *evidence) { delete(e.attempts, "A") },
		"has two attempts":                    func(e *evidence) { e.attempts["A"][1].Number = 1 },
		"and the one before ended":            func(e *evidence) { e.attempts["A"][1].LeasedAt = e.attempts["A"][0].LeasedAt },
		"attempt 1 of task A.1 has not ended": func(e *evidence) { e.attempts["A"][0].Ended = time.Time{} },
		"was done 2 times":                    func(e *evidence) { e.attempts["A"][0].Outcome = "done" },
		"was done 0 times":                    func(e *evidence) { e.attempts["A"][1].Outcome = "failed" },
		"task B.1 was done":                   func(e *evidence) { e.attempts["B"][0].Outcome = "done" },
		"its result is map":                   func(e *evidence) { e.results["A"]["two"] = "0ther" },
		"not there: 404": func(e *evidence) {
			e.results["A"] = map[string]string{"one": "not there: 404", "two": "not there: 404"}
		},
		"holds 2 results":                     func(e *evidence) { e.stored["A"] = 2 },
		"holds 1 results":                     func(e *evidence) { e.stored["B"] = 1 },
		"never came":                          func(e *evidence) { e.calls = nil },
		"came with two bodies":                func(e *evidence) { e.calls[1].Sum = "t" },
		"several ids":                         func(e *evidence) { e.calls[1].Delivery = "e" },
		"is not signed":                       func(e *evidence) { e.calls[0].Genuine = false },
		"its receiver never took it":          func(e *evidence) { e.calls[1].Answered = 500 },
		`the webhook of job A is still "pend`: func(e *evidence) { e.deliveries["A"] = seenDelivery{Status: "pending"} },
		"says that job A is error":            func(e *evidence) { e.calls[0].Status = failed },
		"says that job C is finished":         func(e *evidence) { e.calls[0].Job = "C" },
		"the states differ":                   func(e *evidence) { e.prints[2].Sum = "z" },
		"changed without one":                 func(e *evidence) { e.prints = append(e.prints, print{"one", 7, "z"}) },
		"never seen with the same":            func(e *evidence) { e.prints = e.prints[:2] },
	} {
		e := good()
		spoil(e)
		wrong := strings.Join(e.check(), "\n")
		if !strings.Contains(wrong, want) {
			t.Errorf("%q was not found; what was: %q", want, wrong)
		}
	}
}
