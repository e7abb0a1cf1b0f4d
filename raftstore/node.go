package raftstore

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/raft"
	"github.com/oklog/ulid/v2"

	"overcrank/durable"
)

const (
	keptSnapshots = 2
	trailingLogs  = 10240 // entries kept behind a snapshot, for followers that lag
	logCache      = 64    // newest entries kept in memory, each of up to maxCommand bytes

	// A node that can only be alone waits for nobody, so it stands for election at once. For others it is how long the leader
	// may be silent: short, since everybody waits while there is none, and long enough for a busy machine.
	aloneTimeout   = 50 * time.Millisecond
	clusterTimeout = 300 * time.Millisecond

	// A node alone waits for its own vote to be on disk and for nothing else: to stand once more because the disk is slow would help nobody.
	aloneElection = 5 * time.Second
)

// NodeID is the id that is kept in a node's folder, made at its first start.
func NodeID(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the farm's state: %w", err)
	}
	path := filepath.Join(dir, nodeIDFile)
	kept, err := durable.ReadSummed(path)
	if err == nil {
		if id := strings.TrimSpace(string(kept)); id != "" {
			return id, nil
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read node id: %w", err)
	}
	made, err := ulid.New(ulid.Now(), rand.Reader)
	if err != nil {
		return "", fmt.Errorf("make node id: %w", err)
	}
	if err := durable.WriteSummed(path, []byte(made.String()+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep node id: %w", err)
	}
	return made.String(), nil
}

// startRaft starts Raft on the given parts. With kept, the machine's state is used as it is instead of the newest
// snapshot; the machine passes over entries of the log that it has.
func startRaft(cfg Config, id string, m *machine, log *diskLog, snapshots raft.SnapshotStore, kept bool) (_ *raft.Raft, err error) {
	logger := newRaftLogger(cfg.Logger)
	transport, err := newTransport(cfg, logger)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, transport.Close())
		}
	}()
	settings := raft.DefaultConfig()
	settings.LocalID = raft.ServerID(id)
	settings.Logger = logger
	settings.SnapshotThreshold = math.MaxUint64 // see snapshot_schedule.go
	settings.TrailingLogs = trailingLogs
	settings.NoSnapshotRestoreOnStart = kept
	settings.NoLegacyTelemetry = true

	cached, err := raft.NewLogCache(logCache, log)
	if err != nil {
		return nil, fmt.Errorf("prepare the cache of the log: %w", err)
	}
	exists, err := raft.HasExistingState(log, log, snapshots)
	if err != nil {
		return nil, fmt.Errorf("look for earlier state: %w", err)
	}
	members := founders(cfg, id, transport)
	if exists {
		if members, err = storedMembers(*settings, m, log, snapshots, transport); err != nil {
			return nil, fmt.Errorf("read the members of the farm: %w", err)
		}
		if err := isMember(cfg, id, members); err != nil {
			return nil, err
		}
	} else if cfg.Await {
		members = raft.Configuration{}
	} else if err := raft.BootstrapCluster(settings, cached, log, snapshots, transport, members); err != nil {
		return nil, fmt.Errorf("found the farm: %w", err)
	}
	silence := cmp.Or(cfg.Silence, clusterTimeout)
	election := silence
	if len(members.Servers) == 1 && cfg.Layer == nil {
		silence, election = aloneTimeout, aloneElection
	}
	log.live.Store(true)
	settings.HeartbeatTimeout, settings.ElectionTimeout, settings.LeaderLeaseTimeout = silence, election, silence
	node, err := raft.NewRaft(settings, m, cached, log, snapshots, transport)
	if err != nil {
		return nil, fmt.Errorf("start Raft: %w", err)
	}
	return node, nil
}

// storedMembers reads who the members of the farm are, without touching the machine. Raft marks the settings it is given
// for reading only, hence the copy.
func storedMembers(settings raft.Config, m *machine, log *diskLog, snapshots raft.SnapshotStore, transport raft.Transport) (raft.Configuration, error) {
	settings.NoSnapshotRestoreOnStart = true
	return raft.GetConfiguration(&settings, m, log, log, snapshots, transport)
}

// isMember refuses to start a node of a farm of one as somebody else: it would wait for that node for ever.
func isMember(cfg Config, id string, members raft.Configuration) error {
	// A node that was added by a farm of one, and stopped before it learnt of it, hears from the others that it is a member.
	if cfg.Layer != nil || len(members.Servers) != 1 || members.Servers[0].ID == raft.ServerID(id) {
		return nil
	}
	own := members.Servers[0].ID
	path := filepath.Join(cfg.Dir, nodeIDFile)
	return fmt.Errorf("the state belongs to node %s and this is node %s; write %s into %s, remove %s, and start again", own, id, own, path, path+durable.SumSuffix)
}

// founders are the members of a new farm.
func founders(cfg Config, id string, transport raft.Transport) raft.Configuration {
	if len(cfg.Peers) == 0 {
		return raft.Configuration{Servers: []raft.Server{{ID: raft.ServerID(id), Address: transport.LocalAddr()}}}
	}
	var members raft.Configuration
	for _, peer := range cfg.Peers {
		members.Servers = append(members.Servers, raft.Server{ID: raft.ServerID(peer.ID), Address: raft.ServerAddress(peer.Address)})
	}
	return members
}
