package schedule

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"overcrank/farm"
)

// Machine is what a queue has to know of an enrolled agent.
type Machine struct {
	ID, Name  string
	Slots     int      // tasks it runs at once
	Tags      []string // its own and its operator's
	Given     []string // of these, its operator's
	Inventory farm.Inventory
}

// MachineOf is the Machine of an agent.
func MachineOf(a farm.Agent) Machine {
	tags := slices.Concat(a.Inventory.Tags, a.Tags)
	slices.Sort(tags)
	return Machine{ID: a.ID, Name: a.Name, Slots: a.Inventory.PossibleSlots(), Tags: slices.Compact(tags), Given: a.Tags, Inventory: a.Inventory}
}

// Out is why a connected machine gets no work. The zero value is a machine that gets some.
type Out struct {
	Why    OutKind
	Reason string    // in words, may be empty
	Until  time.Time // when that may change; zero when nobody knows
}

// OutKind is a kind of reasons why a machine gets no work.
type OutKind string

// The reasons why a machine gets no work, beside that it is busy.
const (
	OutAway     OutKind = "away"      // its artist is there
	OutNotReady OutKind = "not_ready" // it lacks something that every task needs
	OutDrained  OutKind = "drained"   // finishes what it has
	OutPaused   OutKind = "paused"
	OutAside    OutKind = "aside"   // it failed too often
	OutResting  OutKind = "resting" // it has just given something back
)

// machine is an enrolled machine.
type machine struct {
	id, name       string
	offers         int      // slots that it could have
	slots          int      // that the policy lets it have
	fonts, effects []uint32 // names that it counts for as an owner; see Queue.owned
	adobe          bool
	profile        *profile // of its properties
	connected      bool
	out            Out
	running        []*holding
	free           int // slots; 0 unless it is connected and gets work
	inFree, inIdle int // places in Queue.free and in profile.idle, while free is more than 0
	lastWork       *work
	cached         []*file
}

func (m *machine) able() bool { return m.connected && m.out.Why == "" }

// profile is machines that have the same, as far as tasks can ask for it.
type profile struct {
	index    int
	key      [sha256.Size]byte
	engines  []Engine // releases of After Effects
	versions [][2]int // the same, exactly
	renders  bool     // it has some engine at all
	own      bool     // it has the farm's own
	tags     []string // in order
	given    []string // of these, those of the farm's people, in order
	memory   int64    // bytes
	os       string
	fonts    []uint32 // in order
	effects  []uint32 // in order

	fits     set // classes
	machines int // connected ones
	able     int // of these, those that get work
	idle     []*machine
}

// intern is the number of a name. Fonts and effects have many owners and long names.
func (q *Queue) intern(name string) uint32 {
	n, known := q.names[name]
	if !known {
		n = uint32(len(q.names))
		q.names[name] = n
		q.owned = append(q.owned, 0)
		q.asked = append(q.asked, 0)
	}
	return n
}

func (q *Queue) internAll(names []string) []uint32 {
	list := make([]uint32, len(names))
	for i, name := range names {
		list[i] = q.intern(name)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func fontName(name string) string   { return "f" + farm.FontKey(name) }
func effectName(name string) string { return "e" + name }

// profileOf is a profile of what a machine has, which is no shared one yet.
func (q *Queue) profileOf(m Machine) *profile {
	p := &profile{renders: len(m.Inventory.Engines) > 0, tags: m.Tags, memory: m.Inventory.Memory, os: m.Inventory.OS}
	if !slices.IsSorted(p.tags) {
		p.tags = slices.Sorted(slices.Values(p.tags))
	}
	p.given = slices.Sorted(slices.Values(m.Given))
	for _, e := range m.Inventory.Engines {
		p.own = p.own || e.Kind == farm.EngineEmbedded
		if e.Kind == farm.EngineAfterEffects {
			p.engines = append(p.engines, Release(e.Version))
			p.versions = append(p.versions, version(e.Version))
		}
	}
	var fonts, effects []string
	for _, f := range m.Inventory.Fonts {
		fonts = append(fonts, fontName(f.PostScript))
	}
	for _, e := range m.Inventory.Effects {
		effects = append(effects, effectName(e))
	}
	p.fonts, p.effects = q.internAll(fonts), q.internAll(effects)
	p.key = p.digest()
	return p
}

func (p *profile) digest() [sha256.Size]byte {
	var b bytes.Buffer
	for i, e := range p.engines {
		fmt.Fprintf(&b, "%s %v\x00", e, p.versions[i])
	}
	b.WriteByte(1)
	for _, t := range p.tags {
		b.WriteString(t + "\x00")
	}
	b.WriteByte(1)
	for _, t := range p.given {
		b.WriteString(t + "\x00")
	}
	b.WriteString("\x01" + p.os + "\x01")
	numbers := []uint64{uint64(p.memory), uint64(len(p.fonts)), uint64(len(p.effects)), 0}
	if p.renders {
		numbers[3] |= 1
	}
	if p.own {
		numbers[3] |= 2
	}
	for _, n := range numbers {
		b.Write(binary.BigEndian.AppendUint64(nil, n))
	}
	for _, n := range slices.Concat(p.fonts, p.effects) {
		b.Write(binary.BigEndian.AppendUint32(nil, n))
	}
	return sha256.Sum256(b.Bytes())
}

// SetMachine makes an enrolled machine known, or renews what is known of it. It gets work once it is connected.
func (q *Queue) SetMachine(in Machine) {
	m := q.machines[in.ID]
	if m == nil {
		m = &machine{id: in.ID}
		q.machines[in.ID] = m
	}
	connected := m.connected
	q.leave(m)
	had := q.adobe > 0
	flipped := q.disown(m)
	m.name, m.offers = in.Name, max(in.Slots, 1)
	m.slots = min(m.offers, q.policy.MostSlots())
	p := q.profileOf(in)
	m.fonts, m.effects, m.adobe = p.fonts, p.effects, len(p.engines) > 0
	flipped = append(flipped, q.own(m)...)
	m.profile = p
	q.consider(flipped, had != (q.adobe > 0))
	if connected {
		q.join(m)
	}
}

// Knows tells whether an enrolled machine is known.
func (q *Queue) Knows(id string) bool { return q.machines[id] != nil && q.machines[id].profile != nil }

// RemoveMachine forgets a machine that is enrolled no more.
func (q *Queue) RemoveMachine(id string) {
	m := q.machines[id]
	if m == nil {
		return
	}
	q.leave(m)
	q.remember(m, nil)
	q.SetCached(id, nil)
	had := q.adobe > 0
	flipped := q.disown(m)
	delete(q.machines, id)
	q.consider(flipped, had != (q.adobe > 0))
}

// own counts a machine among the owners of its fonts, effects and engines, and gives the names that had none before.
func (q *Queue) own(m *machine) (flipped []uint32) {
	for _, n := range slices.Concat(m.fonts, m.effects) {
		if q.owned[n]++; q.owned[n] == 1 && q.asked[n] > 0 {
			flipped = append(flipped, n)
		}
	}
	if m.adobe {
		q.adobe++
	}
	return flipped
}

func (q *Queue) disown(m *machine) (flipped []uint32) {
	for _, n := range slices.Concat(m.fonts, m.effects) {
		if q.owned[n]--; q.owned[n] == 0 && q.asked[n] > 0 {
			flipped = append(flipped, n)
		}
	}
	if m.adobe {
		q.adobe--
	}
	return flipped
}

// consider matches classes anew whose needs mean something else now: all when the farm got or lost After Effects, otherwise
// those that ask for a font that got its first owner or lost its last.
func (q *Queue) consider(flipped []uint32, all bool) {
	if !all && len(flipped) == 0 {
		return
	}
	for _, c := range q.byIndex {
		if c != nil && (all || slices.ContainsFunc(flipped, func(n uint32) bool { return slices.Contains(c.fonts, n) })) {
			q.match(c)
		}
	}
	if all {
		q.recount()
	}
}

// HasAfterEffects tells whether any enrolled machine has After Effects.
func (q *Queue) HasAfterEffects() bool { return q.adobe > 0 }

// Connect says that a machine is there, and whether it gets work.
func (q *Queue) Connect(id string, out Out) {
	m := q.machines[id]
	if m == nil || m.profile == nil {
		return
	}
	if !m.connected {
		m.out = out
		q.join(m)
		return
	}
	q.count(m, -1)
	m.out = out
	q.count(m, 1)
	q.settle(m)
}

// count counts a connected machine, if it gets work.
func (q *Queue) count(m *machine, by int) {
	if m.able() {
		m.profile.able += by
		q.slots += by * m.slots
	}
}

// Disconnect says that a machine is not there.
func (q *Queue) Disconnect(id string) {
	if m := q.machines[id]; m != nil {
		q.leave(m)
	}
}

// join counts a machine among the connected ones.
func (q *Queue) join(m *machine) {
	p := q.profiles[m.profile.key]
	if p == nil {
		p = m.profile
		p.index = q.profileNumbers.take()
		q.profiles[p.key] = p
		for len(q.profileAt) <= p.index {
			q.profileAt = append(q.profileAt, nil)
		}
		q.profileAt[p.index] = p
		p.fits.clear()
		for _, c := range q.byIndex {
			if c != nil && c.fits(p) {
				p.fits.add(c.index)
				c.row.add(p.index)
			}
		}
	}
	m.profile, m.connected = p, true
	p.machines++
	q.count(m, 1)
	q.settle(m)
}

// leave takes a machine from the connected ones, if it is among them.
func (q *Queue) leave(m *machine) {
	if !m.connected {
		return
	}
	p := m.profile
	q.count(m, -1)
	m.connected = false
	q.settle(m)
	if p.machines--; p.machines > 0 {
		// The shared profile lives on with the others; this machine keeps what tells its own.
		return
	}
	delete(q.profiles, p.key)
	q.profileAt[p.index] = nil
	q.profileNumbers.giveBack(p.index)
	for _, c := range q.byIndex {
		if c != nil {
			c.row.remove(p.index)
		}
	}
}

// settle counts the free slots of a machine, and keeps the lists of those that have some.
func (q *Queue) settle(m *machine) {
	was := m.free
	m.free = 0
	if m.able() {
		m.free = max(m.slots-len(m.running), 0)
	}
	p := m.profile
	switch {
	case was == 0 && m.free > 0:
		m.inFree, m.inIdle = len(q.free), len(p.idle)
		q.free, p.idle = append(q.free, m), append(p.idle, m)
		q.roomy(p).add(p.index)
	case was > 0 && m.free == 0:
		q.free = swapOut(q.free, m.inFree, func(o *machine, i int) { o.inFree = i })
		p.idle = swapOut(p.idle, m.inIdle, func(o *machine, i int) { o.inIdle = i })
		if len(p.idle) == 0 {
			q.roomy(p).remove(p.index)
		}
	}
}

// roomy is the set of profiles with free machines that a profile belongs to: those with After Effects are looked at last, so
// that they stay free for what needs them.
func (q *Queue) roomy(p *profile) *set {
	if len(p.engines) > 0 {
		return &q.roomyAdobe
	}
	return &q.roomyPlain
}

// swapOut takes one out of a list, whose last gets its place.
func swapOut(list []*machine, i int, moved func(*machine, int)) []*machine {
	last := len(list) - 1
	list[i] = list[last]
	moved(list[i], i)
	list[last] = nil
	return list[:last]
}

// holds tells whether a list of numbers in order has one.
func holds(list []uint32, n uint32) bool {
	_, found := slices.BinarySearch(list, n)
	return found
}

// SetCached says which projects' files a machine has, by the first 16 hex digits of their hashes, the last used first.
func (q *Queue) SetCached(id string, files []string) {
	m := q.machines[id]
	if m == nil {
		return
	}
	for _, f := range m.cached {
		f.machines = slices.DeleteFunc(f.machines, func(o *machine) bool { return o == m })
		q.forget(f)
	}
	m.cached = nil
	for _, name := range files[:min(len(files), maxCached)] {
		f := q.fileOf(name)
		f.machines = append(f.machines, m)
		m.cached = append(m.cached, f)
	}
}

// maxCached is how many files of one machine count.
const maxCached = 256

// file is the file of a project, as far as tasks use it or machines have it.
type file struct {
	name     string
	works    int
	machines []*machine
}

func (q *Queue) fileOf(name string) *file {
	f := q.files[name]
	if f == nil {
		f = &file{name: name}
		q.files[name] = f
	}
	return f
}

func (q *Queue) forget(f *file) {
	if f.works == 0 && len(f.machines) == 0 {
		delete(q.files, f.name)
	}
}

// work is a Work that items, machines or both know.
type work struct {
	Work
	file  *file // nil without one
	known int   // how often
	warm  []*machine
}

// maxWarm is how many machines are known that did some work last.
const maxWarm = 16

func (q *Queue) workOf(w Work) *work {
	k := q.works[w]
	if k == nil {
		k = &work{Work: w}
		if w.File != "" {
			k.file = q.fileOf(w.File)
			k.file.works++
		}
		q.works[w] = k
	}
	k.known++
	return k
}

func (q *Queue) drop(k *work) {
	if k.known--; k.known > 0 {
		return
	}
	delete(q.works, k.Work)
	if k.file != nil {
		k.file.works--
		q.forget(k.file)
	}
}

// remember notes what a machine did last; nil makes it forget.
func (q *Queue) remember(m *machine, k *work) {
	if m.lastWork == k {
		return
	}
	if old := m.lastWork; old != nil {
		old.warm = slices.DeleteFunc(old.warm, func(o *machine) bool { return o == m })
		q.drop(old)
	}
	if m.lastWork = k; k == nil {
		return
	}
	k.known++
	if len(k.warm) == maxWarm {
		k.warm = slices.Delete(k.warm, 0, 1)
	}
	k.warm = append(k.warm, m)
}

// hasFile tells whether a machine has the file of some work, or has just worked with it.
func (m *machine) hasFile(k *work) bool {
	return m.lastWork == k || k.file != nil && slices.Contains(m.cached, k.file)
}

// byID orders machines for who wants the same order always.
func byID(a, b *machine) int { return cmp.Compare(a.id, b.id) }
