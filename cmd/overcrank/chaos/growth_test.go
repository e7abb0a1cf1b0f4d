//go:build linux

package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"

	"overcrank/cmd/overcrank/client"
)

// A farm that ends with several coordinators and a bucket begins with one and its folder, as the manual has it: while clients work and
// things go wrong its files move to the bucket, and then the others join.

// grow moves the farm's files to the bucket during what the farm suffers alone, and has the other coordinators join after that.
func (f *farm) grow(ctx context.Context, m *misfortune, alone func()) error {
	first := f.members[0]
	err := first.configure(func() {
		first.grown = fmt.Sprintf("storage: %q\nstorage-credentials: %q\ncluster-listen: %q\ncluster-address: %[3]q\n", f.store.flag, f.store.keys, first.at(clusterPort))
	})
	if err != nil {
		return err
	}
	first.signal(syscall.SIGHUP)
	alone()
	if err := m.heal(); err != nil {
		return err
	}
	if err := f.await(ctx, endPatience, "the files to be in the bucket", func() error {
		err := moved(ctx, first)
		if errors.Is(err, errStillFolder) { // the bucket did not answer when the settings were read: they are refused then, and the admin asks again
			first.signal(syscall.SIGHUP)
		}
		return err
	}); err != nil {
		return err
	}
	for _, node := range f.later {
		if err := f.join(ctx, node); err != nil {
			return err
		}
		f.members, f.doors = append(f.members, node), append(f.doors, node.door)
	}
	fmt.Printf("chaos: the files are in the bucket, and %d coordinators have joined\n", len(f.later))
	f.later = nil
	return f.await(ctx, healPatience, "all coordinators to have a vote", func() error {
		s, err := f.doors[0].cluster(ctx)
		if err == nil && s.Voters < len(f.members) {
			err = fmt.Errorf("%d of %d have one", s.Voters, len(f.members))
		}
		return err
	})
}

// errStillFolder is the answer of moved while a coordinator's settings that name the bucket are not in force.
var errStillFolder = errors.New("the files are kept in a folder")

// moved says what keeps files in a coordinator's folder, nil when all are in the bucket.
func moved(ctx context.Context, m *member) error {
	s, err := m.door.cluster(ctx)
	switch {
	case err != nil:
		return err
	case !s.Storage.Shared:
		return fmt.Errorf("%w: %s", errStillFolder, s.Storage.Where)
	case s.Storage.Move != nil:
		return fmt.Errorf("%d are left %s", s.Storage.Move.FilesLeft, s.Storage.Move.Trouble)
	}
	if _, err := os.Stat(filepath.Join(m.dir, "files", "outputs")); err == nil {
		return errors.New("the folder of results is still there")
	}
	return nil
}

func (d *door) cluster(ctx context.Context) (s client.Cluster, err error) {
	err = d.ask(ctx, http.MethodGet, "/api/farm/v1/cluster", "", nil, &s)
	return s, err
}

// join starts a coordinator that the farm invites, and waits until it is ready.
func (f *farm) join(ctx context.Context, node *member) error {
	var invitation client.NodeInvitation
	if err := f.await(ctx, healPatience, node.name+" to be invited", func() error {
		return f.doors[0].ask(ctx, http.MethodPost, "/api/farm/v1/cluster/invitations", "", map[string]string{"name": node.name}, &invitation)
	}); err != nil {
		return err
	}
	token := filepath.Join(f.folder, node.name+".token")
	if err := os.WriteFile(token, []byte(invitation.Token+"\n"), 0o600); err != nil {
		return err
	}
	node.args = append(node.args, "--storage", f.store.flag, "--storage-credentials", f.store.keys, "--cluster-listen", node.at(clusterPort),
		"--cluster-address", node.at(clusterPort), "--join", "https://"+f.members[0].at(apiPort), "--cluster-token-file", token)
	if err := node.start(); err != nil {
		return err
	}
	return f.await(ctx, healPatience, node.name+" to be ready", func() error { return node.door.ask(ctx, http.MethodGet, "/readyz", "", nil, nil) })
}
