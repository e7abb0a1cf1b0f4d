package schedule

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/farm/codec"
)

// Machine is what the queue knows of an enrolled agent.
type Machine struct {
	ID, Name  string
	Slots     int      // tasks it runs at once
	Tags      []string // its own and those set by operators
	Given     []string // only those set by operators
	Inventory farm.Inventory
}

// MachineOf returns the Machine of an agent.
func MachineOf(a farm.Agent) Machine {
	tags := slices.Concat(a.Inventory.Tags, a.Tags)
	slices.Sort(tags)
	return Machine{ID: a.ID, Name: a.Name, Slots: a.Inventory.PossibleSlots(), Tags: slices.Compact(tags), Given: a.Tags, Inventory: a.Inventory}
}

// Out is why a connected machine gets no work. The zero value is a machine that can get work.
type Out struct {
	Why    OutKind
	Reason farm.Text // may be zero
	Until  time.Time // when that may change; zero when unknown
}

// OutKind is why a machine gets no work.
type OutKind string

// The kinds of reasons, other than being busy.
const (
	OutAway     OutKind = "away"      // its artist uses it
	OutNotReady OutKind = "not_ready" // it lacks something that every task needs
	OutDrained  OutKind = "drained"   // it only finishes its tasks
	OutPaused   OutKind = "paused"
	OutAside    OutKind = "aside"   // set aside: it failed too often
	OutResting  OutKind = "resting" // it has just given back a task
)

// machine is an enrolled machine.
type machine struct {
	id, name       string
	offers         int      // slots that its agent offers
	slots          int      // slots that the policy allows
	fonts, effects []uint32 // names counted in Queue.owned
	adobe          bool
	releases       releases
	lacks          farm.Text // why its After Effects gets no work now; zero when it does, and for a machine without one
	profile        *profile  // of its properties
	connected      bool
	out            Out
	running        []*holding
	free           int // free slots; 0 unless it is connected and can get work
	inFree, inIdle int // indexes in Queue.free and profile.idle, while free is above 0
	lastWork       *work
	cached         []*file
}

func (m *machine) able() bool { return m.connected && m.out.Why == "" }

// profile is all machines that are equal as far as tasks can require.
type profile struct {
	index    int
	key      [sha256.Size]byte
	releases          // those that get work
	renders  bool     // it has any engine
	own      bool     // it has the embedded engine
	tags     []string // in order
	given    []string // of these, those set by operators, in order
	memory   int64    // bytes
	os       string
	fonts    []uint32 // in order
	effects  []uint32 // in order
	writes   []string // families of codecs that it has encoders for, in order; none when it does not say

	fits     set // classes
	machines int // connected ones
	able     int // of these, those that can get work
	idle     []*machine
}

// releases are those of After Effects on a machine.
type releases struct {
	engines  []Engine
	versions [][2]int // major and minor of the same
}

// intern numbers a name: names of fonts and effects are long, and many machines have the same.
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

// profileOf returns the profile of a machine. It is not shared with equal machines yet; see join.
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
	p.writes = codec.Families(m.Inventory.Codecs)
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
	b.WriteString("\x01" + p.os + "\x01" + strings.Join(p.writes, "\x00") + "\x01")
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

// SetMachine adds an enrolled machine, or updates it. It gets work once it is connected.
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
	m.fonts, m.effects, m.releases, m.adobe = p.fonts, p.effects, p.releases, len(p.engines) > 0
	if !m.lacks.IsZero() {
		p = p.with(releases{})
	}
	flipped = append(flipped, q.own(m)...)
	m.profile = p
	q.consider(flipped, had != (q.adobe > 0))
	if connected {
		q.join(m)
	}
}

// SetLacks notes why the After Effects of a machine gets no work now; zero when it does.
func (q *Queue) SetLacks(id string, why farm.Text) {
	m := q.machines[id]
	if m == nil || m.profile == nil || m.lacks.String() == why.String() {
		return
	}
	was := m.lacks
	m.lacks = why
	if !m.adobe || was.IsZero() == why.IsZero() {
		return
	}
	connected, has := m.connected, m.releases
	q.leave(m)
	if !why.IsZero() {
		has = releases{}
	}
	m.profile = m.profile.with(has)
	if connected {
		q.join(m)
	}
}

// with is a profile with other releases of After Effects that get work. It is not shared with equal machines yet; see join.
func (p *profile) with(r releases) *profile {
	other := &profile{
		releases: r, renders: p.renders, own: p.own, tags: p.tags, given: p.given, memory: p.memory, os: p.os, fonts: p.fonts, effects: p.effects,
	}
	other.key = other.digest()
	return other
}

// Knows reports whether an enrolled machine is known.
func (q *Queue) Knows(id string) bool { return q.machines[id] != nil && q.machines[id].profile != nil }

// RemoveMachine forgets a machine that is no longer enrolled.
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

// own counts a machine among the owners of its fonts, effects and engines, and returns the required names that had no owner before.
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

// consider rematches the classes whose requirements have changed: all when the farm got or lost After Effects, otherwise those that need
// a font which got its first owner or lost its last.
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

// HasAfterEffects reports whether any enrolled machine has After Effects.
func (q *Queue) HasAfterEffects() bool { return q.adobe > 0 }

// Connect marks a machine as connected; out says whether it gets work.
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

// count adds by to the counts of a machine that can get work.
func (q *Queue) count(m *machine, by int) {
	if m.able() {
		m.profile.able += by
		q.slots += by * m.slots
	}
}

// Disconnect marks a machine as not connected.
func (q *Queue) Disconnect(id string) {
	if m := q.machines[id]; m != nil {
		q.leave(m)
	}
}

// join adds a machine to the connected ones, with a profile that it shares with equal ones.
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

// leave removes a machine from the connected ones, if it is among them.
func (q *Queue) leave(m *machine) {
	if !m.connected {
		return
	}
	p := m.profile
	q.count(m, -1)
	m.connected = false
	q.settle(m)
	if p.machines--; p.machines > 0 {
		// The others keep using the shared profile; this machine keeps it as a description.
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

// settle recounts the free slots of a machine, and updates the lists of machines that have some.
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

// roomy is the set of profiles with free machines that a profile belongs to. Those with After Effects are considered last, so that they
// stay free for tasks that need it.
func (q *Queue) roomy(p *profile) *set {
	if len(p.engines) > 0 {
		return &q.roomyAdobe
	}
	return &q.roomyPlain
}

// swapOut removes an element by moving the last one to its place.
func swapOut(list []*machine, i int, moved func(*machine, int)) []*machine {
	last := len(list) - 1
	list[i] = list[last]
	moved(list[i], i)
	list[last] = nil
	return list[:last]
}

// holds reports whether a sorted list has a number.
func holds(list []uint32, n uint32) bool {
	_, found := slices.BinarySearch(list, n)
	return found
}

// SetCached sets which project files a machine has, by the first 16 hex digits of their hashes, the most recently used first.
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

// maxCached is how many files of one machine are remembered.
const maxCached = 256

// file is a project's file that tasks use or machines have.
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

// work is a Work of items, of machines, or both.
type work struct {
	Work
	file  *file // nil without one
	known int   // how many items and machines refer to it
	warm  []*machine
}

// maxWarm is how many machines are remembered that did some work last.
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

// remember records what a machine did last; nil forgets it.
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

// hasFile reports whether a machine has the file of some work, or did that work last.
func (m *machine) hasFile(k *work) bool {
	return m.lastWork == k || k.file != nil && slices.Contains(m.cached, k.file)
}

// byID orders machines, so that results do not depend on map order.
func byID(a, b *machine) int { return cmp.Compare(a.id, b.id) }
