package dispatch

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"overcrank/coordinator/peers"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/interval"
)

// keptDays are what machines did in the last 24 hours, as each coordinator keeps them for the time when it leads. They are no part of the state: each
// heartbeat changes them, and a quarter of an hour that is lost matters to nobody.
type keptDays struct {
	Since time.Time                     `json:"since"` // from when on it is known
	Days  map[string][]farm.MachinePart `json:"days"`  // by agent
}

// mostDays bounds the file of days, in bytes that it unpacks to: a machine takes ten thousand at most.
const mostDays = 256 << 20

// KeepDays writes down each quarter of an hour, until ctx ends, what the leader knows of the machines' days.
func (d *Dispatcher) KeepDays(ctx context.Context) {
	for interval.Wait(ctx, farm.DayPart) == nil {
		if err := d.NoteDays(ctx); err != nil && ctx.Err() == nil {
			d.log.Debug("what machines did of late was not written down", "error", err) // as by a leader of an older release
		}
	}
}

// NoteDays writes down what the leader, whichever node that is, knows of the machines' days.
func (d *Dispatcher) NoteDays(ctx context.Context) error {
	known, err := peers.AskLeader(ctx, d.peers, askDays, struct{}{})
	if err != nil {
		return err
	}
	return known.write(d.cfg.Days)
}

// daysNow are the days of all machines, each read for itself, so that nobody waits for them.
func (l *leader) daysNow(context.Context, struct{}) (keptDays, error) {
	l.mu.Lock()
	known, agents := keptDays{Since: l.daysSince, Days: map[string][]farm.MachinePart{}}, slices.Collect(maps.Keys(l.days))
	l.mu.Unlock()
	from := l.d.state.Now().Add(-farm.DayParts * farm.DayPart)
	for _, agent := range agents {
		l.mu.Lock()
		if d := l.days[agent]; d != nil {
			known.Days[agent] = d.since(from)
		}
		l.mu.Unlock()
		if len(known.Days[agent]) == 0 {
			delete(known.Days, agent)
		}
	}
	return known, nil
}

// recallDays takes up what was written down before this node led.
func (l *leader) recallDays() {
	known, err := readDays(l.d.cfg.Days)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		l.d.log.Warn("what machines did before this coordinator led is not known", "error", err)
	}
	from := l.d.state.Now().Add(-farm.DayParts * farm.DayPart)
	for agent, parts := range known.Days {
		l.mu.Lock()
		d := l.dayLocked(agent)
		for _, p := range parts {
			if p.From.After(from) {
				d.recall(p)
			}
		}
		l.mu.Unlock()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && known.Since.Before(l.daysSince) {
		l.daysSince = known.Since
	}
}

// noteDays writes the days down as this node stops to lead.
func (l *leader) noteDays() {
	known, err := l.daysNow(context.Background(), struct{}{})
	if err = errors.Join(err, known.write(l.d.cfg.Days)); err != nil {
		l.d.log.Warn("what machines did of late is not written down", "error", err)
	}
}

// recall adds a part that was counted before.
func (d *day) recall(was farm.MachinePart) {
	p := d.part(was.From)
	for use, seconds := range was.Seconds {
		p.Seconds[use] += seconds
	}
	p.Jobs += was.Jobs
	p.Failed += was.Failed
	if p.Job == "" {
		p.Job, p.Team = was.Job, was.Team
	}
}

func (k keptDays) write(path string) error {
	if path == "" {
		return nil
	}
	return durable.Write(path, 0o600, func(to io.Writer) error {
		packed := gzip.NewWriter(to)
		return errors.Join(json.NewEncoder(packed).Encode(k), packed.Close())
	})
}

func readDays(path string) (known keptDays, err error) {
	file, err := os.Open(path)
	if err != nil {
		return known, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	text, err := gzip.NewReader(file)
	if err == nil {
		err = json.NewDecoder(io.LimitReader(text, mostDays)).Decode(&known)
	}
	if err != nil {
		return keptDays{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return known, nil
}
