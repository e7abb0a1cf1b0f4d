//go:build linux

package chaos_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"overcrank/aep"
	"overcrank/agent/upload/s3test"
	"overcrank/cmd/overcrank/chaos/hosts"
	"overcrank/durable"
	vocabulary "overcrank/farm"
)

// The film that nearly all jobs render is small, so that what is tried is the farm and not the engine. The other is long enough to be
// worth splitting.
const (
	composition  = "main"
	longFilm     = "long"
	pictureLayer = "picture"
)

const (
	apiPort     = "8080"
	clusterPort = "7000"
	gossipPort  = "7946"
	lease       = "8s"
)

// member is a coordinator on a host of its own.
type member struct {
	*process
	door     *door
	dir      string
	settings string // file that it reads again when it is told to
	faults   string // file in which a test build reads what befalls its machine

	mu    sync.Mutex
	hours int    // for which jobs are kept
	grown string // settings of a coordinator that was alone, and is one of several
}

// configure writes the settings anew, after a change.
func (m *member) configure(change func()) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
	return durable.WriteFile(m.settings, fmt.Appendf(nil, "keep-history: %dh\n%s", m.hours, m.grown), 0o600)
}

// farm is coordinators and agents, each on a host of its own.
type farm struct {
	lab      *hosts.Lab
	program  string
	folder   string // for logs and data
	members  []*member
	later    []*member // those that come when the farm grows
	agents   []*process
	doors    []*door
	store    *store // nil for a folder
	template string
	token    string
}

// size is how many hosts a farm has.
type size struct {
	coordinators, agents int
	storage              *s3test.Server // nil has several coordinators share a folder; with it one is alone at first, see growth_test.go
}

// found starts a farm and waits until all of it works.
func found(ctx context.Context, program, folder string, s size) (*farm, error) {
	lab, err := hosts.New()
	if err != nil {
		return nil, err
	}
	f := &farm{lab: lab, program: program, folder: folder}
	if s.storage != nil {
		if f.store, err = newStore(s.storage, lab.Desk.IP.String(), folder); err != nil {
			f.close()
			return nil, err
		}
	}
	err = f.startCoordinators(ctx, program, s.coordinators)
	if err == nil {
		err = f.register(ctx)
	}
	if err == nil {
		err = f.startAgents(ctx, program, s.agents)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// close ends all processes and hosts.
func (f *farm) close() {
	for _, d := range f.doors {
		d.close()
	}
	if f.store != nil {
		f.store.close()
	}
	f.lab.Close()
}

// startCoordinators founds a farm of n and waits until all can be asked.
func (f *farm) startCoordinators(ctx context.Context, program string, n int) error {
	storage := filepath.Join(f.folder, "storage")
	if err := os.MkdirAll(storage, 0o700); err != nil {
		return err
	}
	for i := range n {
		h, err := f.lab.Add(fmt.Sprintf("node%d", i+1))
		if err != nil {
			return err
		}
		m := &member{dir: filepath.Join(f.folder, h.Name)}
		m.process = &process{name: h.Name, host: h, log: filepath.Join(f.folder, h.Name+".log")}
		m.faults = filepath.Join(f.folder, h.Name+".faults")
		m.settings = filepath.Join(f.folder, h.Name+".yaml")
		if err := m.configure(func() { m.hours = 1000 }); err != nil {
			return err
		}
		m.env = []string{"OVERCRANK_FAULTS=" + m.faults}
		m.door = newDoor(h.Name, "http://"+h.IP.String()+":"+apiPort, "")
		f.members, f.doors = append(f.members, m), append(f.doors, m.door)
	}
	if f.store != nil {
		f.members, f.later, f.doors = f.members[:1:1], f.members[1:], f.doors[:1:1]
	}
	var key string
	if n = len(f.members); n > 1 {
		var err error
		if key, err = f.makeKey(ctx, program); err != nil {
			return err
		}
	}
	for _, m := range slices.Concat(f.members, f.later) {
		m.args = []string{
			program, "coordinator", "--config", m.settings, "--data-dir", m.dir, "--listen", m.at(apiPort), "--gossip-listen", m.at(gossipPort), "--lease", lease,
		}
	}
	for i, m := range f.members {
		if n > 1 {
			m.args = append(m.args, f.clusterFlags(i, key, storage)...)
		}
		if err := m.start(); err != nil {
			return err
		}
	}
	if err := f.readToken(ctx); err != nil {
		return err
	}
	for _, m := range slices.Concat(f.members, f.later) {
		m.door.token = f.token
	}
	for _, m := range f.members {
		if err := f.await(ctx, healPatience, m.name+" to be ready", func() error {
			return m.door.ask(ctx, http.MethodGet, "/readyz", "", nil, nil)
		}); err != nil {
			return err
		}
	}
	return nil
}

// at is an address of the coordinator's host.
func (m *member) at(port string) string { return m.host.IP.String() + ":" + port }

// clusterFlags are what makes one of several coordinators that begin a farm together.
func (f *farm) clusterFlags(i int, key, storage string) []string {
	var all []string
	for _, m := range f.members {
		all = append(all, m.at(clusterPort))
	}
	return append([]string{"--storage", storage},
		"--cluster-listen", all[i], "--cluster-address", all[i], "--join", strings.Join(all, ","), "--bootstrap-expect", fmt.Sprint(len(all)),
		"--farm-key-file", key,
	)
}

// makeKey makes the key that all coordinators of a farm have.
func (f *farm) makeKey(ctx context.Context, program string) (path string, err error) {
	key, err := exec.CommandContext(ctx, program, "cluster", "key").Output()
	if err != nil {
		return "", fmt.Errorf("make the farm's key: %w", err)
	}
	path = filepath.Join(f.folder, "farm.key")
	return path, os.WriteFile(path, key, 0o600)
}

// readToken waits for the administrator's token, which one of the coordinators keeps.
func (f *farm) readToken(ctx context.Context) error {
	return f.await(ctx, healPatience, "the administrator's token", func() error {
		for _, m := range f.members {
			raw, err := os.ReadFile(filepath.Join(m.dir, "admin.token"))
			if err == nil {
				f.token = strings.TrimSpace(string(raw))
				return nil
			}
		}
		return errors.New("no coordinator has one")
	})
}

// await tries until it works.
func (f *farm) await(ctx context.Context, patience time.Duration, what string, try func() error) error {
	for end := time.Now().Add(patience); ; {
		err := try()
		if err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("waited %v in vain for %s: %w", patience, what, err)
		}
		if !rest(ctx, 50*time.Millisecond) {
			return ctx.Err()
		}
	}
}

// project is an After Effects project with two compositions of one layer, one of a second and 64×36 pixels, one of 6 seconds and 1280×720.
func project() ([]byte, error) {
	film := func(id uint32, name string, width int, seconds float64) *aep.Item {
		return &aep.Item{ID: id, Name: name, Kind: aep.ItemComposition, Comp: &aep.Composition{
			Width: width, Height: width * 9 / 16, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024, TicksPerSecond: 25 * 1024,
			Duration: seconds, WorkAreaDuration: seconds,
			Layers: []*aep.Layer{{
				ID: 1, Name: pictureLayer, Kind: aep.LayerAV, Source: 2, Out: seconds, Stretch: 100, Blend: aep.BlendNormal, Enabled: true, Quality: 2,
				Props: &aep.Property{Group: true, Enabled: true},
			}},
		}}
	}
	var b bytes.Buffer
	err := aep.Write(&b, &aep.Project{
		Version: aep.Version{Major: 24}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8,
		Items: []*aep.Item{
			film(1, composition, 64, 1), film(3, longFilm, 1280, 6),
			{ID: 2, Name: "grey", Kind: aep.ItemFootage, Footage: &aep.Footage{
				Kind: aep.FootageSolid, Width: 64, Height: 36, PixelAspect: 1, Color: [3]float64{0.5, 0.5, 0.5}, HasVideo: true, Still: true,
			}},
		},
	})
	return b.Bytes(), err
}

// register gives the farm the project that all jobs render.
func (f *farm) register(ctx context.Context) error {
	film, err := project()
	if err != nil {
		return err
	}
	door := f.doors[0]
	var created struct {
		ID         string `json:"id"`
		UploadInfo struct {
			URL string `json:"url"`
		} `json:"uploadInfo"`
	}
	if err := f.await(ctx, healPatience, "the project to be registered", func() error {
		return door.ask(ctx, http.MethodPost, "/api/v2/templates", "chaos", map[string]string{"type": "aep", "displayName": "chaos"}, &created)
	}); err != nil {
		return err
	}
	if err := f.await(ctx, healPatience, "the project to be taken", func() error { return f.upload(ctx, created.UploadInfo.URL, film) }); err != nil {
		return err
	}
	f.template = created.ID
	if err := f.await(ctx, healPatience, "short films to be split", func() error {
		return door.ask(ctx, http.MethodPatch, "/api/farm/v1/policy", "", map[string]any{"split": map[string]float64{"minSeconds": 0.2}}, nil)
	}); err != nil {
		return err
	}
	return f.await(ctx, healPatience, "the project to be read", func() error {
		var t struct{ Status, Error string }
		err := door.ask(ctx, http.MethodGet, "/api/v2/templates/"+created.ID, "", nil, &t)
		if err == nil && t.Status != "uploaded" {
			err = fmt.Errorf("it is %s %s", t.Status, t.Error)
		}
		return err
	})
}

// upload sends a file to an address that the farm gave for it, which takes the same file again.
func (f *farm) upload(ctx context.Context, address string, file []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, address, bytes.NewReader(file))
	if err != nil {
		return err
	}
	res, err := f.doors[0].client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if text, _ := io.ReadAll(res.Body); res.StatusCode >= 300 {
		return fmt.Errorf("%s %s", res.Status, text)
	}
	return nil
}

// startAgents starts n agents and waits until the farm has them all.
func (f *farm) startAgents(ctx context.Context, program string, n int) error {
	var invited struct {
		JoinToken string `json:"joinToken"`
	}
	if err := f.await(ctx, healPatience, "agents to be invited", func() error {
		return f.doors[0].ask(ctx, http.MethodPost, "/api/farm/v1/join-tokens", "", map[string]any{"name": "chaos", "uses": n}, &invited)
	}); err != nil {
		return err
	}
	for i := range n {
		h, err := f.lab.Add(fmt.Sprintf("agent%d", i+1))
		if err != nil {
			return err
		}
		a := &process{name: h.Name, host: h, log: filepath.Join(f.folder, h.Name+".log"), args: []string{
			program, "agent", "--config", os.DevNull, "--data-dir", filepath.Join(f.folder, h.Name), "--name", h.Name,
			"--coordinator", f.doors[i%len(f.doors)].address, "--join-token", invited.JoinToken, "--gossip-listen", h.IP.String() + ":" + gossipPort,
			"--idle-after", "0", "--priority", "normal",
		}}
		f.agents = append(f.agents, a)
		if err := a.start(); err != nil {
			return err
		}
	}
	return f.await(ctx, healPatience, "all agents to come in", func() error { return f.allAgents(ctx) })
}

// allAgents says which agents no coordinator can give work to, nil when there are none.
func (f *farm) allAgents(ctx context.Context) error {
	var listed []struct{ Name, State string }
	if err := f.doors[0].ask(ctx, http.MethodGet, "/api/farm/v1/agents", "", nil, &listed); err != nil {
		return err
	}
	here := 0
	var states []string
	for _, a := range listed {
		states = append(states, a.Name+" "+a.State)
		if a.State != string(vocabulary.MachineOffline) {
			here++
		}
	}
	if here < len(f.agents) {
		return fmt.Errorf("%d of %d are there: %s", here, len(f.agents), strings.Join(states, ", "))
	}
	return nil
}

// some is any coordinator's interface, whether it answers or not.
func (f *farm) some(chance *rand.Rand) *door { return f.doors[chance.IntN(len(f.doors))] }
