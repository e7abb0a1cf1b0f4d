package agent

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/agent/inventory"
	"overcrank/farm"
)

func TestAChangeOfTheMachineReachesTheFarm(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	cfg := Config{DataDir: t.TempDir(), Coordinators: []string{p.server.URL}, JoinToken: joinToken(t), Name: "studio", Logger: slog.New(slog.DiscardHandler)}
	if err := cfg.Complete(); err != nil {
		t.Fatal(err)
	}
	a, err := open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	var installed atomic.Bool
	a.inventory.take = func(context.Context, time.Duration) inventory.Report {
		inv := farm.Inventory{OS: "linux", Slots: 1, Engines: []farm.EngineInfo{{Kind: farm.EngineAfterEffects, Version: "26.3.0", Beta: true}, {Kind: farm.EngineAfterEffects, Version: "26.0.2"}}}
		for i := range 20_000 { // more than an enrolment may tell
			inv.Fonts = append(inv.Fonts, farm.FontUse{PostScript: fmt.Sprintf("%06d-%s", i, strings.Repeat("x", 60))})
		}
		if installed.Load() {
			inv.Fonts = append(inv.Fonts, farm.FontUse{PostScript: "Inter-Bold"})
		}
		return inventory.Report{Inventory: inv, Whole: true}
	}
	a.inventory.look(t.Context(), time.Minute)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.run(ctx) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	p.eventually("the farm knows what the machine has", func() bool { return len(p.stock) > 0 })
	before := a.summary()
	installed.Store(true)
	if err := AskToLook(cfg.DataDir); err != nil {
		t.Fatal(err)
	}
	p.eventually("the farm knows the new font", func() bool { return len(p.stock) == 2 && len(p.stock[1].Fonts) == 20_001 })
	if after := a.summary(); after.Inventory == before.Inventory || !slices.Equal(after.Engines, []string{"26.3.0b", "26.0.2"}) {
		t.Errorf("gossip told %+v, then %+v", before, after)
	}
	p.hangUp()
	p.eventually("the machine is back", func() bool { return len(p.hellos) >= 2 })
	if p.hellos[1].Inventory != p.stock[1].Hash() {
		t.Error("the second hello has another hash than what was told")
	}
}
