package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"overcrank/coordinator/files"
	"overcrank/coordinator/joblog"
	"overcrank/durable"
	"overcrank/farm"
)

const (
	// storageFile is where a node remembers which storage it uses.
	storageFile = "storage.json"
	// growingFolder is where a node keeps what it has not stored yet of the logs of jobs, when storage is shared.
	growingFolder = "growing"
	scratchFolder = "fetched"
	// farmNote says whose files a storage holds.
	farmNote = "farm"
	// asidesAtOnce is how many results are moved at once within shared storage.
	asidesAtOnce = 8
)

// storageMemory is what storageFile holds.
type storageMemory struct {
	Node   string     `json:"node"`             // of this data folder, in names of files that it alone writes
	Where  string     `json:"where,omitempty"`  // storage that has held the farm's files; "" for the data folder
	Moving *wholeMove `json:"moving,omitempty"` // from the data folder to Where; nil when all are there
}

// openStorage opens the farm's files, and makes sure that they are this farm's.
func (c *Coordinator) openStorage(ctx context.Context) error {
	memory, err := recallStorage(c.cfg.DataDir)
	if err != nil {
		return err
	}
	if c.cfg.Storage == "" {
		return c.openFolder(memory)
	}
	shared, err := openShared(c.cfg, memory.Node)
	if err != nil {
		return err
	}
	c.files, c.shared = shared, shared
	c.patient, _ = shared.(*files.Patient)
	if err := c.recogniseFirst(ctx, memory.Where); err != nil {
		return err
	}
	if memory.Where == "" {
		if memory.Moving, err = c.wantsMove(ctx); err != nil {
			return err
		}
	}
	memory.Where = shared.Where()
	if memory.Moving != nil {
		if err := c.beginMove(shared); err != nil {
			return err
		}
	}
	growing, err := files.OpenFolder(filepath.Join(c.cfg.DataDir, growingFolder), c.cfg.MinFree)
	if err != nil {
		return err
	}
	c.growing = growing
	c.logs = joblog.Open(joblog.Config{
		Local: growing, Shared: c.shared, Node: memory.Node, Order: c.logOrder, Wanted: c.wantsLog, Logger: c.log,
	})
	c.storage.remember(memory)
	return nil
}

// openFolder opens the farm's files in the data folder.
func (c *Coordinator) openFolder(memory storageMemory) error {
	switch {
	case memory.Moving != nil:
		return fmt.Errorf("this farm's files are being moved to %s, and some are there alone: start it with that --storage as before", memory.Where)
	case memory.Where != "":
		return fmt.Errorf("this farm's files are in %s: start it with --storage as before", memory.Where)
	}
	folder, err := files.OpenFolder(filepath.Join(c.cfg.DataDir, filesFolder), c.cfg.MinFree)
	if err != nil {
		return err
	}
	c.files = folder
	c.logs = joblog.Open(joblog.Config{Local: folder, Logger: c.log})
	return nil
}

// recogniseFirst makes sure, at a start, that the storage holds this farm's files, or none yet. where names the storage that has held
// them, "" for none: that one is waited for when it cannot be asked.
func (c *Coordinator) recogniseFirst(ctx context.Context, where string) error {
	known := where == c.shared.Where()
	err := c.recognise(ctx, known)
	switch {
	case errors.Is(err, files.ErrNotFound) && where != "":
		return farm.Errorf(farm.CodeConflict, "the farm's files are in %s, and %s has none of them: name the one that has", where, c.shared.Where())
	case errors.Is(err, files.ErrNotFound):
		return c.shared.PutNote(ctx, farmNote, []byte(c.keys.cluster()+"\n"))
	case known && errors.Is(err, files.ErrUnreachable):
		c.storage.set(err)
		c.log.Error("the farm's storage cannot be used; this coordinator waits for it", "error", err)
		return nil
	}
	return err
}

// openShared opens storage that coordinators share, as cfg names it, without asking it for anything. node is in names of what
// only one coordinator writes.
func openShared(cfg Config, node string) (files.Shared, error) {
	if !files.IsAddress(cfg.Storage) {
		mount, err := files.OpenMount(cfg.Storage, node, cfg.MinFree)
		if err != nil {
			return nil, fmt.Errorf("opening the farm's storage: %w", err)
		}
		return files.NewPatient(mount), nil
	}
	address, err := files.ParseAddress(cfg.Storage)
	if err != nil {
		return nil, fmt.Errorf("the address of the storage is not well formed: %w", err)
	}
	keys, err := storageKeys(cfg.StorageCredentials)
	if err != nil {
		return nil, err
	}
	return files.OpenS3(files.S3Config{Address: address, Credentials: keys, Scratch: filepath.Join(cfg.DataDir, scratchFolder)})
}

// CheckStorageFlag refuses what can be no storage; "" is a farm's own folder.
func CheckStorageFlag(text string) error {
	switch {
	case text == "" || filepath.IsAbs(text):
		return nil
	case files.IsAddress(text):
		_, err := files.ParseAddress(text)
		return err
	default:
		return errors.New("it has to be the whole path of a folder, or s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-west-1")
	}
}

// storageKeys finds the credentials of a bucket: in a file as AWS's own tools keep them, or in the environment, or, on a machine of a
// cloud, as its role.
func storageKeys(file string) (*credentials.Credentials, error) {
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

// recognise makes sure that the storage holds this farm's files; files.ErrNotFound when it holds no farm's. known says that this node
// has seen them there.
func (c *Coordinator) recognise(ctx context.Context, known bool) error {
	if err := c.shared.Reach(ctx); err != nil {
		return err
	}
	text, err := c.shared.Note(ctx, farmNote)
	switch {
	case err == nil && strings.TrimSpace(string(text)) == c.keys.cluster():
		return nil
	case err == nil:
		return farm.Errorf(farm.CodeConflict, "%s holds the files of another farm: name another folder, or another prefix of the bucket, with --storage", c.shared.Where())
	case known && errors.Is(err, files.ErrNotFound):
		return farm.Errorf(farm.CodeUnavailable, "%s does not hold this farm's files any more: something else is mounted there, or it was emptied. Its file %s is gone",
			c.shared.Where(), files.NoteName(farmNote))
	}
	return err
}

func recallStorage(dataDir string) (m storageMemory, err error) {
	path := filepath.Join(dataDir, storageFile)
	err = durable.ReadJSON(path, &m)
	if damaged := (*durable.DamagedError)(nil); errors.As(err, &damaged) {
		damaged.Meant += "; without a backup, remove it and start this coordinator with its --storage as before"
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("reading which storage this node uses, from %s: %w", path, err)
	}
	if m.Node == "" {
		m.Node = newNodeName()
	}
	return m, nil
}

func rememberStorage(dataDir string, m storageMemory) error {
	if err := durable.WriteJSON(filepath.Join(dataDir, storageFile), m, 0o600); err != nil {
		return fmt.Errorf("remembering which storage this node uses: %w", err)
	}
	return nil
}

// Storage is where a coordinator keeps the farm's files.
type Storage struct {
	Where  string       // for people
	Shared bool         // whether other coordinators can have all of them
	Move   *StorageMove // of those that are on their way there; nil without any
}

func (c *Coordinator) storageNow() Storage {
	if c.shared == nil {
		return Storage{Where: "the folder " + c.ownFiles()}
	}
	now := Storage{Where: c.shared.Where(), Shared: true}
	if move, moving := c.StorageMove(); moving {
		now.Move, now.Shared = &move, false
	}
	return now
}

// StorageShared is nil when all coordinators of a farm can have its files; CodeConflict, with what to do, when some lie in this node's
// own folder.
func (c *Coordinator) StorageShared() error {
	if c.shared == nil {
		return farm.Errorf(farm.CodeConflict, "the farm's files are in the folder %s of one machine, where other coordinators cannot reach them: give its coordinator a --storage that all can reach; it goes on working while it moves them there",
			c.ownFiles())
	}
	if move, moving := c.StorageMove(); moving {
		return farm.Errorf(farm.CodeConflict, "the farm's files are being moved to %s, and other coordinators cannot have them before all are there: %s; 'overcrank storage status --wait' waits for that", move.To, move)
	}
	return nil
}

// storageServesAll refuses to run one coordinator of several on a folder that the others cannot reach.
func (c *Coordinator) storageServesAll() error {
	members, _, err := c.store.Members()
	if err != nil || len(members) < 2 {
		return err
	}
	if err := c.StorageShared(); err != nil {
		return fmt.Errorf("this farm has %d coordinators: %w", len(members), err)
	}
	return nil
}

// aside does something with files that may take as long as they are large: at once in a folder of this machine, where nothing does,
// and beside the caller in shared storage.
func (c *Coordinator) aside(do func(context.Context)) {
	if c.shared == nil {
		do(c.ctx)
		return
	}
	done := c.begin()
	if done == nil {
		return
	}
	go func() {
		defer done()
		select {
		case c.asides <- struct{}{}:
			defer func() { <-c.asides }()
			do(c.ctx)
		case <-c.ctx.Done():
		}
	}()
}
