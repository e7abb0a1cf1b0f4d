package page

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/web/language"
)

func machineOf(name string, edit func(*farm.Machine)) farm.Machine {
	m := farm.Machine{Agent: farm.Agent{ID: name, Name: name}, Online: true}
	if edit != nil {
		edit(&m)
	}
	return m
}

func namesOf(v Machines) string {
	var names []string
	for _, m := range v.Machines {
		names = append(names, m.Name)
	}
	return strings.Join(names, " ")
}

// listed are machines by an address's query.
func listed(t *testing.T, all []farm.Machine, query string) Machines {
	t.Helper()
	asked, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return ListMachines(context.Background(), all, MachineFilterOf(asked))
}

func TestMachinesAreSortedByEachColumn(t *testing.T) {
	ae := func(version string) []farm.EngineInfo {
		return []farm.EngineInfo{{Kind: farm.EngineAfterEffects, Version: version}}
	}
	all := []farm.Machine{
		machineOf("b", func(m *farm.Machine) {
			m.Load, m.Inventory = &farm.Load{Processor: 9, Memory: 30, DiskFree: 500}, farm.Inventory{Memory: 100, Engines: ae("26.0.2"), Version: "v0.2.0", Tags: []string{"gpu"}}
			m.SignedIn = farm.SignedInLocked
		}),
		machineOf("A", func(m *farm.Machine) {
			m.Load, m.Inventory = &farm.Load{Processor: 80, Memory: 10, DiskFree: 900}, farm.Inventory{Memory: 100, Engines: ae("9.5"), Version: "v0.10.0"}
			m.Running = []farm.RunningTask{{Progress: 40, Job: "j"}}
		}),
		machineOf("c", func(m *farm.Machine) {
			m.Online, m.Inventory = false, farm.Inventory{Memory: 100, Version: "v0.1.0", DiskFree: 100, Tags: []string{"attic"}}
		}),
	}
	for query, want := range map[string]string{
		"": "A b c", "order=down": "c b A", "sort=state": "c A b", "sort=work&order=down": "A b c", "sort=load&order=down": "A b c", "sort=memory&order=down": "b A c",
		"sort=disk": "c b A", "sort=desk&order=down": "b A c", "sort=ae&order=down": "b A c", "sort=version&order=down": "A b c", "sort=tags": "A c b",
		"sort=nonsense": "A b c", "page=7": "A b c", "page=-3": "A b c",
	} {
		if got := namesOf(listed(t, all, query)); got != want {
			t.Errorf("%q gives %s, not %s", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"q=GPU": "b", "q=v0.1": "A c", "q=locked+gpu": "b", "q=locked+attic": "", "tag=attic": "c", "ae=9.5": "A", "state=offline": "c", "state=offline&q=b": "", "q=rendering": "A",
	} {
		v := listed(t, all, query)
		if got := namesOf(v); got != want || v.All != 3 {
			t.Errorf("%q finds %q of %d, not %q", query, got, v.All, want)
		}
	}
	if v := listed(t, all, "q=b&state=offline"); v.Counts[farm.MachineFree] != 1 || v.total() != 1 || v.Found != 0 {
		t.Errorf("states of what is found are counted as %v", v.Counts)
	}
}

func TestAListOfMachinesStandsInItsAddress(t *testing.T) {
	for _, address := range []string{"/machines", "/machines?ae=26.0.2&order=down&page=3&q=suite+4&sort=load&state=free&tag=a%26b&view=wall"} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := MachineFilterOf(u.Query()).Address(); got != address {
			t.Errorf("%s becomes %s", address, got)
		}
	}
	f := MachineFilter{Sort: "load", Down: true, Page: 4}
	load, name := machineColumns[3], machineColumns[0]
	if again := f.by(load); again.Down || again.Page != 0 {
		t.Errorf("a second click on the same column gives %+v", again)
	}
	if first := (MachineFilter{}).by(load); !first.Down || first.Sort != "load" {
		t.Errorf("a first click on the load gives %+v", first)
	}
	if byName := f.by(name); byName.Down {
		t.Errorf("a click on the name gives %+v", byName)
	}
}

func TestALargeFarmIsShownInPages(t *testing.T) {
	var all []farm.Machine
	for i := range 2000 {
		all = append(all, machineOf(fmt.Sprintf("m%04d", i), nil))
	}
	v := listed(t, all, "page=20")
	if len(v.Machines) != rowsOnPage || v.Machines[0].Name != "m1900" || v.Pages != 20 || v.foundWords(t.Context()) != "2,000 machines, page 20 of 20" {
		t.Errorf("%d machines from %s on, %s", len(v.Machines), v.Machines[0].Name, v.foundWords(t.Context()))
	}
	if v = listed(t, all, "page=999&view=wall"); v.Filter.Page != v.Pages-1 || len(v.Machines) != 2000-tilesOnPage*(v.Pages-1) {
		t.Errorf("behind the last page: page %d with %d machines", v.Filter.Page, len(v.Machines))
	}
}

func TestVersionsAreComparedAsNumbers(t *testing.T) {
	list := []string{"9.5", "26.0.2", "26.0.10", "", "26.1", "v0.10.0", "v0.9.1"}
	slices.SortFunc(list, compareVersions)
	if got := strings.Join(list, " "); got != " v0.9.1 v0.10.0 9.5 26.0.2 26.0.10 26.1" {
		t.Errorf("sorted: %s", got)
	}
}

func TestARunCountsFramesFromTheFirstOfItsJob(t *testing.T) {
	t.Parallel()
	run := Run{RunningTask: farm.RunningTask{Job: "j1", Frame: 75, Phase: "rendering", Progress: 66}, Title: "Spot", First: 60, Total: 24}
	if got := run.words(t.Context()); got != "Frame 16 of 24, 66\u00a0%" {
		t.Errorf("it is at %q", got)
	}
}

func TestMachinesAreFoundByTheWordsThatTheReaderSees(t *testing.T) {
	t.Parallel()
	german := language.With(t.Context(), farm.German)
	if got := ListMachines(german, []farm.Machine{machineOf("suite-1", nil), machineOf("suite-2", func(m *farm.Machine) { m.Paused = true })}, MachineFilter{Query: "angehalten"}); got.Found != 1 {
		t.Errorf("%d machines are found as paused in German", got.Found)
	}
}
