// Package storage holds the farm's files for a coordinator: in a folder of its own, or in storage that all coordinators share. It
// verifies that the files are this farm's, monitors the storage, moves files from the folder to shared storage, and reads all files
// regularly to find damaged ones.
package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"overcrank/coordinator/files"
	"overcrank/coordinator/joblog"
	"overcrank/coordinator/state"
	"overcrank/durable"
	"overcrank/farm"
)

const (
	// Folder is the farm's files' folder within the data folder.
	Folder = "files"
	// memoryFile records which storage a node uses.
	memoryFile = "storage.json"
	// growingFolder holds lines of jobs' logs that are not in shared storage yet.
	growingFolder = "growing"
	scratchFolder = "fetched"
	// farmNote is the note with the name of the farm whose files a storage holds.
	farmNote = "farm"
	// asidesAtOnce is how many calls of Aside run concurrently.
	asidesAtOnce = 8
)

// Config configures a Storage.
type Config struct {
	DataDir     string
	Where       string // "" for the data folder, the path of a mounted folder, or an address for files.ParseAddress
	Credentials string // file with the credentials of a bucket; "" to take them from the environment
	MinFree     int64  // bytes that must stay free on the disk
	Farm        string // the farm's name, which identifies its files
	Address     string // of this coordinator, for people
	Logger      *slog.Logger
}

// Node is the coordinator that uses a storage.
type Node interface {
	ID() string
	Leader() (id, address string) // of the farm; "" without a leader
	Leads() bool                  // whether this node has taken up the leader's work
}

// Storage is the storage of one coordinator. Its methods may be called concurrently.
type Storage struct {
	cfg     Config
	log     *slog.Logger
	node    Node         // set by Use
	state   *state.State // the same
	store   files.Store
	shared  files.Shared   // the same, where coordinators share storage; nil with a folder of this machine
	patient *files.Patient // the same, where a call may never come back; nil otherwise
	moving  *files.Moving  // the same, of a node that began to move its files from its folder; nil otherwise
	own     *files.Folder  // the same, in a folder of this machine; nil with shared storage
	growing *files.Folder  // log lines that are not in shared storage yet; nil with a folder of this machine
	proofs  *files.Proofs

	looking chan struct{} // held by the Look in progress
	doubted chan struct{} // signals that a look is due
	asides  chan struct{} // one element for each Aside in progress

	ctx    context.Context // ends with Run
	cancel context.CancelFunc

	mu     sync.Mutex
	closed bool           // no further work may begin
	work   sync.WaitGroup // running Looks and Asides
	memory memory         // what memoryFile holds once this node serves
	err    error          // result of the last look
	trial  error          // result of the last machine's attempt to read a file
	stuck  error          // why moving files failed last
	leader leaderNote
}

// memory is the content of memoryFile.
type memory struct {
	Node   string `json:"node"`             // name of this data folder, used in names of files that only this node writes
	Where  string `json:"where,omitempty"`  // storage that has held the farm's files; "" for the data folder
	Moving *whole `json:"moving,omitempty"` // the move from the data folder to Where; nil when there is none
}

// Open opens the farm's files, and verifies that they are this farm's.
func Open(ctx context.Context, cfg Config) (*Storage, error) {
	s := &Storage{
		cfg: cfg, log: cfg.Logger,
		looking: make(chan struct{}, 1), doubted: make(chan struct{}, 1), asides: make(chan struct{}, asidesAtOnce),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.proofs = files.NewProofs(s.store, s.tellDamage)
	return s, nil
}

func (s *Storage) open(ctx context.Context) error {
	m, err := recall(s.cfg.DataDir)
	if err != nil {
		return err
	}
	if s.cfg.Where == "" {
		return s.openFolder(m)
	}
	if s.shared, err = openShared(s.cfg, m.Node); err != nil {
		return err
	}
	s.store = s.shared
	s.patient, _ = s.shared.(*files.Patient)
	if err := s.recogniseFirst(ctx, m.Where); err != nil {
		return err
	}
	if m.Where == "" {
		if m.Moving, err = s.wantsMove(ctx); err != nil {
			return err
		}
	}
	m.Where = s.shared.Where()
	if m.Moving != nil {
		if err := s.beginMove(); err != nil {
			return err
		}
	}
	s.memory = m
	s.growing, err = files.OpenFolder(filepath.Join(s.cfg.DataDir, growingFolder), s.cfg.MinFree)
	return err
}

// openFolder opens the farm's files in the data folder.
func (s *Storage) openFolder(m memory) error {
	switch {
	case m.Moving != nil:
		return fmt.Errorf("this farm's files are being moved to %s, and some are there alone: start it with that --storage as before", m.Where)
	case m.Where != "":
		return fmt.Errorf("this farm's files are in %s: start it with --storage as before", m.Where)
	}
	folder, err := files.OpenFolder(s.Own(), s.cfg.MinFree)
	if err != nil {
		return err
	}
	s.store, s.own, s.memory = folder, folder, m
	return nil
}

// Use sets the coordinator that uses the storage, and its state. Call it before Run and Look.
func (s *Storage) Use(node Node, st *state.State) { s.node, s.state = node, st }

// Run maintains the storage until ctx ends, then waits for work in progress.
func (s *Storage) Run(ctx context.Context) {
	var loops sync.WaitGroup
	for _, loop := range []func(context.Context){s.watch, s.proofs.Run, s.prove, s.move} {
		loops.Go(func() { loop(ctx) })
	}
	loops.Wait()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.work.Wait()
}

// Close closes the files. Call it after Run has returned, or without Run.
func (s *Storage) Close() error {
	s.cancel()
	var err error
	if s.store != nil {
		err = s.store.Close()
	}
	if s.growing != nil {
		err = errors.Join(err, s.growing.Close())
	}
	return err
}

// begin registers work that Run waits for; done is nil once Run is ending.
func (s *Storage) begin() (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.work.Add(1)
	return s.work.Done
}

// Files are the farm's files.
func (s *Storage) Files() files.Store { return s.store }

// Shared is Files where coordinators share them; nil with a folder of this machine.
func (s *Storage) Shared() files.Shared { return s.shared }

// Proofs verifies files when they are read.
func (s *Storage) Proofs() *files.Proofs { return s.proofs }

// Logs completes a joblog.Config: logs are in the local folder, or grow there in segments until they are in shared storage.
func (s *Storage) Logs(cfg joblog.Config) joblog.Config {
	if s.shared == nil {
		return joblog.Config{Local: s.own, Logger: cfg.Logger}
	}
	cfg.Local, cfg.Shared, cfg.Node = s.growing, s.shared, s.remembered().Node
	return cfg
}

// Own is this machine's folder for files.
func (s *Storage) Own() string { return filepath.Join(s.cfg.DataDir, Folder) }

// recogniseFirst verifies at the start that the storage holds this farm's files, or none yet. where is the storage that has held them, ""
// for none; if that one cannot be reached, this node waits for it.
func (s *Storage) recogniseFirst(ctx context.Context, where string) error {
	known := where == s.shared.Where()
	err := s.recognise(ctx, known)
	switch {
	case errors.Is(err, files.ErrNotFound) && where != "":
		return farm.Errorf(farm.CodeConflict, "the farm's files are in %s, and %s has none of them: name the one that has", where, s.shared.Where())
	case errors.Is(err, files.ErrNotFound):
		return s.shared.PutNote(ctx, farmNote, []byte(s.cfg.Farm+"\n"))
	case known && errors.Is(err, files.ErrUnreachable):
		s.note(err)
		s.log.Error("the farm's storage cannot be used; this coordinator waits for it", "error", err)
		return nil
	}
	return err
}

// recognise verifies that the storage holds this farm's files; files.ErrNotFound when it holds no farm's. known says that this node has
// seen them there.
func (s *Storage) recognise(ctx context.Context, known bool) error {
	if err := s.shared.Reach(ctx); err != nil {
		return err
	}
	text, err := s.shared.Note(ctx, farmNote)
	switch {
	case err == nil && strings.TrimSpace(string(text)) == s.cfg.Farm:
		return nil
	case err == nil:
		return farm.Errorf(farm.CodeConflict, "%s holds the files of another farm: name another folder, or another prefix of the bucket, with --storage", s.shared.Where())
	case known && errors.Is(err, files.ErrNotFound):
		return farm.Errorf(farm.CodeUnavailable, "%s does not hold this farm's files any more: something else is mounted there, or it was emptied. Its file %s is gone",
			s.shared.Where(), files.NoteName(farmNote))
	}
	return err
}

// openShared opens the shared storage of cfg without asking it for anything. node is used in names of files that only one coordinator
// writes.
func openShared(cfg Config, node string) (files.Shared, error) {
	if !files.IsAddress(cfg.Where) {
		mount, err := files.OpenMount(cfg.Where, node, cfg.MinFree)
		if err != nil {
			return nil, fmt.Errorf("opening the farm's storage: %w", err)
		}
		return files.NewPatient(mount), nil
	}
	address, err := files.ParseAddress(cfg.Where)
	if err != nil {
		return nil, fmt.Errorf("malformed storage address: %w", err)
	}
	keys, err := bucketKeys(cfg.Credentials)
	if err != nil {
		return nil, err
	}
	return files.OpenS3(files.S3Config{Address: address, Credentials: keys, Scratch: filepath.Join(cfg.DataDir, scratchFolder)})
}

// CheckFlag checks a --storage setting; "" is the data folder.
func CheckFlag(text string) error {
	switch {
	case text == "" || filepath.IsAbs(text):
		return nil
	case files.IsAddress(text):
		_, err := files.ParseAddress(text)
		return err
	default:
		return errors.New("want the absolute path of a folder, or s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-west-1")
	}
}

// bucketKeys finds the credentials of a bucket: in a file of AWS's format, in the environment, or from the role of a cloud machine.
func bucketKeys(file string) (*credentials.Credentials, error) {
	if file == "" {
		return credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.IAM{}}), nil
	}
	keys := credentials.NewFileAWSCredentials(file, "")
	value, err := keys.GetWithContext(nil)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			return nil, fmt.Errorf("reading the storage's credentials: %w", err)
		}
		return nil, fmt.Errorf("%s holds no credentials: it needs a part [default] with aws_access_key_id and aws_secret_access_key", file)
	}
	if value.AccessKeyID == "" || value.SecretAccessKey == "" {
		return nil, fmt.Errorf("%s holds no credentials: it needs aws_access_key_id and aws_secret_access_key in its part [default]", file)
	}
	return keys, nil
}

func recall(dataDir string) (m memory, err error) {
	path := filepath.Join(dataDir, memoryFile)
	err = durable.ReadJSON(path, &m)
	if damaged := (*durable.DamagedError)(nil); errors.As(err, &damaged) {
		damaged.IfIntended += "; without a backup, remove it and start this coordinator with its --storage as before"
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("reading which storage this node uses, from %s: %w", path, err)
	}
	if m.Node == "" {
		m.Node = newNodeName()
	}
	return m, nil
}

// remember records the storage for this process and later ones.
func (s *Storage) remember(m memory) error {
	if err := durable.WriteJSON(filepath.Join(s.cfg.DataDir, memoryFile), m, 0o600); err != nil {
		return fmt.Errorf("remembering which storage this node uses: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memory = m
	return nil
}

func (s *Storage) remembered() memory {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.memory
}

// Keep records which storage this node uses, after which it starts with no other. So it is called when nothing else can keep this node
// from serving; before that, the storage holds nothing of the farm.
func (s *Storage) Keep() error {
	if s.shared == nil {
		return nil
	}
	return s.remember(s.remembered())
}

// Status says where a coordinator keeps the farm's files.
type Status struct {
	Where  string // for people
	Shared bool   // whether other coordinators can reach all of them
	Move   *Move  // the move to Where in progress; nil for none
}

// Status returns where the farm's files are.
func (s *Storage) Status() Status {
	if s.shared == nil {
		return Status{Where: "the folder " + s.Own()}
	}
	now := Status{Where: s.shared.Where(), Shared: true}
	if move, moving := s.Move(); moving {
		now.Move, now.Shared = &move, false
	}
	return now
}

// ServesAll is nil when all coordinators can reach the farm's files; CodeConflict, with the way out, when some are in this node's own
// folder.
func (s *Storage) ServesAll() error {
	if s.shared == nil {
		return farm.Errorf(farm.CodeConflict, "the farm's files are in the folder %s of one machine, where other coordinators cannot reach them: give its coordinator a --storage that all can reach; it goes on working while it moves them there",
			s.Own())
	}
	if move, moving := s.Move(); moving {
		return farm.Errorf(farm.CodeConflict, "the farm's files are being moved to %s, and other coordinators cannot have them before all are there: %s; 'overcrank storage status --wait' waits for that", move.To, move)
	}
	return nil
}

// Aside runs do, which renames or copies files: at once in a local folder, where that takes no time, and in the background in shared
// storage, where it may take as long as the files are large.
func (s *Storage) Aside(do func(context.Context)) {
	if s.shared == nil {
		do(s.ctx)
		return
	}
	done := s.begin()
	if done == nil {
		return
	}
	go func() {
		defer done()
		select {
		case s.asides <- struct{}{}:
			defer func() { <-s.asides }()
			do(s.ctx)
		case <-s.ctx.Done():
		}
	}()
}
