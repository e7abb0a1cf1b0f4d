//go:build linux

package chaos_test

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// jobState is how a job stands at one moment, as far as clients can see. "" is the status of a job that does not exist.
type jobState struct {
	status   string
	held     bool
	nested   bool
	priority int
}

// next are the states into which the farm itself may bring a job, without any client.
func (s jobState) next() []jobState {
	var to []string
	switch {
	case s.status == pending:
		to = []string{queued, failed}
	case s.status == queued && !s.held:
		to = []string{rendering, failed}
	case s.status == rendering:
		to = []string{queued, finished, failed} // queued again when its machine was lost
	}
	if s.nested && s.status != "" && !hasEnded(s.status) {
		to = append(to, cancelled) // with what it is nested in
	}
	states := make([]jobState, len(to))
	for i, status := range to {
		states[i] = s
		states[i].status = status
	}
	return states
}

// reachable are all states in which a job may be that was in s at some time before.
func (s jobState) reachable() []jobState {
	all := []jobState{s}
	for i := 0; i < len(all); i++ {
		for _, n := range all[i].next() {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	return all
}

// after are the states in which a request may leave a job that is in s when it takes effect, none when it cannot have been answered so.
func (s jobState) after(in asked, out answer) []jobState {
	if out.Outcome == absent {
		return keepIf(s, s.status == "")
	}
	if in.Kind == opSubmit {
		if s.status != "" {
			return keepIf(s, out.Outcome == unsure)
		}
		begun := jobState{status: cmp.Or(out.Status, queued), held: in.Held, nested: in.Nested, priority: in.Priority}
		if out.Outcome == unsure {
			return []jobState{s, begun}
		}
		return []jobState{begun}
	}
	if s.status == "" {
		return keepIf(s, out.Outcome == unsure) // of a job that may not have been submitted
	}
	if in.Kind == opRead {
		return keepIf(s, out.Outcome == unsure ||
			s.status == out.Status && (!out.Detailed || s.held == out.Held && s.priority == out.Priority))
	}
	changed, allowed := s.change(in)
	switch out.Outcome {
	case done:
		return keepIf(changed, allowed)
	case refused:
		return keepIf(s, !allowed)
	default:
		if allowed && changed != s {
			return []jobState{s, changed}
		}
		return []jobState{s}
	}
}

// change is what a request makes of a job, and whether the rules allow it.
func (s jobState) change(in asked) (jobState, bool) {
	switch in.Kind {
	case opPriority:
		changed := s
		changed.priority = in.Priority
		return changed, !hasEnded(s.status)
	case opRelease:
		changed := s
		changed.held = false
		return changed, !hasEnded(s.status)
	case opCancel, opSweep:
		changed := s
		changed.status = cancelled
		allowed := s.status == pending || s.status == queued || s.status == rendering && in.Force
		if in.Kind == opSweep && !allowed {
			return s, true
		}
		return changed, allowed
	default:
		panic("no such request: " + string(in.Kind))
	}
}

func keepIf(s jobState, possible bool) []jobState {
	if possible {
		return []jobState{s}
	}
	return nil
}

// jobModel says what one job may look like to clients, if all of them speak with one machine that does one thing at a time.
func jobModel() porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{jobState{}} },
		Step: func(state, in, out any) []any {
			var all []any
			for _, now := range state.(jobState).reachable() {
				for _, then := range now.after(in.(asked), out.(answer)) {
					if !slices.Contains(all, any(then)) {
						all = append(all, then)
					}
				}
			}
			return all
		},
		Equal: func(a, b any) bool { return a == b },
		DescribeOperation: func(in, out any) string {
			return fmt.Sprintf("%s → %s", describeAsked(in.(asked)), describeAnswer(out.(answer)))
		},
		DescribeState: func(state any) string { return fmt.Sprintf("%+v", state) },
	}
	return model.ToModel()
}

func describeAsked(in asked) string {
	switch in.Kind {
	case opPriority:
		return fmt.Sprintf("priority %d", in.Priority)
	case opSubmit:
		return fmt.Sprintf("submit (priority %d, held %v)", in.Priority, in.Held)
	case opCancel, opSweep:
		if in.Force {
			return string(in.Kind) + " by force"
		}
	}
	return string(in.Kind)
}

func describeAnswer(out answer) string {
	switch {
	case out.Status == "":
		return string(out.Outcome)
	case out.Detailed:
		return fmt.Sprintf("%s (priority %d, held %v)", out.Status, out.Priority, out.Held)
	}
	return out.Status
}

// events is the history of one job for the checker. What is unsure may take effect at any time after it was asked.
func events(ops []operation) []porcupine.Operation {
	out := make([]porcupine.Operation, 0, len(ops))
	for _, op := range ops {
		if op.Answer.Outcome == unsure && op.Asked.Kind == opRead {
			continue // says nothing
		}
		end := int64(op.Return)
		if op.Answer.Outcome == unsure {
			end = math.MaxInt64
		}
		out = append(out, porcupine.Operation{ClientId: op.Client, Input: op.Asked, Output: op.Answer, Call: int64(op.Call), Return: end, Metadata: op.Node})
	}
	return out
}

// checkPatience bounds the search for an order of one job's history.
const checkPatience = 10 * time.Minute

// checkHistory looks for each job whether its history can have happened, and draws those that cannot into folder.
func checkHistory(byJob map[string][]operation, folder string) (wrong []string) {
	model := jobModel()
	jobs := make([]string, 0, len(byJob))
	for job := range byJob {
		jobs = append(jobs, job)
	}
	slices.Sort(jobs)
	for _, job := range jobs {
		verdict, info := porcupine.CheckOperationsVerbose(model, events(byJob[job]), checkPatience)
		if verdict == porcupine.Ok {
			continue
		}
		page := filepath.Join(folder, "history-"+job+".html")
		complaint := fmt.Sprintf("the history of job %s contradicts itself; see %s", job, page)
		if verdict == porcupine.Unknown {
			complaint = fmt.Sprintf("the history of job %s could not be checked within %v", job, checkPatience)
		}
		if err := porcupine.VisualizePath(model, info, page); err != nil {
			complaint += fmt.Sprintf(" (which could not be drawn: %v)", err)
		}
		wrong = append(wrong, complaint)
	}
	return wrong
}

// tell writes the history of one job as text, in the order of its answers.
func tell(w io.Writer, ops []operation) {
	ops = slices.Clone(ops)
	slices.SortStableFunc(ops, func(a, b operation) int { return cmp.Compare(a.Call, b.Call) })
	for _, op := range ops {
		fmt.Fprintf(w, "  %9.3f – %9.3f  client %2d  %-6s %-40s → %s %s\n", op.Call.Seconds(), op.Return.Seconds(), op.Client, op.Node,
			describeAsked(op.Asked), describeAnswer(op.Answer), op.Note)
	}
}

// tellWrong writes the histories of those jobs whose page is in folder.
func tellWrong(folder string, byJob map[string][]operation) error {
	file, err := os.Create(filepath.Join(folder, "contradictions.txt"))
	if err != nil {
		return err
	}
	defer file.Close()
	for job, ops := range byJob {
		if _, err := os.Stat(filepath.Join(folder, "history-"+job+".html")); err == nil {
			fmt.Fprintf(file, "job %s\n", job)
			tell(file, ops)
		}
	}
	return file.Close()
}
