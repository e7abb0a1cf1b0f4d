package page

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/web/language"
)

// MachineFilter is which machines are listed, how, and in which order, as the address says it.
type MachineFilter struct {
	State farm.MachineState // "" for all
	Query string            // words of names, tags, systems and versions
	Tag   string
	AE    string // a version of After Effects
	Sort  string // the name of a column, "" for the machine's name
	Down  bool   // the highest first
	Wall  bool   // pictures instead of rows
	Page  int    // from 0
}

// MachineFilterOf reads an address. What it does not know it leaves out.
func MachineFilterOf(asked url.Values) MachineFilter {
	f := MachineFilter{
		Query: strings.TrimSpace(asked.Get("q")), Tag: strings.TrimSpace(asked.Get("tag")), AE: strings.TrimSpace(asked.Get("ae")),
		Down: asked.Get("order") == "down", Wall: asked.Get("view") == "wall",
	}
	if state := farm.MachineState(asked.Get("state")); slices.Contains(farm.MachineStates(), state) {
		f.State = state
	}
	if slices.ContainsFunc(machineColumns, func(c machineColumn) bool { return c.name == asked.Get("sort") }) {
		f.Sort = asked.Get("sort")
	}
	if n, err := strconv.Atoi(asked.Get("page")); err == nil && n > 1 {
		f.Page = n - 1
	}
	return f
}

// Values are the filter as fields of an address or of a form.
func (f MachineFilter) Values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"state": string(f.State), "q": f.Query, "tag": f.Tag, "ae": f.AE, "sort": f.Sort} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if f.Down {
		v.Set("order", "down")
	}
	if f.Wall {
		v.Set("view", "wall")
	}
	if f.Page > 0 {
		v.Set("page", strconv.Itoa(f.Page+1))
	}
	return v
}

// Address is the list that the filter selects.
func (f MachineFilter) Address() string {
	if v := f.Values(); len(v) > 0 {
		return "/machines?" + v.Encode()
	}
	return "/machines"
}

// in, at and as are the filter with another state, another page, and another look.
func (f MachineFilter) in(state farm.MachineState) MachineFilter {
	f.State, f.Page = state, 0
	return f
}
func (f MachineFilter) at(page int) MachineFilter  { f.Page = page; return f }
func (f MachineFilter) as(wall bool) MachineFilter { f.Wall, f.Page = wall, 0; return f }

// by is the filter with the list sorted by a column, the other way round when it is already.
func (f MachineFilter) by(c machineColumn) MachineFilter {
	f.Down = f.sorted() == c.name && !f.Down || f.sorted() != c.name && c.highFirst
	f.Sort, f.Page = c.name, 0
	return f
}

// way is how the list is sorted by a column, in the words of ARIA.
func (f MachineFilter) way(c machineColumn) string {
	switch {
	case f.sorted() != c.name:
		return "none"
	case f.Down:
		return "descending"
	}
	return "ascending"
}

func (f MachineFilter) sorted() string { return cmp.Or(f.Sort, "name") }

// narrow says whether more is asked for than a state.
func (f MachineFilter) narrow() bool { return f.Query != "" || f.Tag != "" || f.AE != "" }

// cleared is the same look at all machines.
func (f MachineFilter) cleared() MachineFilter {
	return MachineFilter{Sort: f.Sort, Down: f.Down, Wall: f.Wall}
}

// selects says whether the filter asks for a machine, in whatever state. Words are looked for as the reader sees them.
func (f MachineFilter) selects(ctx context.Context, m farm.Machine) bool {
	if f.Tag != "" && !slices.Contains(m.AllTags(), f.Tag) || f.AE != "" && !slices.Contains(afterEffects(m.Inventory), f.AE) {
		return false
	}
	if f.Query == "" || strings.EqualFold(f.Query, m.ID) {
		return true
	}
	text := strings.ToLower(strings.Join(slices.Concat([]string{
		m.Name, m.Inventory.Version, systemWords(m.Inventory), m.Address, MachineState(m.State()).Said(ctx), Machine{Machine: m}.deskWords(ctx), heard(ctx, m.Reason),
	}, m.AllTags(), afterEffects(m.Inventory)), "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(f.Query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// afterEffects are the versions of After Effects that a machine has, the newest first.
func afterEffects(inv farm.Inventory) (versions []string) {
	for _, e := range inv.Engines {
		if e.Kind != farm.EngineAfterEffects {
			continue
		}
		if e.Beta {
			versions = append(versions, e.Version+" Beta")
		} else {
			versions = append(versions, e.Version)
		}
	}
	slices.SortFunc(versions, func(a, b string) int { return compareVersions(b, a) })
	return slices.Compact(versions)
}

// compareVersions compares numbers between dots as numbers.
func compareVersions(a, b string) int {
	for a != "" || b != "" {
		one, restA, _ := strings.Cut(a, ".")
		two, restB, _ := strings.Cut(b, ".")
		n, errA := strconv.Atoi(strings.TrimPrefix(one, "v"))
		m, errB := strconv.Atoi(strings.TrimPrefix(two, "v"))
		if c := cmp.Compare(n, m); c != 0 && errA == nil && errB == nil {
			return c
		}
		if c := cmp.Compare(one, two); c != 0 && (errA != nil || errB != nil) {
			return c
		}
		a, b = restA, restB
	}
	return 0
}

// machineColumn is a column of the list.
type machineColumn struct {
	name, word string
	class      string // of its cells
	highFirst  bool   // a first click shows the highest
	compare    func(a, b farm.Machine) int
}

var machineColumns = []machineColumn{
	{name: "name", word: language.Text("Machine"), compare: byMachineName},
	{name: "state", word: language.Text("State"), compare: func(a, b farm.Machine) int { return cmp.Compare(stateRank(a), stateRank(b)) }},
	{name: "work", word: language.Text("Renders"), highFirst: true, compare: func(a, b farm.Machine) int { return cmp.Compare(progressOf(a), progressOf(b)) }},
	{name: "load", word: language.Text("Load"), class: "num", highFirst: true, compare: func(a, b farm.Machine) int { return cmp.Compare(loadOf(a), loadOf(b)) }},
	{name: "memory", word: language.Text("Memory"), class: "num", highFirst: true, compare: func(a, b farm.Machine) int { return cmp.Compare(memoryShare(a), memoryShare(b)) }},
	{name: "disk", word: language.Text("Disk free"), class: "num", compare: func(a, b farm.Machine) int { return cmp.Compare(a.DiskFree(), b.DiskFree()) }},
	{name: "desk", word: language.Text("Desk"), class: "aside", compare: func(a, b farm.Machine) int {
		return cmp.Compare(knownDesk(a), knownDesk(b))
	}},
	{name: "ae", word: language.Text("After Effects"), class: "aside", highFirst: true, compare: func(a, b farm.Machine) int {
		return compareVersions(newest(a), newest(b))
	}},
	{name: "tags", word: language.Text("Tags"), class: "least", compare: func(a, b farm.Machine) int { return strings.Compare(commas(a.AllTags()), commas(b.AllTags())) }},
	{name: "version", word: language.Text("Version"), class: "least", highFirst: true, compare: func(a, b farm.Machine) int { return compareVersions(a.Inventory.Version, b.Inventory.Version) }},
}

func byMachineName(a, b farm.Machine) int {
	return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
}

// stateRank puts what needs somebody first.
func stateRank(m farm.Machine) int {
	order := []farm.MachineState{
		farm.MachineNotReady, farm.MachineSetAside, farm.MachineOffline, farm.MachinePaused, farm.MachineDraining, farm.MachineDrained, farm.MachineAway,
		farm.MachineRendering, farm.MachineFree,
	}
	return slices.Index(order, m.State())
}

// knownDesk is what goes on before a machine, "" while that is not known.
func knownDesk(m farm.Machine) string {
	if !m.Online {
		return ""
	}
	return wording.Desk(m.Desk())
}

func progressOf(m farm.Machine) float64 {
	furthest := -1.0
	for _, r := range m.Running {
		furthest = max(furthest, r.Progress)
	}
	return furthest
}

func loadOf(m farm.Machine) float64 {
	if m.Load == nil {
		return -1
	}
	return m.Load.Processor
}

// memoryShare is how much of its memory a machine uses, in percent; below 0 when that is not known.
func memoryShare(m farm.Machine) float64 {
	if m.Load == nil || m.Load.Memory == 0 || m.Inventory.Memory == 0 {
		return -1
	}
	return min(100*float64(m.Load.Memory)/float64(m.Inventory.Memory), 100)
}

func newest(m farm.Machine) string {
	if versions := afterEffects(m.Inventory); len(versions) > 0 {
		return versions[0]
	}
	return ""
}

// Machines is a page of the list of machines.
type Machines struct {
	Filter   MachineFilter
	All      int                       // machines that the farm has
	Counts   map[farm.MachineState]int // of those that the filter selects in whatever state
	Found    int                       // that it selects
	Machines []Machine                 // of this page
	Pages    int
	Tags     []string // of all machines
	AE       []string // versions of After Effects that machines have, the newest first

	Selection Selection
}

// How many machines a page shows.
const (
	rowsOnPage  = 100
	tilesOnPage = 60
)

// ListMachines selects and sorts machines, and gives a page of them.
func ListMachines(ctx context.Context, all []farm.Machine, f MachineFilter) Machines {
	v := Machines{Filter: f, All: len(all), Counts: map[farm.MachineState]int{}}
	var list []farm.Machine
	for _, m := range all {
		v.Tags, v.AE = append(v.Tags, m.AllTags()...), append(v.AE, afterEffects(m.Inventory)...)
		if !f.selects(ctx, m) {
			continue
		}
		v.Counts[m.State()]++
		if f.State == "" || f.State == m.State() {
			list = append(list, m)
		}
	}
	slices.Sort(v.Tags)
	slices.SortFunc(v.AE, func(a, b string) int { return compareVersions(b, a) })
	v.Tags, v.AE, v.Found = slices.Compact(v.Tags), slices.Compact(v.AE), len(list)
	sortMachines(list, f)
	size := rowsOnPage
	if f.Wall {
		size = tilesOnPage
	}
	v.Pages = max((len(list)+size-1)/size, 1)
	v.Filter.Page = min(f.Page, v.Pages-1)
	for _, m := range list[min(v.Filter.Page*size, len(list)):min((v.Filter.Page+1)*size, len(list))] {
		v.Machines = append(v.Machines, Machine{Machine: m})
	}
	return v
}

func sortMachines(list []farm.Machine, f MachineFilter) {
	i := slices.IndexFunc(machineColumns, func(c machineColumn) bool { return c.name == f.sorted() })
	slices.SortFunc(list, func(a, b farm.Machine) int {
		way := machineColumns[i].compare(a, b)
		if f.Down {
			way = -way
		}
		return cmp.Or(way, byMachineName(a, b))
	})
}

// total is how many machines the filter selects in whatever state.
func (v Machines) total() (n int) {
	for _, machines := range v.Counts {
		n += machines
	}
	return n
}

// foundWords say how many machines are listed.
func (v Machines) foundWords(ctx context.Context) string {
	words := many(ctx, v.Found, "%d machine", "%d machines")
	if v.Pages > 1 {
		words += ", " + say(ctx, "page %d of %d", v.Filter.Page+1, v.Pages)
	}
	return words
}

// Run is a task that a machine works on.
type Run struct {
	farm.RunningTask
	Title string // of its job, "" for another team's
	First int    // number of its job's first frame
	Total int    // frames of its job; 0 while that is not known
}

// words say how far the task is.
func (r Run) words(ctx context.Context) string {
	done := percentWords(ctx, r.Progress)
	switch {
	case r.Job == "":
		return say(ctx, wording.Phase(r.Phase))
	case r.Phase != "" && r.Phase != "rendering":
		return say(ctx, wording.Phase(r.Phase)) + ", " + done
	case r.Frame >= r.First && r.Total > 0:
		return say(ctx, "Frame %d of %d", r.Frame-r.First+1, r.Total) + ", " + done
	}
	return done
}

// first is what a tile shows of what the machine does; nil for nothing.
func (m Machine) first() *Run {
	for i := range m.Runs {
		if m.Runs[i].Job != "" {
			return &m.Runs[i]
		}
	}
	if len(m.Runs) > 0 {
		return &m.Runs[0]
	}
	return nil
}

// picture is the address of what the machine shows now: it changes as the render goes on, so that a new picture is fetched.
func (m Machine) picture() string {
	run := m.first()
	if run == nil || run.Job == "" {
		return ""
	}
	return m.path() + "/now?" + queryText(run.Task+"."+count(run.Attempt)) + "." + count(int(run.Progress)/4)
}

// loadWords, memoryWords and freeWords are figures of the list; "" while they are not known.
func (m Machine) loadWords(ctx context.Context) string {
	if loadOf(m.Machine) < 0 {
		return ""
	}
	return percentWords(ctx, m.Load.Processor)
}

func (m Machine) memoryWords(ctx context.Context) string {
	if memoryShare(m.Machine) < 0 {
		return sizeOr(ctx, m.Inventory.Memory)
	}
	return say(ctx, "%s of %s", inWords(ctx).Size(m.Load.Memory), inWords(ctx).Size(m.Inventory.Memory))
}

func (m Machine) freeWords(ctx context.Context) string { return sizeOr(ctx, m.DiskFree()) }

func sizeOr(ctx context.Context, n int64) string {
	if n <= 0 {
		return ""
	}
	return inWords(ctx).Size(n)
}

// littleRoom is how many bytes on a disk are so few that the list says so.
const littleRoom = 5 << 30

// reason is why a machine is in its state, in short; "" when the state says all.
func (m Machine) reason(ctx context.Context) string {
	words, _ := m.Standing(ctx)
	if m.State() == farm.MachineOffline || m.State() == farm.MachineDrained || m.State() == farm.MachinePaused || m.State() == farm.MachineDraining {
		return ""
	}
	return words
}

// Select are the machines that the filter asks for.
func (f MachineFilter) Select(ctx context.Context, all []farm.Machine) (list []farm.Machine) {
	for _, m := range all {
		if f.selects(ctx, m) && (f.State == "" || f.State == m.State()) {
			list = append(list, m)
		}
	}
	return list
}

// ChangedMachines is what became of machines with which the same was done.
type ChangedMachines struct {
	Did     string // drain, pause, resume, tag, untag
	Changed int
	More    bool // there are others that were not reached
}

// Sentence says what became of them.
func (c ChangedMachines) Sentence(ctx context.Context) string {
	s := c.done(ctx)
	if c.More {
		s += " " + say(ctx, "There are more: repeat this for the rest.")
	}
	return s
}

func (c ChangedMachines) done(ctx context.Context) string {
	switch c.Did {
	case "drain":
		return many(ctx, c.Changed, "%d machine drained.", "%d machines drained.")
	case "pause":
		return many(ctx, c.Changed, "%d machine paused.", "%d machines paused.")
	case "resume":
		return many(ctx, c.Changed, "%d machine resumed.", "%d machines resumed.")
	}
	return many(ctx, c.Changed, "%d machine changed.", "%d machines changed.")
}

// tenths is a length of a drawing that goes from 0 to 100.
func tenths(percent float64) string { return strconv.FormatFloat(percent, 'f', 1, 64) }

// figureLabel names a figure of a machine where the heads of the columns are not shown; a figure that is not known has no name.
func figureLabel(name, words string) templ.Attributes {
	if words == "" {
		return nil
	}
	return templ.Attributes{"data-label": name}
}
