package farm

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// walk follows random legal moves from start and fails when an ended state is left or an unknown one is met.
func walk[S ~string](t *testing.T, moves map[S][]S, starts []S, ended func(S) bool, can func(S, S) bool) {
	t.Helper()
	all := slices.Sorted(maps.Keys(moves))
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SampledFrom(starts).Draw(t, "start")
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			next := rapid.SampledFrom(all).Draw(t, "next")
			if !can(at, next) {
				continue
			}
			if ended(at) {
				t.Fatalf("%q has ended and moved to %q", at, next)
			}
			at = next
		}
		if _, ok := moves[at]; !ok {
			t.Fatalf("%q is in no table", at)
		}
	})
}

// reachable is every state that can be met from starts.
func reachable[S ~string](moves map[S][]S, starts []S) []S {
	seen := map[S]bool{}
	for queue := slices.Clone(starts); len(queue) > 0; queue = queue[1:] {
		if seen[queue[0]] {
			continue
		}
		seen[queue[0]] = true
		queue = append(queue, moves[queue[0]]...)
	}
	return slices.Sorted(maps.Keys(seen))
}

func TestWalksOfJobs(t *testing.T) {
	walk(t, jobMoves, []JobStatus{JobQueued, JobPending}, JobStatus.Ended, JobStatus.CanBecome)
}

func TestWalksOfTasks(t *testing.T) {
	walk(t, taskMoves, []TaskStatus{TaskBlocked, TaskReady}, TaskStatus.Ended, TaskStatus.CanBecome)
}

func TestWalksOfTemplates(t *testing.T) {
	never := func(TemplateStatus) bool { return false }
	walk(t, templateMoves, []TemplateStatus{TemplateAwaitingUpload, TemplateDownloading}, never, TemplateStatus.CanBecome)
}

func TestEveryStateIsReachableAndKnown(t *testing.T) {
	if got, want := reachable(jobMoves, []JobStatus{JobQueued, JobPending}), slices.Sorted(slices.Values(JobStatuses())); !slices.Equal(got, want) {
		t.Errorf("jobs reach %q, want %q", got, want)
	}
	if got, want := reachable(taskMoves, []TaskStatus{TaskBlocked, TaskReady}), slices.Sorted(maps.Keys(taskMoves)); !slices.Equal(got, want) {
		t.Errorf("tasks reach %q, want %q", got, want)
	}
	starts := []TemplateStatus{TemplateAwaitingUpload, TemplateDownloading}
	if got, want := reachable(templateMoves, starts), slices.Sorted(maps.Keys(templateMoves)); !slices.Equal(got, want) {
		t.Errorf("templates reach %q, want %q", got, want)
	}
}

func TestEveryUnendedStateCanEnd(t *testing.T) {
	for status := range jobMoves {
		if !slices.ContainsFunc(reachable(jobMoves, []JobStatus{status}), JobStatus.Ended) {
			t.Errorf("a job in %q can never end", status)
		}
	}
	for status := range taskMoves {
		if !slices.ContainsFunc(reachable(taskMoves, []TaskStatus{status}), TaskStatus.Ended) {
			t.Errorf("a task in %q can never end", status)
		}
	}
}

func TestEndsAreThoseOfTheInterface(t *testing.T) {
	for _, status := range JobStatuses() {
		want := status == JobFinished || status == JobFailed || status == JobCancelled
		if got := status.Ended(); got != want {
			t.Errorf("JobStatus(%q).Ended() = %v, want %v", status, got, want)
		}
	}
	if JobStatus("asleep").Ended() || JobStatus("asleep").Known() || TaskStatus("").Ended() {
		t.Error("an unknown state counts as known or ended")
	}
}

func TestRoleAllows(t *testing.T) {
	for i, have := range Roles() {
		for j, need := range Roles() {
			if got, want := have.Allows(need), i >= j; got != want {
				t.Errorf("%s.Allows(%s) = %v, want %v", have, need, got, want)
			}
		}
		if have.Allows("king") || Role("king").Allows(have) || Role("").Allows(have) {
			t.Errorf("an unknown role is allowed something beside %s", have)
		}
	}
}
