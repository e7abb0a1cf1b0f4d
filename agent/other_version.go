package agent

import (
	"context"
	"fmt"

	"overcrank/farm/wire"
)

// otherVersion means that the coordinator speaks another version of the protocol than this agent: the machine gets no work until one of them is
// updated.
type otherVersion struct {
	wire.OtherVersion
	own int
}

func (o *otherVersion) Error() string {
	if o.own > o.Version {
		return fmt.Sprintf("this agent is newer than the farm (protocol %d, the farm's is %d): the farm's coordinators have to be updated", o.own, o.Version)
	}
	return fmt.Sprintf("this agent is too old for the farm (protocol %d, the farm's is %d): it gets no work until it is updated", o.own, o.Version)
}

// awaitUpdate works a connection to a coordinator that speaks another version of the protocol: it takes the release that the farm has chosen, and
// nothing else. The machine drops its work, which the farm gives to others.
func (s *session) awaitUpdate(ctx context.Context, other *otherVersion) error {
	l := s.l
	l.a.log.Warn("the farm gives this machine no work", "coordinator", l.a.farm.Address(), "error", other)
	for _, at := range l.a.slots.holding() {
		l.a.slots.settle(at)
	}
	l.a.farm.Welcomed()
	l.a.joined()
	if other.Coordinators != nil {
		l.a.setCoordinators(other.Coordinators)
	}
	l.standing.Store(&wire.Standing{})
	l.troubled(other)
	// A version on trial that is not the farm's is given the time that it has while the farm cannot be reached: the coordinators may be on the way to it.
	l.away.Store(true)
	l.updatesOnly.Store(true)
	defer l.updatesOnly.Store(false)
	s.other = other
	return fmt.Errorf("%w: %w", other, s.run(ctx, other.HeartbeatSeconds))
}

// report tells the farm what the machine runs.
func (s *session) report(told wire.Updating) error {
	if err := s.write(wire.Message{Updating: &told}); err != nil {
		return err
	}
	s.updating = told
	s.l.updating.Store(&told)
	return nil
}
