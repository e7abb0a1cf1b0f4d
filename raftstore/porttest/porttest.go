// Package porttest gives tests addresses of this machine for servers that are killed and listen again. A port that the system chose and
// that was closed since is anybody's; these lie below those that systems choose, and each process has its own.
package porttest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

const (
	first  = 20000
	size   = 200 // ports of a process
	blocks = 60
)

// block is the ports of one process. The first of them is listened at as long as the process lives, which keeps others away.
type block struct {
	guard net.Listener
	base  int

	mu   sync.Mutex
	last int // given out, counted from base
}

var own = sync.OnceValues(func() (*block, error) {
	for _, n := range rand.Perm(blocks) {
		base := first + n*size
		if guard, err := net.Listen("tcp", address(base)); err == nil {
			return &block{guard: guard, base: base}, nil
		}
	}
	return nil, fmt.Errorf("all ports from %d to %d are in use", first, first+blocks*size-1)
})

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// Address is one at which nobody listens, and which nobody else gets for long.
func Address(t testing.TB) string {
	t.Helper()
	b, err := own()
	if err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for range size - 1 {
		b.last = b.last%(size-1) + 1
		candidate := address(b.base + b.last)
		if listener, err := net.Listen("tcp", candidate); err == nil {
			_ = listener.Close()
			return candidate
		}
	}
	t.Fatalf("all ports from %d to %d are in use", b.base+1, b.base+size-1)
	return ""
}
