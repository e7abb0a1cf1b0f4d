package updates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"overcrank/coordinator/files"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
	"overcrank/release"
)

// MaxProgram is how large a file of a release may be, in bytes.
const MaxProgram = 1 << 30

// Releases manages the releases that a farm keeps, and the settings of how machines get them. It is safe for concurrent use.
type Releases struct {
	state    *state.State
	files    files.Store
	roots    string
	protocol int // version of the agents' protocol that the farm speaks
	log      *slog.Logger
}

// New returns the releases of a state, whose files are in a store. roots is a file with the root keys to check releases with, "" for those that are built
// into the program; protocol is the version of the agents' protocol that the farm speaks.
func New(s *state.State, store files.Store, roots string, protocol int, log *slog.Logger) *Releases {
	return &Releases{state: s, files: store, roots: roots, protocol: protocol, log: log}
}

// Receive stores a file of a release that Add adds afterwards. A file that no release names is deleted after a while. The error has CodeInvalid when the
// content does not have the hash sha256.
func (r *Releases) Receive(ctx context.Context, p farm.Principal, sha256 string, body io.Reader, size int64) (farm.FileRef, error) {
	if err := p.May(farm.ActUpdateMachines); err != nil {
		return farm.FileRef{}, err
	}
	obj, err := r.files.PutBlob(ctx, body, files.Limits{Size: size, Max: MaxProgram, SHA256: sha256})
	if errors.Is(err, files.ErrContent) {
		return farm.FileRef{}, farm.Errorf(farm.CodeInvalid, "the file does not have the SHA-256 %s: send it again, or sign the release again", sha256)
	}
	if err != nil {
		return farm.FileRef{}, files.ReceiveError("file of the release", err)
	}
	return farm.FileRef{SHA256: obj.SHA256, Size: obj.Size}, nil
}

// Add adds a release whose files were received. It refuses what a machine would refuse. The error has CodeConflict when a file is missing, when the release
// does not speak the farm's version of the agents' protocol, or when another release has its version or number.
func (r *Releases) Add(ctx context.Context, p farm.Principal, docs release.Documents) (farm.Release, error) {
	if err := p.May(farm.ActUpdateMachines); err != nil {
		return farm.Release{}, err
	}
	roots, err := release.Roots(r.roots)
	if err != nil {
		return farm.Release{}, farm.Errorf(farm.CodeConflict, "releases cannot be checked: %w", err)
	}
	checked, err := release.Check(docs, roots, r.state.Now())
	if err != nil {
		return farm.Release{}, farm.Errorf(farm.CodeInvalid, "%w", err)
	}
	if !checked.Protocol.Speaks(r.protocol) {
		return farm.Release{}, farm.Errorf(farm.CodeConflict, "release %s speaks versions %d to %d of the agents' protocol, and this farm version %d: update the coordinators first",
			checked.Version, checked.Protocol.Min, checked.Protocol.Max, r.protocol)
	}
	made := releaseOf(checked)
	made.AddedAt, made.AddedBy = r.state.Now(), p.Name
	if err := r.hasFiles(ctx, made); err != nil {
		return farm.Release{}, err
	}
	if _, err := r.state.Apply(ctx, command.PutRelease{Release: made}); err != nil {
		return farm.Release{}, err
	}
	r.log.Info("a release was added", "version", made.Version, "number", made.Number, "by", p.Name)
	return r.Get(ctx, p, made.Version)
}

// releaseOf converts a checked release to what the farm keeps.
func releaseOf(r *release.Release) farm.Release {
	made := farm.Release{
		Version: r.Version, Number: r.Number, Expires: r.Expires, MinLauncher: r.MinLauncher, ProtocolMin: r.Protocol.Min, ProtocolMax: r.Protocol.Max,
		DowngradeOf: r.DowngradeOf, Keys: r.Keys.Serial, KeysExpire: r.Keys.Expires,
		Documents: []farm.ReleaseDocument{
			{Name: release.ManifestName, Content: r.Documents.Manifest}, {Name: release.ManifestSignatureName, Content: r.Documents.ManifestSignature},
			{Name: release.KeysName, Content: r.Documents.Keys}, {Name: release.KeysSignatureName, Content: r.Documents.KeysSignature},
		},
	}
	for _, f := range r.Files {
		made.Files = append(made.Files, farm.ReleaseFile{System: f.System, Arch: f.Arch, File: farm.FileRef{SHA256: f.SHA256, Size: f.Size, Name: f.Name}})
	}
	return made
}

// hasFiles fails with CodeConflict when a file of the release was not received.
func (r *Releases) hasFiles(ctx context.Context, made farm.Release) error {
	for _, f := range made.Files {
		key, err := files.BlobKey(f.File.SHA256)
		if err != nil {
			return fmt.Errorf("looking for a release's file: %w", err)
		}
		obj, err := r.files.Stat(ctx, key)
		if errors.Is(err, files.ErrNotFound) || err == nil && obj.Size != f.File.Size {
			return farm.Errorf(farm.CodeConflict, "the farm does not have the file %s of release %s: send it first", f.File.Name, made.Version)
		}
		if err != nil {
			return fmt.Errorf("looking for a release's file: %w", err)
		}
	}
	return nil
}

// List lists the releases, the newest first.
func (r *Releases) List(_ context.Context, _ farm.Principal) (list []farm.Release, err error) {
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.Releases()
		return err
	})
	slices.SortFunc(list, func(a, b farm.Release) int { return int(b.Number - a.Number) })
	return list, err
}

// Get returns a release; the error has CodeNotFound when there is none of that version.
func (r *Releases) Get(_ context.Context, _ farm.Principal, version string) (made farm.Release, err error) {
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		made, err = tx.Release(version)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound {
		err = farm.Errorf(farm.CodeNotFound, "the farm has no release %q", version)
	}
	return made, err
}

// Remove removes a release; the error has CodeConflict while it is the one that machines are to run. Machines that run it already keep it.
func (r *Releases) Remove(ctx context.Context, p farm.Principal, version string) error {
	if err := p.May(farm.ActUpdateMachines); err != nil {
		return err
	}
	_, err := r.state.Apply(ctx, command.RemoveRelease{Version: version})
	if err == nil {
		r.log.Info("a release was removed", "version", version, "by", p.Name)
	}
	return err
}

// Updates returns which release machines are to run, and how they get it.
func (r *Releases) Updates(_ context.Context, _ farm.Principal) (u farm.Updates, err error) {
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		u, err = tx.Updates()
		return err
	})
	return u, err
}

// changeTries is how often a change is tried when others come between, such as the leader's change of the ring.
const changeTries = 10

// Change changes which release machines are to run, or how they get it. Another release begins with the canary ring.
func (r *Releases) Change(ctx context.Context, p farm.Principal, change func(*farm.Updates)) (farm.Updates, error) {
	return r.change(ctx, p, func(u *farm.Updates) error {
		was := u.Release
		change(u)
		u.Release = strings.TrimSpace(u.Release)
		if u.Release != was {
			u.Ring, u.Stopped, u.Since = "", nil, r.state.Now()
		}
		return nil
	})
}

// Resume lets a stopped release go on to further machines; the error has CodeConflict when none was stopped. Machines that rolled it back keep the release
// that they have.
func (r *Releases) Resume(ctx context.Context, p farm.Principal) (farm.Updates, error) {
	return r.change(ctx, p, func(u *farm.Updates) error {
		if u.Stopped == nil {
			return farm.Errorf(farm.CodeConflict, "no release is stopped")
		}
		u.Stopped, u.Resumed = nil, r.state.Now()
		return nil
	})
}

func (r *Releases) change(ctx context.Context, p farm.Principal, change func(*farm.Updates) error) (farm.Updates, error) {
	if err := p.May(farm.ActUpdateMachines); err != nil {
		return farm.Updates{}, err
	}
	for try := 1; ; try++ {
		u, err := r.Updates(ctx, p)
		if err != nil {
			return farm.Updates{}, err
		}
		if err := change(&u); err != nil {
			return farm.Updates{}, err
		}
		u.At, u.By = r.state.Now(), p.Name
		_, err = r.state.Apply(ctx, command.PutUpdates{Updates: u})
		if err == nil {
			r.log.Info("update settings were changed", "release", u.Release, "by", p.Name)
			return r.Updates(ctx, p)
		}
		if farm.CodeOf(err) != farm.CodeConflict || try == changeTries {
			return farm.Updates{}, err
		}
	}
}
