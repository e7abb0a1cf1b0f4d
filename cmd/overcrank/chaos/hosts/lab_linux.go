package hosts

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// mostHosts is what one byte of an address leaves room for, without the desk.
const mostHosts = 253

// Lab is a network of hosts, with this process itself as one of them.
type Lab struct {
	// Desk is this process's own network: what it dials and listens to passes through the switch like that of all others.
	Desk *Host

	mu     sync.Mutex
	hosts  []*Host
	wires  *wires
	opened sync.WaitGroup // readers of ports
	closed sync.Once
}

// New makes a network with the desk alone. It works in a process for which Missing gives "", and once at a time.
func New() (*Lab, error) {
	if reason := Missing(); reason != "" {
		return nil, fmt.Errorf("make hosts: %s", reason)
	}
	l := &Lab{wires: newWires()}
	l.Desk = l.next("desk")
	err := run("ip", "link", "add", "desk", "address", mac(l.Desk.number), "type", "veth", "peer", "name", "port1")
	if err == nil {
		err = l.plug(l.Desk, "desk", "port1")
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Add makes a host.
func (l *Lab) Add(name string) (*Host, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.hosts) > mostHosts {
		return nil, fmt.Errorf("make host %s: there are %d hosts, which is all that a network holds", name, len(l.hosts))
	}
	h := l.next(name)
	h.orders, h.quit, h.ended = make(chan func()), make(chan struct{}), make(chan struct{})
	ready := make(chan error, 1)
	go h.live(ready)
	if err := <-ready; err != nil {
		<-h.ended
		h.orders = nil
		return nil, fmt.Errorf("make host %s: %w", name, err)
	}
	outer := fmt.Sprintf("port%d", h.number)
	err := h.Do(func() error {
		return run("ip", "link", "add", "eth0", "address", mac(h.number), "type", "veth", "peer", "name", outer, "netns", fmt.Sprint(os.Getpid()))
	})
	if err == nil {
		err = l.plug(h, "eth0", outer)
	}
	if err != nil {
		return nil, fmt.Errorf("make host %s: %w", name, err)
	}
	return h, nil
}

// next is a host with the next free address.
func (l *Lab) next(name string) *Host {
	n := byte(len(l.hosts) + 1)
	h := &Host{Name: name, IP: netip.AddrFrom4([4]byte{10, 77, 0, n}), number: n}
	l.hosts = append(l.hosts, h)
	return h
}

// plug brings a host's link up and its other end into the switch.
func (l *Lab) plug(h *Host, inner, outer string) error {
	up := func() error {
		if err := run("ip", "address", "add", h.IP.String()+"/24", "dev", inner); err != nil {
			return err
		}
		if err := run("ip", "link", "set", "lo", "up"); err != nil {
			return err
		}
		return run("ip", "link", "set", inner, "up")
	}
	bring := h.Do
	if h.orders == nil {
		bring = func(f func() error) error { return f() }
	}
	if err := bring(up); err != nil {
		return err
	}
	if err := run("ip", "link", "set", outer, "up"); err != nil {
		return err
	}
	p, err := openPort(outer)
	if err != nil {
		return err
	}
	h.port = p
	l.wires.add(h.number, p)
	l.opened.Go(func() { p.read(func(frame []byte) { l.wires.carry(h.number, frame) }) })
	if err := carries(outer); err != nil {
		return err
	}
	return bring(func() error { return carries(inner) })
}

// carries waits until the kernel sends through a link: that its other end is up, it notes in its own time.
func carries(link string) error {
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		device, err := net.InterfaceByName(link)
		switch {
		case err != nil:
			return fmt.Errorf("find the link %s: %w", link, err)
		case device.Flags&net.FlagRunning != 0:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("the link %s does not come up", link)
		}
	}
}

// Set makes frames from one host to another suffer a fault, in this direction alone; the zero Fault ends it.
func (l *Lab) Set(from, to *Host, f Fault) { l.wires.set(from.number, to.number, f) }

// Between is Set in both directions.
func (l *Lab) Between(a, b *Host, f Fault) {
	l.Set(a, b, f)
	l.Set(b, a, f)
}

// Heal ends all faults.
func (l *Lab) Heal() { l.wires.heal() }

// Close ends all hosts, and with them the processes that were started there. It may be called twice.
func (l *Lab) Close() { l.closed.Do(l.close) }

func (l *Lab) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.hosts {
		h.close()
	}
	for _, h := range l.hosts {
		if h.port != nil {
			h.port.close()
		}
	}
	l.opened.Wait()
	l.wires.close()
	for _, h := range l.hosts {
		if h.port != nil {
			_ = run("ip", "link", "delete", h.port.link) // the kernel would take them some time after their namespaces
		}
	}
}

// mac is a locally administered address that tells the host's number.
func mac(number byte) string { return fmt.Sprintf("02:00:00:00:00:%02x", number) }
