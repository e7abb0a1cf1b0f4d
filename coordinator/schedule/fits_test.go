package schedule_test

import (
	"testing"

	"overcrank/coordinator/schedule"
)

func TestMachinesAreNamedThatCouldTakeWhatIsNotInLine(t *testing.T) {
	q := schedule.NewQueue()
	for _, id := range []string{"d", "b", "c"} {
		come(q, machine(id, 1, "26.0"))
	}
	come(q, machine("a", 1))
	adobe := task("adobe", func(t *schedule.Task) { t.Need.Engine = schedule.EngineAfterEffects })
	placement, machines := q.Fits(adobe, epoch, 2)
	if placement.Agents != 4 || placement.Fitting != 3 || len(machines) != 2 || machines[0].Name != "box b" || machines[1].Name != "box c" {
		t.Errorf("%d of %d fit, among them %+v", placement.Fitting, placement.Agents, machines)
	}
	none := task("none", func(t *schedule.Task) { t.Need.Engine = "ae2019" })
	if placement, machines = q.Fits(none, epoch, 2); placement.Fitting != 0 || len(machines) != 0 || placement.Nearest == nil {
		t.Errorf("none fits, and yet %+v, %+v", placement, machines)
	}
	if got := q.Assign(epoch, 10); len(got) != 0 {
		t.Errorf("what was only asked about is given out: %v", got)
	}
	if placement, _ := schedule.NewQueue().Fits(adobe, epoch, 2); placement.Agents != 0 {
		t.Errorf("a farm without machines says %+v", placement)
	}
}
