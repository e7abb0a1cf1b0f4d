package presence

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"golang.org/x/sys/unix"
)

// startBus runs a real message bus and gives its address.
func startBus(t *testing.T) string {
	t.Helper()
	daemon, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("dbus-daemon is not installed")
	}
	config := filepath.Join(t.TempDir(), "bus.conf")
	socket := filepath.Join(t.TempDir(), "bus")
	err = os.WriteFile(config, []byte(`<busconfig><type>custom</type><listen>unix:path=`+socket+`</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/><allow user="*"/></policy></busconfig>`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(daemon, "--config-file="+config, "--nofork", "--print-address=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the bus does not say where it is: %v", err)
	}
	return strings.TrimSpace(line)
}

// loginService answers as systemd's login manager does, with the sessions that it holds.
type loginService struct {
	mu       sync.Mutex
	sessions map[string]map[string]dbus.Variant // properties by id
}

type listedSession struct {
	ID   string
	User uint32
	Name string
	Seat string
	Path dbus.ObjectPath
}

func (l *loginService) ListSessions() ([]listedSession, *dbus.Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := []listedSession{{ID: "ssh", Name: "far", Path: loginPath + "/session/ssh"}}
	for id := range l.sessions {
		list = append(list, listedSession{ID: id, User: 1000, Name: "mia", Seat: "seat0", Path: dbus.ObjectPath(loginPath + "/session/" + id)})
	}
	return list, nil
}

// loginSessionProperties is one session's side of org.freedesktop.DBus.Properties.
type loginSessionProperties struct {
	l  *loginService
	id string
}

func (p loginSessionProperties) GetAll(string) (map[string]dbus.Variant, *dbus.Error) {
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	return p.l.sessions[p.id], nil
}

func TestTheLoginManagerIsAskedWhoIsThere(t *testing.T) {
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", startBus(t))
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	desk, err := NewDesk(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer desk.Close()
	look := func() Sight {
		t.Helper()
		seen, err := desk.Look(t.Context(), Want{Input: true})
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	if seen := look(); seen.Session != SessionUnknown || seen.InputKnown {
		t.Errorf("without a login manager it is seen as %+v", seen)
	}

	service := &loginService{sessions: map[string]map[string]dbus.Variant{}}
	conn, err := dbus.ConnectSystemBus()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Export(service, loginPath, loginManager); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"c1", "c2"} {
		if err := conn.Export(loginSessionProperties{service, id}, dbus.ObjectPath(loginPath+"/session/"+id), "org.freedesktop.DBus.Properties"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.RequestName(loginName, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	session := func(properties map[string]any) map[string]dbus.Variant {
		all := map[string]dbus.Variant{
			"Class": dbus.MakeVariant("user"), "Active": dbus.MakeVariant(true), "Type": dbus.MakeVariant("wayland"),
			"LockedHint": dbus.MakeVariant(false), "IdleHint": dbus.MakeVariant(false), "IdleSinceHintMonotonic": dbus.MakeVariant(uint64(0)),
		}
		for name, v := range properties {
			all[name] = dbus.MakeVariant(v)
		}
		return all
	}
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		t.Fatal(err)
	}
	halfAMinuteAgo := map[string]any{"IdleHint": true, "IdleSinceHintMonotonic": uint64(max(0, now.Nano()-30e9) / 1000)}
	for name, c := range map[string]struct {
		sessions map[string]map[string]dbus.Variant
		session  Session
		known    bool
		atLeast  time.Duration
	}{
		"nobody":                 {nil, SessionNone, false, 0},
		"the log-in window":      {map[string]map[string]dbus.Variant{"c1": session(map[string]any{"Class": "greeter"})}, SessionNone, false, 0},
		"somebody works":         {map[string]map[string]dbus.Variant{"c1": session(nil)}, SessionActive, true, 0},
		"somebody went":          {map[string]map[string]dbus.Variant{"c1": session(halfAMinuteAgo)}, SessionActive, true, 29 * time.Second},
		"locked":                 {map[string]map[string]dbus.Variant{"c1": session(map[string]any{"LockedHint": true})}, SessionLocked, true, 0},
		"on X, which knows more": {map[string]map[string]dbus.Variant{"c1": session(map[string]any{"Type": "x11"})}, SessionActive, false, 0},
		"another one is in the background": {map[string]map[string]dbus.Variant{
			"c1": session(map[string]any{"Active": false}), "c2": session(map[string]any{"LockedHint": true}),
		}, SessionLocked, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			service.mu.Lock()
			service.sessions = c.sessions
			service.mu.Unlock()
			seen := look()
			if seen.Session != c.session || seen.InputKnown != c.known || seen.Input < c.atLeast {
				t.Errorf("%+v", seen)
			}
		})
	}
}

func TestPowerSuppliesAreRead(t *testing.T) {
	dir := t.TempDir()
	supply := func(name string, files map[string]string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name, file), []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	expect := func(want bool) {
		t.Helper()
		if onBattery(dir) != want {
			t.Errorf("on battery: %v", !want)
		}
	}
	expect(false)
	supply("hidpp_battery_0", map[string]string{"type": "Battery", "status": "Discharging", "scope": "Device"}) // a mouse
	expect(false)
	supply("BAT0", map[string]string{"type": "Battery", "status": "Discharging"})
	expect(true)
	supply("AC", map[string]string{"type": "Mains", "online": "1"})
	expect(false)
	supply("AC", map[string]string{"online": "0"})
	expect(true)
}

func TestTheKernelsLinesAboutProcessesAreRead(t *testing.T) {
	boot := time.Unix(1e9, 0)
	p, ok := parseStat(7, []byte("7 (a (b) c) S 3 7 7 0 -1 4194560 1 2 3 4 150 50 0 0 20 0 1 0 12300 1 2 3"), boot)
	if !ok || p.PID != 7 || p.Parent != 3 || p.Name != "a (b) c" || p.CPU != 2*time.Second || p.Started != boot.Add(123*time.Second) {
		t.Errorf("%+v (%v)", p, ok)
	}
	for _, text := range []string{"", "7 (a", "7 (a) S 1", ") ("} {
		if p, ok := parseStat(7, []byte(text), boot); ok {
			t.Errorf("%q is read as %+v", text, p)
		}
	}
}
