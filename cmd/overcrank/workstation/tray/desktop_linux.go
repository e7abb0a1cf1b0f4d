package tray

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/godbus/dbus/v5"
)

// desktop looks for the bus of the person's desktop. The channel is closed when the bus is gone, or ctx ends.
func desktop(ctx context.Context) (<-chan struct{}, error) {
	bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoDesktop, err)
	}
	return bus.Context().Done(), nil
}

// locales are those of the person, the most important one first.
func locales() []string {
	all := strings.Split(os.Getenv("LANGUAGE"), ":")
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := os.Getenv(name); value != "" {
			return append(all, value)
		}
	}
	return all
}

// open shows a page in the person's browser. It returns once the browser has taken the page, which may be when the browser ends, or when ctx does: the
// browser goes on then.
func open(ctx context.Context, page string) error {
	if page == "" {
		return nil
	}
	cmd := exec.CommandContext(ctx, "xdg-open", page)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what ends the tray does not end the browser
	return cmd.Run()
}

// Again takes the place of this process with a new one.
func Again() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(self, os.Args, os.Environ())
}
