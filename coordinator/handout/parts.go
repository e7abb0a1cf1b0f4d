package handout

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// partsOf are the parts that an assemble task puts together, and their files by address. They lie where results lie before they are
// promoted, under the attempt that made them, until their job has ended. A part of which each frame was
// rendered again is left out.
func partsOf(tx *raftstore.Tx, assemble farm.Task) ([]wire.Part, map[string]farm.FileRef, error) {
	tasks, err := tx.TasksOf(assemble.Job)
	if err != nil {
		return nil, nil, err
	}
	var parts []wire.Part
	files := map[string]farm.FileRef{}
	covered := make([]bool, assemble.Frames.End+1)
	for _, t := range slices.Backward(tasks) {
		if t.Stage != assemble.Stage-1 || !t.Part {
			continue
		}
		for _, p := range slices.Backward(t.Parts) {
			if t.Kind == farm.TaskRender && !cover(covered, p.Frames) {
				continue
			}
			src := partAddress(t.ID, p)
			files[src] = p.Output.FileRef
			parts = append(parts, wire.Part{Kind: t.Kind, Frames: p.Frames, Src: src})
		}
	}
	for i := assemble.Frames.Start; i <= assemble.Frames.End; i++ {
		if !covered[i] {
			return nil, nil, farm.Errorf(farm.CodeInternal, "frame %d of job %s is in none of its parts", i, assemble.Job)
		}
	}
	slices.Reverse(parts)
	return parts, files, nil
}

// cover marks frames; false when all were marked before.
func cover(covered []bool, frames farm.Frames) bool {
	fresh := false
	for i := frames.Start; i <= min(frames.End, len(covered)-1); i++ {
		fresh = fresh || !covered[i]
		covered[i] = true
	}
	return fresh
}

func partAddress(task string, p farm.TaskPart) string {
	return fmt.Sprintf("%s%s/%d/%d", wire.PartScheme, task, p.Attempt, p.Frames.Start)
}

// partAttempt is the attempt that made the part with an address.
func partAttempt(src string) (at wire.Attempt, ok bool) {
	rest, ok := strings.CutPrefix(src, wire.PartScheme)
	if !ok {
		return at, false
	}
	task, rest, _ := strings.Cut(rest, "/")
	number, _, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(number)
	return wire.Attempt{Task: task, Attempt: n}, err == nil
}
