package coordinator_test

import (
	"strings"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore/command"
)

// TestAMachineGetsWorkInTheHoursThatTheFarmSets by the machine's own clock, which the test moves to another time zone.
func TestAMachineGetsWorkInTheHoursThatTheFarmSets(t *testing.T) {
	r := open(t)
	r.eventually("the farm's level is the newest", func() bool { return r.Cluster().Level() == command.NewestLevel })
	s := r.enrol("box")
	s.connect()
	zone := func(offset int) {
		s.say(wire.Message{Heartbeat: &wire.Heartbeat{Rules: &farm.WorkRules{Zone: "there", ZoneOffset: offset}}})
		r.eventually("the machine's time zone is known", func() bool {
			m, err := r.Agent(t.Context(), r.admin, s.agent.ID)
			return err == nil && m.Rules != nil && m.Rules.ZoneOffset == offset
		})
	}
	zone(0)
	at := time.Now().UTC()
	minutes := at.Hour()*60 + at.Minute()
	later := farm.Hours{From: (minutes + 300) % (24 * 60), To: (minutes + 600) % (24 * 60)} // from five hours ahead, for five hours
	if state := r.configure(s.agent.ID, farm.AgentChange{Hours: &[]farm.Hours{later}}); state != farm.MachineAway {
		t.Errorf("outside its hours the machine is %s", state)
	}
	if told := s.stands(); told.Hours != later.String() || told.State != "" {
		t.Errorf("the machine is told %+v", told)
	}
	m, err := r.Agent(t.Context(), r.admin, s.agent.ID)
	if err != nil || m.Until.Sub(at) > 5*time.Hour || !m.Until.After(at) || !strings.Contains(m.Reason, later.String()) {
		t.Errorf("the machine is away for %q until %v, %v", m.Reason, m.Until, err)
	}
	r.waits(r.submit(), "outside the hours that the farm has set")
	s.silent()

	zone(450) // where it is two and a half hours after the beginning
	s.lease()

	always := []farm.Hours{}
	r.configure(s.agent.ID, farm.AgentChange{Hours: &always})
	if told := s.stands(); told.Hours != "" {
		t.Errorf("without hours the machine is told %+v", told)
	}
	wrong := make([]farm.Hours, farm.MostHours+1)
	if _, err := r.ConfigureAgent(t.Context(), r.admin, s.agent.ID, farm.AgentChange{Hours: &wrong}); farm.CodeOf(err) != farm.CodeInvalid {
		t.Errorf("too many windows: %v", err)
	}
}
