package adobe

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"overcrank/agent/aerender"
)

// Seat is where After Effects runs: under the agent's own account (Own), or in the session of the person who is signed in.
type Seat interface {
	aerender.Host
	// Owner is the account whose session it is; "" for the agent's own.
	Owner() string
	// Give lets After Effects use some of the folders in dir, with all that is in them, until takeBack.
	Give(dir string, folders ...string) (takeBack func() error, err error)
	// Collect moves a file that After Effects has written out of a folder that was given; from and to are below dir.
	Collect(dir, from, to string) error
	// Discard removes what After Effects has put into its caches since a time.
	Discard(since time.Time) error
}

// Own is the Seat of an agent whose engines are its own children.
type Own struct {
	aerender.Children
	Caches Caches
}

// Owner is "".
func (Own) Owner() string { return "" }

// Give has nothing to do.
func (Own) Give(string, ...string) (func() error, error) { return func() error { return nil }, nil }

// Collect moves a file.
func (Own) Collect(dir, from, to string) error {
	if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		return fmt.Errorf("moving a file: %w", err)
	}
	return nil
}

// Discard clears the caches of the agent's account.
func (o Own) Discard(since time.Time) error { return o.Caches.Clear(since) }
