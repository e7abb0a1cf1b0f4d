//go:build linux

package machines_test

import (
	"bufio"
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"overcrank/agent/control"
	"overcrank/agent/presence"
	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
)

// watcher is a desktop's list of icons: the double of the program that draws them.
type watcher struct{ registered chan string }

// RegisterStatusNotifierItem is called by an icon that appears.
func (w watcher) RegisterStatusNotifierItem(_ string, sender dbus.Sender) *dbus.Error {
	select {
	case w.registered <- string(sender):
	default:
	}
	return nil
}

// newDesktop is a session bus with a watcher. It returns its address and a connection.
func newDesktop(t *testing.T) (address string, bus *dbus.Conn, icons <-chan string) {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		t.Skip("dbus-daemon is missing: scripts/require desktop installs it")
	}
	daemon := exec.Command("dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1", "--address=unix:path="+filepath.Join(t.TempDir(), "bus"))
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = daemon.Process.Kill()
		_ = daemon.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(line)
	if bus, err = dbus.Connect(address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bus.Close() })
	registered := make(chan string, 4)
	if err := bus.Export(watcher{registered}, "/StatusNotifierWatcher", "org.kde.StatusNotifierWatcher"); err != nil {
		t.Fatal(err)
	}
	if _, err := bus.RequestName("org.kde.StatusNotifierWatcher", dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	return address, bus, registered
}

// layout is a menu as com.canonical.dbusmenu hands it over.
type layout struct {
	ID       int32
	Values   map[string]dbus.Variant
	Children []dbus.Variant
}

// items are the lines of the menu that are visible, by their labels.
func items(t *testing.T, menu dbus.BusObject) map[string]layout {
	t.Helper()
	var revision uint32
	var top layout
	if err := menu.Call("com.canonical.dbusmenu.GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &top); err != nil {
		t.Fatal(err)
	}
	all := map[string]layout{}
	for _, child := range top.Children {
		var item layout
		if err := dbus.Store([]any{child.Value()}, &item); err != nil {
			t.Fatal(err)
		}
		if visible, set := item.Values["visible"]; set && visible.Value() == false {
			continue
		}
		label, _ := item.Values["label"].Value().(string)
		all[label] = item
	}
	return all
}

// startIcon starts the icon of an agent on a desktop, and returns its connection to the bus.
func startIcon(t *testing.T, desk, bus string, icons <-chan string) (sender string) {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.Command(farmtest.Program(t), "agent", "--config", os.DevNull, "--data-dir", desk, "tray")
	cmd.Env = append(os.Environ(), "DBUS_SESSION_BUS_ADDRESS="+bus, "LC_ALL=de_DE.UTF-8", "LANGUAGE=")
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Errorf("the icon's process ended: %v: %s", err, said.String())
		}
	})
	select {
	case sender = <-icons:
	case <-time.After(farmtest.Patience):
		t.Fatal("no icon appears")
	}
	return sender
}

// TestTheIconOnADesktop has a real agent that renders for a real farm, a real bus and the real icon; what draws the icon is the test.
func TestTheIconOnADesktop(t *testing.T) {
	t.Parallel()
	address, bus, icons := newDesktop(t)
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	code, token, said := f.Command("agents", "invite")
	if code != 0 {
		t.Fatalf("%d: %s", code, said)
	}
	desk := filepath.Join(t.TempDir(), "desk")
	farmtest.StartAgent(t, f, desk, strings.TrimSpace(token))
	status := func() control.Status {
		s, err := control.Ask(t.Context(), desk)
		if err != nil {
			return control.Status{}
		}
		return s
	}
	f.Await("the desk to be linked", func() bool { return status().Linked })

	sender := startIcon(t, desk, address, icons)
	menu := bus.Object(sender, "/StatusNotifierItem/menu")
	title, err := bus.Object(sender, "/StatusNotifierItem").GetProperty("org.kde.StatusNotifierItem.Title")
	if err != nil || title.Value() != "Overcrank" {
		t.Errorf("its title is %v, %v", title, err)
	}
	says := func(label string) bool { _, there := items(t, menu)[label]; return there }
	f.Await("it to say that the machine is ready", func() bool { return says("Bereit, wartet auf Arbeit") })
	click := func(label string) {
		t.Helper()
		var line layout
		f.Await("the menu to offer "+label, func() (there bool) { line, there = items(t, menu)[label]; return there })
		// The answer is not waited for, since an icon that is quit may be gone before it.
		if err := menu.Call("com.canonical.dbusmenu.Event", dbus.FlagNoReplyExpected, line.ID, "clicked", dbus.MakeVariant(0), uint32(0)).Err; err != nil {
			t.Fatal(err)
		}
	}

	id := f.SubmitEndless(f.Card())
	f.Await("it to show what renders, with its picture", func() bool {
		for label, line := range items(t, menu) {
			if picture, is := line.Values["icon-data"].Value().([]byte); is && strings.HasPrefix(label, "Rendert ") {
				small, err := png.DecodeConfig(bytes.NewReader(picture))
				return err == nil && small.Width == 64
			}
		}
		return false
	})
	click("Jetzt zurückgeben")
	f.Await("the work to be given back", func() bool {
		left := time.Until(status().Pause.Until)
		return len(status().Working) == 0 && left > 0 && left <= 10*time.Minute
	})
	f.Await("the farm to say until when the machine is paused", func() bool {
		list := string(f.FarmAPI(http.MethodGet, "/agents", ""))
		return strings.Contains(list, `"reason":"paused by somebody at the machine"`) && strings.Contains(list, `"until":"`)
	})
	f.Await("the menu to say so", func() bool { return says("Angehalten bis " + status().Pause.Until.Local().Format("15:04")) })
	click("Fortsetzen")
	f.Await("the machine to work again", func() bool { return !status().Pause.On })
	click("Eine Stunde anhalten")
	f.Await("the machine to be paused for an hour", func() bool {
		left := time.Until(status().Pause.Until)
		return status().Pause.On && left > 55*time.Minute && left <= time.Hour
	})
	click("Nie im Akkubetrieb")
	f.Await("the machine to keep off its battery", func() bool { return status().NeverOnBattery })
	f.Await("the choice to be ticked", func() bool {
		state, set := items(t, menu)["Nie im Akkubetrieb"].Values["toggle-state"]
		return set && fmt.Sprint(state.Value()) == "1"
	})
	tomorrow := presence.Tomorrow(time.Now())
	click("Bis morgen beenden")
	f.Await("the machine to be paused until tomorrow", func() bool {
		return status().Pause.Until.Equal(tomorrow) || !time.Now().Before(tomorrow) // and the pause may be over
	})
	f.Await("the icon to be gone", func() bool {
		var names []string
		return bus.BusObject().Call("org.freedesktop.DBus.ListNames", 0).Store(&names) == nil && !slices.Contains(names, sender)
	})
	if text, err := os.ReadFile(filepath.Join(desk, "battery.json")); err != nil || !strings.Contains(string(text), "true") {
		t.Errorf("the choice for the battery is kept as %q, %v", text, err)
	}
	f.Command("jobs", "cancel", id)
}
