package schedule_test

import (
	"fmt"
	"testing"

	"overcrank/coordinator/schedule"
)

// TestManyTasksBeginWhenEachOfThemDoes asks for some tasks at once and for each by itself.
func TestManyTasksBeginWhenEachOfThemDoes(t *testing.T) {
	t.Parallel()
	q := crowd(3000, 70, 60)
	q.Release("held00003.1", 1, epoch) // a machine is free
	listed, _ := q.Line(epoch, 0, 2000)
	tasks := []schedule.Task{{ID: "nowhere.1", Job: "nowhere", Team: "team1"}}
	for i := 0; i < len(listed); i += 7 {
		tasks = append(tasks, listed[i].Task)
	}
	starts := q.Starts(tasks, epoch)
	for _, task := range tasks {
		want := q.Explain(task, epoch).Start
		if got, known := starts[task.Job]; known != (want != nil) || known && got != *want {
			t.Errorf("%s begins %v, by itself %v", task.Job, fmt.Sprint(got, known), want)
		}
	}
	if len(starts) < len(tasks)/2 {
		t.Errorf("of %d tasks it is known when %d begin", len(tasks), len(starts))
	}
}
