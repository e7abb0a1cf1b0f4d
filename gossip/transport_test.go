package gossip

import (
	"encoding/binary"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/memberlist"

	"overcrank/farm/wire"
	"overcrank/inbound"
	"overcrank/inbound/inboundtest"
)

// encrypted is the first byte of a message that is, and mostAnnounced the length in bytes beyond which memberlist refuses one by itself.
const (
	encrypted     = 10
	mostAnnounced = 20 << 20
)

// TestStrangersStreamsAreBounded has a stranger, without a key, open as many streams as he can and send in each of them as much as memberlist
// would take, while a member calls another.
func TestStrangersStreamsAreBounded(t *testing.T) {
	cfg := config(wire.RoleCoordinator, "n1", 1)
	cfg.Streams = inbound.NewGate(8, 0)
	head := join(t, cfg)
	agent := join(t, config(wire.RoleAgent, "a1", 1))
	over := make(chan struct{})
	most := make(chan int, 1)
	var watching, strangers sync.WaitGroup
	watching.Go(func() {
		seen := 0
		for {
			select {
			case <-over:
				most <- seen
				return
			case <-time.After(time.Millisecond):
				seen = max(seen, head.streams.received.Open())
			}
		}
	})
	for range 40 {
		strangers.Go(func() {
			for once := true; once || head.streams.gate.Refused() == 0; once = false { // what is cut off soon leaves room for the next
				pour(t, head.Address())
			}
		})
	}
	for head.streams.gate.Refused() == 0 {
		time.Sleep(time.Millisecond)
	}
	call(t, agent, head)
	strangers.Wait()
	close(over)
	watching.Wait()
	held := <-most
	if held == 0 || held > maxAddressBytes+64<<10 {
		t.Errorf("%d bytes of a stranger are held, want %d at most", held, maxAddressBytes)
	}
	eventually(t, "nothing is held of those who have gone", func() bool { return head.streams.received.Open() == 0 })
	if len(head.Members()) != 1 {
		t.Errorf("the pool knows %v", head.Members())
	}
}

// pour opens a stream as a stranger, announces a large message and sends it, and makes sure that it is not taken whole.
func pour(t *testing.T, address string) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 3)}}
	conn, err := dialer.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	if memberlist.AddLabelHeaderToStream(conn, "test") != nil {
		return // it was closed at once
	}
	message := binary.BigEndian.AppendUint32([]byte{encrypted}, mostAnnounced)
	for sent := 0; sent < mostAnnounced; sent += len(message) {
		if _, err := conn.Write(message); err != nil {
			return
		}
		message = make([]byte, 256<<10)
	}
	if err := conn.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Error(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("a message of 20 MiB was taken and answered")
	}
}

// call has one member exchange states with another several times, each within the time that members give each other.
func call(t *testing.T, from, to *Pool) {
	t.Helper()
	for range 9 {
		inboundtest.Promptly(t, func() {
			if _, err := from.list.Join([]string{to.Address()}); err != nil {
				t.Fatal(err)
			}
		})
	}
}
