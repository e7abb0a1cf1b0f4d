package coordinator_test

import (
	"slices"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestAnInventoryIsAskedForWhenItsHashIsNew(t *testing.T) {
	r := open(t)
	s := r.enrol("suite")
	if w := s.connect(); w.WantInventory {
		t.Error("what the machine said when it enrolled is asked for again")
	}
	s.hangUp()
	s.inventory.Fonts = []farm.FontUse{{PostScript: "Inter-Bold"}}
	if w := s.connect(); !w.WantInventory {
		t.Error("what the machine has now is not asked for")
	}
	has := func(font string) func() bool {
		return func() bool {
			list, err := r.Machines(t.Context(), r.admin)
			return err == nil && len(list) == 1 && slices.ContainsFunc(list[0].Inventory.Fonts, func(f farm.FontUse) bool { return f.PostScript == font })
		}
	}
	r.eventually("the font is known", has("Inter-Bold"))
	s.inventory.Fonts = []farm.FontUse{{PostScript: "Inter-Black"}}
	s.say(wire.Message{Inventory: &s.inventory})
	r.eventually("a font that was installed meanwhile is known", has("Inter-Black"))
	s.hangUp()
	if w := s.connect(); w.WantInventory {
		t.Error("what is known is asked for again")
	}
}

func TestAMachineWorksByWhatItSaidLast(t *testing.T) {
	r := open(t)
	s := r.enrol("suite")
	s.connect()
	job := r.submit(func(j *farm.Job) { j.RequireTags = []string{"gpu"} })
	s.silent()
	s.inventory.Tags = []string{"gpu"}
	s.say(wire.Message{Inventory: &s.inventory})
	if l := s.lease(); l.Job != job.ID {
		t.Errorf("got %+v", l)
	}
}
