package storage

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"overcrank/coordinator/files"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore"
)

const (
	// proveEvery is how often all files are verified.
	proveEvery = 7 * 24 * time.Hour
	// proveLook is how often it is checked whether that is due.
	proveLook = 10 * time.Minute
	// provePace is how fast they are read, in bytes a second: a terabyte takes 17 hours and a hundredth of a processor.
	provePace = 16 << 20
	// keepPlaceEvery is how often a round's place is saved, so that it can resume after a restart.
	keepPlaceEvery = time.Minute
	// checkedFile is the file in which it is saved.
	checkedFile = "files.checked"
)

// provingPlace is the progress of a round that verifies all files.
type provingPlace struct {
	Begun time.Time `json:"begun"`
	Root  string    `json:"root,omitempty"` // "" when the round has ended
	Key   string    `json:"key,omitempty"`  // last verified
}

// prove verifies all files of known hash once a week, at a gentle pace. For a shared folder the leader does it. A bucket verifies its
// content itself, and charges for reads.
func (s *Storage) prove(ctx context.Context) {
	interval.Every(ctx, proveLook, func() {
		s.proofs.Review(ctx)
		if err := s.proveRound(ctx, provePace); err != nil && ctx.Err() == nil {
			s.log.Error("checking that the farm's files are what they were", "error", err)
		}
	})
}

// provesFiles reports whether this node verifies the files.
func (s *Storage) provesFiles() bool {
	if s.shared == nil {
		return true
	}
	_, moving := s.Move()
	return s.patient != nil && !moving && s.node.Leads()
}

// ProveNow continues a round, or begins one that is due, without a pace.
func (s *Storage) ProveNow(ctx context.Context) error { return s.proveRound(ctx, 0) }

// proveRound continues the current round, or begins one that is due.
func (s *Storage) proveRound(ctx context.Context, pace int64) error {
	place := recallPlace(s.cfg.DataDir)
	now := time.Now()
	if place.Root == "" && now.Sub(place.Begun).Abs() < proveEvery || !s.provesFiles() {
		return nil
	}
	if place.Root == "" {
		place = provingPlace{Begun: now, Root: provenRoots[0]}
	}
	kept := now
	for place.Root != "" {
		next, err := s.filesBehind(ctx, place)
		if err != nil {
			return err
		}
		for _, key := range next {
			if !s.provesFiles() {
				return keepPlace(s.cfg.DataDir, place)
			}
			if err := s.proveFile(ctx, key, pace); err != nil {
				return errors.Join(err, keepPlace(s.cfg.DataDir, place))
			}
			place.Key = key
			if time.Since(kept) > keepPlaceEvery {
				kept = time.Now()
				if err := keepPlace(s.cfg.DataDir, place); err != nil {
					return err
				}
			}
		}
		if len(next) == 0 {
			place.Root, place.Key = rootBehind(place.Root), ""
		}
	}
	return keepPlace(s.cfg.DataDir, place)
}

// listAtOnce is how many files are listed before they are read, so that a listing does not wait for reads.
const listAtOnce = 10_000

var errListed = errors.New("enough is listed")

// filesBehind lists the next files of a round.
func (s *Storage) filesBehind(ctx context.Context, place provingPlace) (keys []string, err error) {
	err = s.store.Walk(ctx, place.Root, func(o files.Object) error {
		switch {
		case strings.HasSuffix(o.Key, "/"), o.Key <= place.Key:
		case len(keys) == listAtOnce:
			return errListed
		default:
			keys = append(keys, o.Key)
		}
		return nil
	})
	if err != nil && !errors.Is(err, errListed) {
		return nil, fmt.Errorf("listing the farm's files: %w", err)
	}
	return keys, nil
}

// rootBehind is the root after another one, "" after the last.
func rootBehind(root string) string {
	if i := slices.Index(provenRoots, root); i >= 0 && i+1 < len(provenRoots) {
		return provenRoots[i+1]
	}
	return ""
}

// provenRoots lists the roots of files whose hash is known.
var provenRoots = []string{files.Blobs, files.Attempts, files.Outputs}

// proveFile verifies one file. A missing or unreadable file is not damage.
func (s *Storage) proveFile(ctx context.Context, key string, pace int64) error {
	kept, known, err := s.keptAs(key)
	if err != nil || !known {
		return err
	}
	err = s.proofs.Check(ctx, kept, pace)
	if ctx.Err() != nil || errors.Is(err, files.ErrUnreachable) {
		return err
	}
	if err != nil && !errors.Is(err, files.ErrNotFound) && !errors.Is(err, files.ErrDamaged) {
		s.log.Error("a file of the farm cannot be read", "file", key, "error", err)
	}
	return nil
}

// keptAs returns the expected content of a file, where it is known.
func (s *Storage) keptAs(key string) (kept files.Kept, known bool, err error) {
	kept = files.Kept{Key: key, SHA256: path.Base(key), Size: -1}
	name, isOutput := strings.CutPrefix(key, files.Outputs+"/")
	if !isOutput {
		_, err := files.BlobKey(kept.SHA256)
		return kept, err == nil, nil // other names are of files that are still arriving
	}
	var job farm.Job
	err = s.state.View(func(tx *raftstore.Tx) (err error) {
		job, err = tx.JobByOutput(name)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && (job.Output == nil || job.Output.SHA256 == "") {
		return kept, false, nil
	}
	if err != nil {
		return kept, false, err
	}
	kept.SHA256, kept.Size = job.Output.SHA256, job.Output.Size
	return kept, true, nil
}

// tellDamage logs a damaged file.
func (s *Storage) tellDamage(d files.Damage) {
	s.log.Error("a file of the farm is damaged: it is not what was kept, and is not given any more", "file", d.Key, "way out", wayOut(d.Key))
}

// wayOut is what to do about a damaged file.
func wayOut(key string) string {
	if strings.HasPrefix(key, files.Blobs+"/") {
		return "put it back from a backup, or have the same file uploaded again"
	}
	return "put it back from a backup, or have the job rendered again"
}

// mostDamagedNamed is how many damaged files a check names.
const mostDamagedNamed = 5

// CheckFiles reports the farm's files that were found damaged.
func (s *Storage) CheckFiles() farm.Check {
	const name = "files"
	damaged := s.proofs.Damaged()
	if len(damaged) == 0 {
		return farm.Passed(name, "none was found damaged")
	}
	words := make([]string, 0, mostDamagedNamed+1)
	for _, d := range damaged[:min(len(damaged), mostDamagedNamed)] {
		words = append(words, d.Key)
	}
	if more := len(damaged) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return farm.Check{Name: name, Warn: true, Found: DamageWords(len(damaged)) + ": " + strings.Join(words, ", ") + "; " + wayOut(damaged[0].Key)}
}

// DamageWords says that n of the farm's files are damaged.
func DamageWords(n int) string {
	if n == 1 {
		return "one of the farm's files is damaged and is not given any more"
	}
	return fmt.Sprintf("%d of the farm's files are damaged and are not given any more", n)
}

// recallPlace reads the place of the current round. Without a readable one a new round begins.
func recallPlace(dataDir string) (place provingPlace) {
	if err := durable.ReadJSON(filepath.Join(dataDir, checkedFile), &place); err != nil {
		return provingPlace{}
	}
	return place
}

func keepPlace(dataDir string, place provingPlace) error {
	if err := durable.WriteJSON(filepath.Join(dataDir, checkedFile), place, 0o600); err != nil {
		return fmt.Errorf("keeping which files were checked: %w", err)
	}
	return nil
}
