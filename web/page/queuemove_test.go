package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"overcrank/farm"
)

// lineOf are jobs that came ten minutes after each other, in order.
func lineOf(n int) (line []QueueJob) {
	begin := time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC)
	for i := range n {
		line = append(line, QueueJob{ID: fmt.Sprint("j", i), Title: fmt.Sprint("Spot ", i), By: []string{"Ada", "Bea"}[i%2], Level: farm.LevelNormal, Created: begin.Add(time.Duration(i) * 10 * time.Minute)})
	}
	return line
}

func ids(jobs []QueueJob) string {
	var list []string
	for _, j := range jobs {
		list = append(list, j.ID)
	}
	return strings.Join(list, " ")
}

func TestAJobIsMovedByItsPriority(t *testing.T) {
	line := lineOf(5)
	for _, c := range []struct {
		job, target   string
		after         bool
		priority      int
		passed, letBy string
	}{
		{"j4", "j0", false, 1, "j0 j1 j2 j3", ""},
		{"j0", "j4", true, -1, "", "j1 j2 j3 j4"},
		{"j2", "j1", false, 1, "j0 j1", ""}, // a point is worth an hour: it passes j0 too, and says so
		{"j2", "j2", false, 0, "", ""},
	} {
		m, err := PlanMove(line, c.job, c.target, c.after)
		if err != nil || m.Priority != c.priority || ids(m.Passed) != c.passed || ids(m.LetBy) != c.letBy {
			t.Errorf("%s to %s: %+v, %v", c.job, c.target, m, err)
		}
	}
}

// TestAMovedJobStandsWhereItWasPut sorts a line anew with what each move asks for.
func TestAMovedJobStandsWhereItWasPut(t *testing.T) {
	line := lineOf(9)
	for i := range line {
		line[i].Created = line[i].Created.Add(time.Duration(i) * 3 * time.Hour)
	}
	for from := range line {
		for to := range line {
			for _, after := range []bool{false, true} {
				if from == to {
					continue
				}
				m, err := PlanMove(line, line[from].ID, line[to].ID, after)
				if err != nil {
					t.Fatal(err)
				}
				moved := slices.Clone(line)
				moved[from].Priority = m.Priority
				slices.SortFunc(moved, func(a, b QueueJob) int { return a.key().Compare(b.key()) })
				at := func(id string) int { return slices.IndexFunc(moved, func(j QueueJob) bool { return j.ID == id }) }
				if (at(line[from].ID) < at(line[to].ID)) == after {
					t.Errorf("%d put beside %d (behind it: %v) stands at %d, and that one at %d", from, to, after, at(line[from].ID), at(line[to].ID))
				}
				for _, j := range m.Passed {
					if at(j.ID) < at(line[from].ID) {
						t.Errorf("%d to %d: it does not pass %s", from, to, j.ID)
					}
				}
			}
		}
	}
}

func TestAMoveToAnotherLevelSaysSo(t *testing.T) {
	line := lineOf(4)
	line[0].Level = farm.LevelRush
	m, err := PlanMove(line, "j3", "j0", false)
	if err != nil || m.Level != farm.LevelRush || ids(m.Passed) != "j0 j1 j2" || m.Stays() {
		t.Fatalf("%+v, %v", m, err)
	}
	m.Longer = 10 * time.Minute
	if got := m.Sentence(t.Context()); got != "“Spot 3” goes before 3 jobs (2 of Ada, 1 of Bea), which wait about 10\u00a0min longer. Rush, priority 1." {
		t.Error(got)
	}
	if m, err = PlanMove(line, "j1", "j3", true); err != nil || m.Sentence(t.Context()) != "“Spot 1” lets 2 jobs (1 of Ada, 1 of Bea) go first. Priority -1." {
		t.Error(m.Sentence(t.Context()), err)
	}
}

func TestAMoveThatCannotBeIsRefused(t *testing.T) {
	line := lineOf(3)
	line[0].Priority = 1000
	if _, err := PlanMove(line, "j2", "j0", false); farm.CodeOf(err) != farm.CodeInvalid {
		t.Errorf("above the highest priority: %v", err)
	}
	if _, err := PlanMove(line, "gone", "j0", false); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("a job that is not in line: %v", err)
	}
}
