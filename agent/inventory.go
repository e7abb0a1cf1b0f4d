package agent

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"overcrank/agent/inventory"
	"overcrank/farm"
)

const (
	firstLook  = 2 * time.Second // for fonts and plug-ins at an agent's start, which they must not delay
	wholeLook  = 5 * time.Minute // for those of a machine with a slow disk
	lookAgain  = 5 * time.Minute // between two inventories
	askedEvery = 2 * time.Second // between looks for the file lookMark
)

// lookMark is the file in the data folder by which another process asks the agent to take its inventory now.
const lookMark = "look-again"

// AskToLook asks an agent that may be running with this data folder to take its machine's inventory again.
func AskToLook(dataDir string) error {
	return os.WriteFile(filepath.Join(dataDir, lookMark), nil, 0o600)
}

// inventoryWatch knows what the machine has, and finds out when that changes.
type inventoryWatch struct {
	mark     string
	log      *slog.Logger
	take     func(ctx context.Context, patience time.Duration) inventory.Report
	tags     func([]string)
	retagged chan struct{}    // the tags have changed
	changed  func()           // after now has changed
	signals  <-chan os.Signal // that ask for a look; may be nil

	whole bool // the last look was at everything
	has   atomic.Pointer[hashedInventory]
}

// hashedInventory is an inventory with its hash.
type hashedInventory struct {
	farm.Inventory
	hash string
}

// newInventoryWatch takes a first inventory.
func newInventoryWatch(ctx context.Context, cfg Config, system inventory.System) *inventoryWatch {
	taker := inventory.New(inventory.Config{
		System: system, DataDir: cfg.DataDir, Engine: cfg.Engine, Version: cfg.Version, Tags: cfg.Tags, Slots: cfg.Slots, Roots: cfg.Roots, Logger: cfg.Logger,
	})
	s := &inventoryWatch{
		mark: filepath.Join(cfg.DataDir, lookMark), log: cfg.Logger, take: taker.Take, tags: taker.Retag, retagged: make(chan struct{}, 1),
		signals: cfg.LookAgain, changed: func() {},
	}
	s.look(ctx, firstLook)
	return s
}

// now is what the machine has, as far as is known. It is not to be changed.
func (s *inventoryWatch) now() *hashedInventory { return s.has.Load() }

// retag gives the machine other tags.
func (s *inventoryWatch) retag(tags []string) {
	s.tags(tags)
	s.again()
}

// again has the next look be now.
func (s *inventoryWatch) again() {
	select {
	case s.retagged <- struct{}{}:
	default:
	}
}

// look takes an inventory and tells whether it is another one than before.
func (s *inventoryWatch) look(ctx context.Context, patience time.Duration) bool {
	began := time.Now()
	report := s.take(ctx, patience)
	if ctx.Err() != nil && s.now() != nil {
		return false // what an interrupted look found is not what is there
	}
	if report.NoFilms != nil {
		s.log.Warn("this machine cannot write films", "error", report.NoFilms)
	}
	s.whole = report.Whole
	before, after := s.now(), &hashedInventory{Inventory: report.Inventory, hash: report.Hash()}
	s.has.Store(after)
	s.log.Debug("inventory taken", "whole", report.Whole, "took", time.Since(began),
		"fonts", len(report.Fonts), "effects", len(report.Effects), "engines", len(report.Engines))
	return before == nil || before.hash != after.hash
}

// run looks again until ctx ends: every few minutes, when asked, and at once when the first look had no time for everything.
func (s *inventoryWatch) run(ctx context.Context) {
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	asked := time.NewTicker(askedEvery)
	defer asked.Stop()
	for {
		if s.whole {
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			case <-s.retagged:
			case <-s.signals:
				s.log.Info("taking the inventory again, as asked")
			case <-asked.C:
				if os.Remove(s.mark) != nil {
					continue
				}
				s.log.Info("taking the inventory again, as asked")
			}
		}
		if s.look(ctx, wholeLook) {
			has := s.now()
			s.log.Info("the inventory of this machine has changed", "fonts", len(has.Fonts), "effects", len(has.Effects), "engines", len(has.Engines))
			s.changed()
		}
		if ctx.Err() != nil {
			return
		}
		s.whole = true // what wholeLook does not suffice for waits until the next time
	}
}
