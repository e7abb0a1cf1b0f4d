package gossip

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"overcrank/farm/wire"
)

// crowd is so many members that know each other.
func crowd(tb testing.TB, n int) []*Pool {
	tb.Helper()
	members := make([]*Pool, n)
	head := config(wire.RoleCoordinator, "n0", 1)
	var err error
	if members[0], err = Join(head); err != nil {
		tb.Fatal(err)
	}
	for i := 1; i < n; i++ {
		if members[i], err = Join(config(wire.RoleAgent, fmt.Sprintf("a%d", i), 1, members[0].Address())); err != nil {
			tb.Fatal(err)
		}
	}
	tb.Cleanup(func() {
		var leaving sync.WaitGroup
		for _, p := range members {
			leaving.Go(func() {
				if err := p.Close(); err != nil {
					tb.Error(err)
				}
			})
		}
		leaving.Wait()
	})
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		met := 0
		for _, p := range members {
			met += len(p.Members())
		}
		if met == n*(n-1) {
			return members
		}
		if time.Now().After(end) {
			tb.Fatalf("%d members have met %d times of %d", n, met, n*(n-1))
		}
	}
}

// knowing counts the members that know the inventory of one of them.
func knowing(members []*Pool, of *Pool, inventory string) int {
	name, n := of.name(), 0
	for _, p := range members {
		p.mu.Lock()
		if p == of || p.alive[name].node.Inventory == inventory {
			n++
		}
		p.mu.Unlock()
	}
	return n
}

// spread changes what a member tells of itself and waits until all know it.
func spread(tb testing.TB, members []*Pool, who int, inventory string) time.Duration {
	tb.Helper()
	began := time.Now()
	node := members[who].cfg.Node
	node.Inventory, node.Engines = inventory, []string{"26.0.2", "25.6.0"}
	if err := members[who].Update(node); err != nil {
		tb.Fatal(err)
	}
	for knowing(members, members[who], inventory) < len(members) {
		if time.Since(began) > 3*time.Minute {
			tb.Fatalf("after three minutes %d of %d know it", knowing(members, members[who], inventory), len(members))
		}
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(began)
}

func TestAChangeIsKnownToAll(t *testing.T) {
	members := crowd(t, 12)
	for i, inventory := range []string{"0123456789abcdef", "fedcba9876543210"} {
		spread(t, members, 1+i, inventory)
	}
	node := members[3].cfg.Node
	node.ID, node.Inventory = "a4", "ffffffffffffffff"
	if err := members[3].Update(node); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a member that changes is still itself", func() bool { return knowing(members, members[3], "ffffffffffffffff") == len(members) })
	node.Version = string(make([]byte, 500))
	if err := members[3].Update(node); err == nil {
		t.Error("a summary that is too long was taken")
	}
}

// BenchmarkChangeKnownTo200 is the time until all of 200 members within one process know a change of one.
func BenchmarkChangeKnownTo200(b *testing.B) {
	members := crowd(b, 200)
	var longest time.Duration
	for i := 0; b.Loop(); i++ {
		longest = max(longest, spread(b, members, 1+i%199, fmt.Sprintf("%016x", i+1)))
	}
	b.ReportMetric(longest.Seconds(), "s/slowest")
}
