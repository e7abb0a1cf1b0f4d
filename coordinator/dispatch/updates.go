package dispatch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"overcrank/coordinator/peers"
	"overcrank/coordinator/updates"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/interval"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// updateEvery is how often the leader decides which machines get a release. The cost grows with the number of machines; without a release to roll out there
// is none.
const updateEvery = time.Second

// updating is what a leader knows of releases and of what machines run. It is guarded by leader.mu.
type updating struct {
	index    uint64 // of the state from which the settings were read
	settings farm.Updates
	release  *farm.Release                 // that machines are to run; nil for none
	files    map[string]farm.FileRef       // of that release, and the ffmpegs, by hash
	ffmpegs  []farm.Download               // that the farm hands out, the latest first
	machines map[string]farm.MachineUpdate // by agent
	news     map[string]bool               // agents whose record has to be written
	waiting  string
	led      time.Time // since when this coordinator leads
}

func newUpdating(now time.Time) updating {
	return updating{led: now, machines: map[string]farm.MachineUpdate{}, news: map[string]bool{}}
}

// readUpdates reads which release machines are to run, and what they reported to earlier leaders.
func (l *leader) readUpdates() error {
	var u farm.Updates
	var release *farm.Release
	var told []farm.MachineUpdate
	var downloads []farm.Download
	var index uint64
	err := l.d.state.View(func(tx *raftstore.Tx) (err error) {
		index = tx.Index()
		if u, err = tx.Updates(); err != nil {
			return err
		}
		if u.Release != "" {
			r, err := tx.Release(u.Release)
			if err != nil {
				return err
			}
			release = &r
		}
		if downloads, err = tx.Downloads(); err != nil {
			return err
		}
		told, err = tx.MachineUpdates()
		return err
	})
	if err != nil {
		return fmt.Errorf("reading which release machines are to run: %w", err)
	}
	files := map[string]farm.FileRef{}
	if release != nil {
		for _, f := range release.Files {
			files[f.File.SHA256] = f.File
		}
	}
	ffmpegs := slices.DeleteFunc(downloads, func(d farm.Download) bool { return d.Kind != farm.DownloadFFmpeg })
	slices.SortFunc(ffmpegs, func(a, b farm.Download) int {
		return cmp.Or(b.AddedAt.Compare(a.AddedAt), cmp.Compare(a.File.SHA256, b.File.SHA256))
	})
	for _, f := range ffmpegs {
		files[f.File.SHA256] = f.File
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if index < l.updates.index {
		return nil
	}
	l.updates.index, l.updates.settings, l.updates.release, l.updates.files = index, u, release, files
	l.updates.ffmpegs = ffmpegs
	for _, m := range told {
		if _, known := l.updates.machines[m.Agent]; !known {
			l.updates.machines[m.Agent] = m
		}
	}
	return nil
}

// noteUpdating notes what a machine reports. What has to outlive its connection is recorded by the next updateLoop.
func (l *leader) noteUpdating(s *session, told wire.Updating) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sessions[s.agent] != s {
		return
	}
	s.updates = true
	was := l.updates.machines[s.agent]
	now := farm.MachineUpdate{Agent: s.agent, Version: told.Version, Mode: told.Mode, Release: told.Release, State: told.State, Reason: told.Reason,
		Failures: max(told.Failures, 0), Rendered: told.Rendered, At: was.At}
	if was == now {
		return
	}
	if was.Version != now.Version || was.Release != now.Release || was.State != now.State || was.Failures != now.Failures || was.Rendered != now.Rendered {
		now.At = l.d.state.Now()
	}
	l.updates.machines[s.agent] = now
	if was.Version != now.Version || was.Mode != now.Mode || now.State.Lasting() || was.State.Lasting() {
		l.updates.news[s.agent] = true
	}
	if now.State == farm.UpdateRolledBack || now.State == farm.UpdateRefused || now.State == farm.UpdateRetrying {
		l.d.log.Warn("a machine did not take a release", "agent", s.agent, "name", s.name, "release", now.Release, "state", now.State, "reason", now.Reason)
	}
	l.d.events.Spread(farm.Event{Kind: farm.EventMachine, ID: s.agent})
}

// updateLoop rolls the chosen release out to one ring of machines after the other, until ctx ends.
func (l *leader) updateLoop(ctx context.Context) {
	interval.Every(ctx, updateEvery, func() {
		if l.d.cluster.Level() < command.ReleasesLevel {
			return
		}
		l.recordUpdates(ctx)
		if changed, is := l.decideUpdates(); is {
			if _, err := l.d.state.Apply(ctx, command.PutUpdates{Updates: changed}); err != nil && farm.CodeOf(err) != farm.CodeConflict {
				l.d.log.Error("going on with a release", "release", changed.Release, "error", err)
			}
		}
	})
}

// recordUpdates records what machines have reported since the last time.
func (l *leader) recordUpdates(ctx context.Context) {
	l.mu.Lock()
	var records []farm.MachineUpdate
	for _, id := range slices.Sorted(maps.Keys(l.updates.news)) {
		records = append(records, l.updates.machines[id])
	}
	clear(l.updates.news)
	l.mu.Unlock()
	if len(records) == 0 {
		return
	}
	if _, err := l.d.state.Apply(ctx, command.RecordUpdates{Machines: records}); err != nil {
		l.d.log.Error("recording what machines run", "machines", len(records), "error", err)
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, m := range records {
			l.updates.news[m.Agent] = true
		}
	}
}

// decideUpdates tells connected machines what to run. When the ring changes or the release is stopped, it returns the changed settings.
func (l *leader) decideUpdates() (changed farm.Updates, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := &l.updates
	var machines []updates.Machine
	if u.settings.Release != "" {
		machines = l.updatedLocked()
	}
	d := updates.Decide(updates.Situation{
		Updates: u.settings, Release: u.release, Protocol: l.d.cfg.Protocol, Machines: machines, Led: u.led, Now: l.d.state.Now(),
	})
	u.waiting = d.Waiting
	for _, s := range l.sessions {
		l.tellReleaseLocked(s, d.Tell[s.agent])
		l.tellFFmpegLocked(s)
	}
	if !d.Changed {
		return d.Updates, false
	}
	if stop := d.Updates.Stopped; stop != nil {
		l.d.log.Error("a release was stopped: no further machine gets it", "release", u.settings.Release, "reason", stop.Reason,
			"go on with", "overcrank updates resume")
	} else if d.Updates.Ring != u.settings.Ring {
		l.d.log.Info("a release goes to a ring of machines", "release", u.settings.Release, "ring", d.Updates.Ring)
	}
	return d.Updates, true
}

// updatedLocked lists all machines for deciding about updates.
func (l *leader) updatedLocked() []updates.Machine {
	list := make([]updates.Machine, 0, len(l.standings))
	for id, stand := range l.standings {
		list = append(list, updates.Machine{ID: id, Name: stand.name, Online: l.sessions[id] != nil, Tags: slices.Concat(stand.tags, stand.installed),
			Update: l.updates.machines[id]})
	}
	return list
}

// tellReleaseLocked tells a machine what to run, if that differs from what it was told last.
func (l *leader) tellReleaseLocked(s *session, wanted bool) {
	if !s.updates {
		return
	}
	u, m := &l.updates, wire.Update{}
	if wanted {
		m = wire.Update{Release: u.release.Version, Documents: u.release.Documents, BytesPerSecond: u.settings.BytesPerSecond}
	}
	if s.update == nil || m.Release != s.update.Release || m.BytesPerSecond != s.update.BytesPerSecond {
		s.update = &m
		s.send(wire.Message{Update: &m})
	}
}

// tellFFmpegLocked tells a machine which ffmpeg the farm hands out to machines like it, if that differs from what it was told last.
func (l *leader) tellFFmpegLocked(s *session) {
	if !s.updates || s.system == "" {
		return
	}
	m := wire.FFmpeg{BytesPerSecond: l.updates.settings.BytesPerSecond}
	if i := slices.IndexFunc(l.updates.ffmpegs, func(d farm.Download) bool { return d.System == s.system && (d.Arch == s.arch || d.Arch == "universal") }); i >= 0 {
		d := l.updates.ffmpegs[i]
		m.SHA256, m.Size, m.Version = d.File.SHA256, d.File.Size, d.Version
	}
	if s.ffmpeg == nil || *s.ffmpeg != m {
		s.ffmpeg = &m
		s.send(wire.Message{FFmpeg: &m})
	}
}

// updatesNow is what the leader knows of a rollout.
type updatesNow struct {
	Waiting  string            `json:"waiting"`
	Machines []updates.Machine `json:"machines"`
}

// MachineUpdates returns which release machines are to run, and how far each is, sorted by name.
func (d *Dispatcher) MachineUpdates(ctx context.Context, _ farm.Principal) (updates.Overview, error) {
	now, err := peers.AskLeader(ctx, d.peers, askUpdates, struct{}{})
	if err != nil {
		return updates.Overview{}, err
	}
	o := updates.Overview{Waiting: now.Waiting, Machines: now.Machines}
	err = d.state.View(func(tx *raftstore.Tx) (err error) {
		o.Updates, err = tx.Updates()
		return err
	})
	for i, m := range o.Machines {
		o.Machines[i].Ring = updates.RingOf(o.Updates, m)
	}
	slices.SortFunc(o.Machines, func(a, b updates.Machine) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return o, err
}

func (l *leader) updatesNow(context.Context, struct{}) (updatesNow, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return updatesNow{Waiting: l.updates.waiting, Machines: l.updatedLocked()}, nil
}
