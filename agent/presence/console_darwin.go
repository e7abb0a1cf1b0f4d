package presence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// IsService tells whether this process is one of the system's, which must not run After Effects itself: it would do so as root, and outside of
// anybody's session.
func IsService() bool { return os.Geteuid() == 0 }

// Console knows who sits before the machine. macOS gives them its console.
type Console struct{}

// Close does nothing.
func (*Console) Close() error { return nil }

// Who is the person before the machine; found is false when nobody is signed in there. Before that, and at the window where people switch,
// the console belongs to root.
func (*Console) Who(context.Context) (who Person, found bool, err error) {
	info, err := os.Stat("/dev/console")
	if err != nil {
		return Person{}, false, fmt.Errorf("looking who is signed in: %w", err)
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return Person{}, false, errors.New("looking who is signed in: the console has no owner")
	}
	if owner.Uid == 0 {
		return Person{}, false, nil
	}
	who.ID = strconv.FormatUint(uint64(owner.Uid), 10)
	if account, err := user.LookupId(who.ID); err == nil {
		who.Name = account.Username
	}
	return who, true, nil
}
