package presence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/screensaver"
	"github.com/jezek/xgb/xproto"
	"golang.org/x/sys/unix"
)

// answerTime is how long a bus or a server may take to answer.
const answerTime = 2 * time.Second

// bus is a connection to a message bus that is made when it is needed, and anew when it broke.
type bus struct {
	connect func(...dbus.ConnOption) (*dbus.Conn, error)
	coming  chan connected // of an attempt to connect that is under way
	conn    *dbus.Conn
}

type connected struct {
	conn *dbus.Conn
	err  error
}

// open gives the connection; an error where there is no such bus. An attempt to connect cannot be broken off, so the next call takes
// up one that takes longer than ctx allows.
func (b *bus) open(ctx context.Context) (*dbus.Conn, error) {
	if b.conn != nil && b.conn.Connected() {
		return b.conn, nil
	}
	if b.coming == nil {
		coming := make(chan connected, 1)
		b.coming = coming
		go func() {
			conn, err := b.connect()
			coming <- connected{conn, err}
		}()
	}
	select {
	case made := <-b.coming:
		b.conn, b.coming = made.conn, nil
		return made.conn, made.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (b *bus) close() error {
	if b.conn == nil {
		return nil
	}
	return b.conn.Close()
}

// absent tells whether an error says that nobody serves the name on the bus.
func absent(err error) bool {
	var said dbus.Error
	return errors.As(err, &said) && (said.Name == "org.freedesktop.DBus.Error.ServiceUnknown" || said.Name == "org.freedesktop.DBus.Error.NameHasNoOwner" ||
		said.Name == "org.freedesktop.DBus.Error.UnknownMethod" || said.Name == "org.freedesktop.DBus.Error.Spawn.ChildExited")
}

// loginInput sees the sessions of systemd's login manager, as org.freedesktop.login1(5) describes them. Its word on input is coarse:
// desktops tell it that a session idles only after minutes.
type loginInput struct{ bus bus }

const (
	loginName    = "org.freedesktop.login1"
	loginPath    = "/org/freedesktop/login1"
	loginManager = loginName + ".Manager"
	loginSession = loginName + ".Session"
)

func (l *loginInput) look(ctx context.Context) (seen inputSight, known bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if l.bus.connect == nil {
		l.bus.connect = dbus.ConnectSystemBus
	}
	conn, err := l.bus.open(ctx)
	if err != nil {
		return inputSight{}, false, nil // a machine without a bus has no login manager
	}
	var sessions []struct {
		ID   string
		User uint32
		Name string
		Seat string
		Path dbus.ObjectPath
	}
	err = conn.Object(loginName, loginPath).CallWithContext(ctx, loginManager+".ListSessions", 0).Store(&sessions)
	if absent(err) {
		return inputSight{}, false, nil
	}
	if err != nil {
		return inputSight{}, false, fmt.Errorf("asking the login manager for sessions: %w", err)
	}
	seen.session = SessionNone
	for _, s := range sessions {
		if s.Seat == "" {
			continue // from afar
		}
		one, err := sessionOf(ctx, conn.Object(loginName, s.Path))
		if err != nil {
			return inputSight{}, false, err
		}
		seen = inUse(seen, one)
	}
	return seen, true, nil
}

// inUse is the one of two sights in which the desk is more in use.
func inUse(a, b inputSight) inputSight {
	rank := map[Session]int{SessionNone: 0, SessionLocked: 1, SessionActive: 2}
	if rank[a.session] > rank[b.session] {
		a, b = b, a
	}
	if a.session == b.session && a.known && a.idle < b.idle {
		return a
	}
	return b
}

// sessionOf reads what the login manager says of a session.
func sessionOf(ctx context.Context, session dbus.BusObject) (inputSight, error) {
	var of map[string]dbus.Variant
	err := session.CallWithContext(ctx, "org.freedesktop.DBus.Properties.GetAll", 0, loginSession).Store(&of)
	if absent(err) {
		return inputSight{session: SessionNone}, nil // it has ended
	}
	if err != nil {
		return inputSight{}, fmt.Errorf("asking the login manager for a session: %w", err)
	}
	class, _ := of["Class"].Value().(string)
	active, _ := of["Active"].Value().(bool)
	if class != "user" || !active {
		return inputSight{session: SessionNone}, nil
	}
	seen := inputSight{session: SessionActive}
	if locked, _ := of["LockedHint"].Value().(bool); locked {
		seen.session = SessionLocked
	}
	idles, _ := of["IdleHint"].Value().(bool)
	kind, _ := of["Type"].Value().(string)
	since, _ := of["IdleSinceHintMonotonic"].Value().(uint64)
	switch {
	case idles:
		seen.known = true
		var now unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
			return inputSight{}, fmt.Errorf("reading the clock: %w", err)
		}
		seen.idle = max(0, time.Duration(now.Nano())-time.Duration(since)*time.Microsecond)
	case kind == "wayland", kind == "tty":
		seen.known = true // not idle, for all that it says
	}
	return seen, nil
}

func (l *loginInput) close() error { return l.bus.close() }

// gnomeInput asks GNOME's compositor for the time since the last input: on Wayland nobody else knows.
type gnomeInput struct{ bus bus }

func (g *gnomeInput) look(ctx context.Context) (inputSight, bool, error) {
	if os.Getenv("WAYLAND_DISPLAY") == "" {
		return inputSight{}, false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if g.bus.connect == nil {
		g.bus.connect = dbus.ConnectSessionBus
	}
	conn, err := g.bus.open(ctx)
	if err != nil {
		return inputSight{}, false, nil
	}
	const name, path = "org.gnome.Mutter.IdleMonitor", "/org/gnome/Mutter/IdleMonitor/Core"
	var milliseconds uint64
	err = conn.Object(name, path).CallWithContext(ctx, name+".GetIdletime", 0).Store(&milliseconds)
	if absent(err) {
		return inputSight{}, false, nil // another compositor
	}
	if err != nil {
		return inputSight{}, false, fmt.Errorf("asking the compositor for the last input: %w", err)
	}
	return inputSight{idle: time.Duration(milliseconds) * time.Millisecond, known: true}, true, nil
}

func (g *gnomeInput) close() error { return g.bus.close() }

// xInput asks the X server's screen saver extension for the time since the last input. An X server inside of Wayland sees only what
// goes to its own windows, so it is not asked.
type xInput struct{ conn *xgb.Conn }

func (x *xInput) look(context.Context) (inputSight, bool, error) {
	if os.Getenv("DISPLAY") == "" || os.Getenv("WAYLAND_DISPLAY") != "" {
		return inputSight{}, false, nil
	}
	if x.conn == nil {
		conn, err := xgb.NewConn()
		if err != nil {
			return inputSight{}, false, nil // nobody has begun to show anything there
		}
		if err := screensaver.Init(conn); err != nil {
			conn.Close()
			return inputSight{}, false, fmt.Errorf("the X server cannot say when the last input was: %w", err)
		}
		x.conn = conn
	}
	root := xproto.Setup(x.conn).DefaultScreen(x.conn).Root
	info, err := screensaver.QueryInfo(x.conn, xproto.Drawable(root)).Reply()
	if err != nil {
		x.conn.Close()
		x.conn = nil // the next look connects anew
		return inputSight{}, false, fmt.Errorf("asking the X server for the last input: %w", err)
	}
	return inputSight{session: SessionUnknown, idle: time.Duration(info.MsSinceUserInput) * time.Millisecond, known: true}, true, nil
}

func (x *xInput) close() error {
	if x.conn != nil {
		x.conn.Close()
	}
	return nil
}
