package dispatch

import (
	"context"
	"time"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// noteLive keeps what a machine tells of itself that nobody records, and counts its time.
func (l *leader) noteLive(s *session, beat wire.Heartbeat) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sessions[s.agent] != s {
		return
	}
	if beat.Load != nil {
		s.load = beat.Load
	}
	if beat.Rules != nil {
		s.rules = beat.Rules
	}
	l.countTimeLocked(s)
}

// countTimeLocked counts the time since a machine's last word as what it is doing now.
func (l *leader) countTimeLocked(s *session) {
	now := l.d.state.Now()
	m := farm.Machine{Online: true, Availability: l.present(s), Running: make([]farm.RunningTask, len(l.byAgent[s.agent]))}
	l.standings[s.agent].describe(&m, now)
	var job, team string
	if held := l.byAgent[s.agent]; len(held) > 0 {
		job, team = held[0].job, held[0].team
	}
	l.dayLocked(s.agent).count(now, farm.UseOf(m), job, team)
}

func (l *leader) dayLocked(agent string) *day {
	d := l.days[agent]
	if d == nil {
		d = &day{}
		l.days[agent] = d
	}
	return d
}

// noteEnd counts an attempt that ended on a machine.
func (l *leader) noteEnd(agent string, job farm.Job, failed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dayLocked(agent).end(l.d.state.Now(), job.ID, job.Team, failed)
}

// dayOf is what a machine did in the last 24 hours, as far as it is known.
func (l *leader) dayOf(_ context.Context, agent string) (farm.MachineDay, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	told := farm.MachineDay{Since: l.daysSince}
	if d := l.days[agent]; d != nil {
		told.Parts = d.since(l.d.state.Now().Add(-farm.DayParts * farm.DayPart))
	}
	return told, nil
}

// longestGap is how much time one word of a machine can stand for: more than a heartbeat, less than a part of the day.
const longestGap = time.Minute

// day is what a machine did in each quarter of the last 24 hours: as much memory for a machine that renders a job in a second as for one
// that renders one in a day.
type day struct {
	parts [farm.DayParts]farm.MachinePart // by the time of day; From says of which day a part is
	last  time.Time                       // the machine's last word
}

// part is the part that a time lies in.
func (d *day) part(at time.Time) *farm.MachinePart {
	from := at.UTC().Truncate(farm.DayPart)
	p := &d.parts[int(from.Unix()/int64(farm.DayPart/time.Second))%farm.DayParts]
	if !p.From.Equal(from) {
		*p = farm.MachinePart{From: from}
	}
	return p
}

// count adds the time since the machine's last word to what it does now.
func (d *day) count(now time.Time, use farm.MachineUse, job, team string) {
	gap := now.Sub(d.last)
	d.last = now
	if gap <= 0 || gap > longestGap {
		return
	}
	p := d.part(now)
	p.Seconds[use] += gap.Seconds()
	if job != "" {
		p.Job, p.Team = job, team
	}
}

// end counts an attempt that ended.
func (d *day) end(now time.Time, job, team string, failed bool) {
	p := d.part(now)
	p.Jobs++
	if p.Job, p.Team = job, team; failed {
		p.Failed++
	}
}

// since are the parts that began behind a time, the oldest first.
func (d *day) since(from time.Time) (list []farm.MachinePart) {
	for at := from.UTC().Truncate(farm.DayPart).Add(farm.DayPart); len(list) < farm.DayParts && !at.After(from.Add(farm.DayParts*farm.DayPart)); at = at.Add(farm.DayPart) {
		p := d.parts[int(at.Unix()/int64(farm.DayPart/time.Second))%farm.DayParts]
		if p.From.Equal(at) {
			list = append(list, p)
		}
	}
	return list
}
