package presence

import (
	"context"
	"fmt"
	"strconv"

	"github.com/godbus/dbus/v5"
)

// IsService tells whether this process is one of the system's, which must not run After Effects itself. There is none for Linux.
func IsService() bool { return false }

// Console knows who sits before the machine: the person whose session is in front of its first seat.
type Console struct{ bus bus }

// Close ends its connection to the login manager.
func (c *Console) Close() error { return c.bus.close() }

const (
	loginSeat = loginName + ".Seat"
	firstSeat = loginPath + "/seat/seat0"
)

// Who is the person before the machine; found is false when nobody is signed in there, and on a machine without a login manager.
func (c *Console) Who(ctx context.Context) (who Person, found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if c.bus.connect == nil {
		c.bus.connect = dbus.ConnectSystemBus
	}
	conn, err := c.bus.open(ctx)
	if err != nil {
		return Person{}, false, nil // a machine without a bus has no login manager
	}
	const get = "org.freedesktop.DBus.Properties.Get"
	var front struct {
		ID   string
		Path dbus.ObjectPath
	}
	err = conn.Object(loginName, firstSeat).CallWithContext(ctx, get, 0, loginSeat, "ActiveSession").Store(&front)
	if absent(err) || err == nil && front.ID == "" {
		return Person{}, false, nil
	}
	if err != nil {
		return Person{}, false, fmt.Errorf("asking the login manager who is signed in: %w", err)
	}
	var of map[string]dbus.Variant
	err = conn.Object(loginName, front.Path).CallWithContext(ctx, "org.freedesktop.DBus.Properties.GetAll", 0, loginSession).Store(&of)
	if absent(err) {
		return Person{}, false, nil // it has ended
	}
	if err != nil {
		return Person{}, false, fmt.Errorf("asking the login manager for a session: %w", err)
	}
	var user struct {
		ID   uint32
		Path dbus.ObjectPath
	}
	class, _ := of["Class"].Value().(string)
	if class != "user" || of["User"].Store(&user) != nil {
		return Person{}, false, nil // the screen at which people sign in
	}
	name, _ := of["Name"].Value().(string)
	return Person{ID: strconv.FormatUint(uint64(user.ID), 10), Name: name}, true, nil
}
