//go:build linux

package hosts_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"overcrank/cmd/overcrank/chaos/hosts"
)

func TestMain(m *testing.M) {
	if code, entered := hosts.Enter(); entered {
		os.Exit(code)
	}
	goleak.VerifyTestMain(m)
}

// network is a lab with some hosts.
func network(t *testing.T, names ...string) (*hosts.Lab, []*hosts.Host) {
	t.Helper()
	if reason := hosts.Missing(); reason != "" {
		t.Skip(reason)
	}
	lab, err := hosts.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	var all []*hosts.Host
	for _, name := range names {
		h, err := lab.Add(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	return lab, all
}

// echo answers on a host what it is sent, over TCP and UDP, until the test ends.
func echo(t *testing.T, h *hosts.Host) (tcp, udp string) {
	t.Helper()
	var ln net.Listener
	var packets net.PacketConn
	err := h.Do(func() (err error) {
		if ln, err = net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(h.IP, 0))); err != nil {
			return err
		}
		packets, err = net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(h.IP, 0)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var answering sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	answering.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(ctx, func() { conn.Close() })
			answering.Go(func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			})
		}
	})
	answering.Go(func() {
		for buffer := make([]byte, 1500); ; {
			n, from, err := packets.ReadFrom(buffer)
			if err != nil {
				return
			}
			_, _ = packets.WriteTo(buffer[:n], from)
		}
	})
	t.Cleanup(func() {
		ln.Close()
		packets.Close()
		stop()
		answering.Wait()
	})
	return ln.Addr().String(), packets.LocalAddr().String()
}

// dial opens a connection from a host, and gives up after some time.
func dial(t *testing.T, from *hosts.Host, kind, address string, wait time.Duration) (conn net.Conn, err error) {
	t.Helper()
	at := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))
	err = from.Do(func() (err error) {
		if kind == "udp" {
			conn, err = net.DialUDP("udp", nil, (*net.UDPAddr)(at))
			return err
		}
		conn, err = (&net.Dialer{Timeout: wait}).Dial(kind, address)
		return err
	})
	if err == nil {
		t.Cleanup(func() { conn.Close() })
	}
	return conn, err
}

// say sends a word and waits some time for its echo.
func say(conn net.Conn, word string, wait time.Duration) error {
	if _, err := io.WriteString(conn, word); err != nil {
		return err
	}
	if err := conn.SetReadDeadline(time.Now().Add(wait)); err != nil {
		return err
	}
	back := make([]byte, len(word))
	if _, err := io.ReadFull(conn, back); err != nil {
		return err
	}
	if string(back) != word {
		return fmt.Errorf("%q came back as %q", word, back)
	}
	return nil
}

// patience is how long tests wait for what should happen: many times what it takes, since a busy machine may stall any process.
const patience = 2 * time.Minute

// silence is how long they wait for what should not.
const silence = 500 * time.Millisecond

func TestHostsReachEachOther(t *testing.T) {
	lab, h := network(t, "a", "b")
	tcp, udp := echo(t, h[1])
	for _, kind := range []string{"tcp", "udp"} {
		address := map[string]string{"tcp": tcp, "udp": udp}[kind]
		conn, err := dial(t, h[0], kind, address, patience)
		if err != nil {
			t.Fatal(err)
		}
		if err := say(conn, "hello", patience); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if got := conn.RemoteAddr().(interface{ AddrPort() netip.AddrPort }).AddrPort().Addr(); got != h[1].IP {
			t.Errorf("%s: %s has %s", kind, h[1].Name, got)
		}
	}
	own, err := net.DialTimeout("tcp", tcp, patience)
	if err != nil {
		t.Fatal("from the desk:", err)
	}
	defer own.Close()
	if err := say(own, "hello", patience); err != nil {
		t.Error("from the desk:", err)
	}
	if lab.Desk.IP != own.LocalAddr().(*net.TCPAddr).AddrPort().Addr() {
		t.Errorf("the desk at %s dials from %s", lab.Desk.IP, own.LocalAddr())
	}
}

func TestMuchArrivesAsItWasSent(t *testing.T) {
	_, h := network(t, "a", "b")
	tcp, _ := echo(t, h[1])
	conn, err := dial(t, h[0], "tcp", tcp, patience)
	if err == nil {
		err = conn.SetDeadline(time.Now().Add(patience))
	}
	if err != nil {
		t.Fatal(err)
	}
	sent := bytes.Repeat([]byte("a frame is more than its checksum. "), 1<<18)
	failed := make(chan error, 1)
	go func() {
		_, err := conn.Write(sent)
		failed <- errors.Join(err, conn.(*net.TCPConn).CloseWrite())
	}()
	got, err := io.ReadAll(conn)
	if err := errors.Join(err, <-failed); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, sent) {
		t.Errorf("%d bytes were sent and %d others came back", len(sent), len(got))
	}
}

func TestACutIsSilentAndHealsWithItsConnections(t *testing.T) {
	lab, h := network(t, "a", "b", "c")
	tcp, _ := echo(t, h[1])
	conn, err := dial(t, h[0], "tcp", tcp, patience)
	if err != nil {
		t.Fatal(err)
	}
	if err := say(conn, "before", patience); err != nil {
		t.Fatal(err)
	}
	for _, cut := range []struct {
		name     string
		from, to *hosts.Host
	}{{"there", h[0], h[1]}, {"back", h[1], h[0]}} {
		lab.Set(cut.from, cut.to, hosts.Fault{Cut: true})
		if err := say(conn, cut.name, 300*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("with the way %s cut: %v", cut.name, err)
		}
		if _, err := dial(t, h[0], "tcp", tcp, silence); !isTimeout(err) {
			t.Errorf("with the way %s cut, a new connection: %v", cut.name, err)
		}
		if other, err := dial(t, h[2], "tcp", tcp, patience); err != nil {
			t.Errorf("with the way %s cut between two, the third: %v", cut.name, err)
		} else if err := say(other, "hello", patience); err != nil {
			t.Errorf("with the way %s cut between two, the third: %v", cut.name, err)
		}
		lab.Heal()
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		if back := make([]byte, len(cut.name)); !readAll(conn, back) || string(back) != cut.name {
			t.Errorf("after the way %s was mended, %q came", cut.name, back)
		}
	}
}

func readAll(conn net.Conn, into []byte) bool {
	_, err := io.ReadFull(conn, into)
	return err == nil
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

func TestDelayIsOfOneDirectionAndKeepsOrder(t *testing.T) {
	lab, h := network(t, "a", "b")
	_, udp := echo(t, h[1])
	conn, err := dial(t, h[0], "udp", udp, patience)
	if err != nil {
		t.Fatal(err)
	}
	if err := say(conn, "who has it?", patience); err != nil { // so that neither has to be asked for its hardware address
		t.Fatal(err)
	}
	const delay = 80 * time.Millisecond
	lab.Set(h[0], h[1], hosts.Fault{Delay: delay, Jitter: 40 * time.Millisecond})
	began := time.Now()
	const many = 30
	for i := range many {
		fmt.Fprintf(conn, "%02d", i)
	}
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	for i := range many {
		word := make([]byte, 2)
		if _, err := conn.Read(word); err != nil || string(word) != fmt.Sprintf("%02d", i) {
			t.Fatalf("in place %d came %q, %v", i, word, err)
		}
		if took := time.Since(began); i == 0 && took < delay {
			t.Errorf("the first came after %v, and every frame takes %v", took, delay)
		}
	}
}

func TestLossLosesAPartAndTCPGoesOn(t *testing.T) {
	lab, h := network(t, "a", "b")
	tcp, udp := echo(t, h[1])
	stream, err := dial(t, h[0], "tcp", tcp, patience)
	if err != nil {
		t.Fatal(err)
	}
	packets, err := dial(t, h[0], "udp", udp, patience)
	if err != nil {
		t.Fatal(err)
	}
	lab.Set(h[0], h[1], hosts.Fault{Loss: 0.5})
	came := 0
	const many = 300
	for range many {
		if say(packets, "x", 10*time.Millisecond) == nil {
			came++
		}
	}
	if came == 0 || came > many*3/4 {
		t.Errorf("of %d packets, half of which are lost, %d came", many, came)
	}
	lab.Set(h[0], h[1], hosts.Fault{Loss: 0.1})
	for range 20 {
		if err := say(stream, "all the same", patience); err != nil {
			t.Fatal(err)
		}
	}
}

func TestProcessesSeeTheirOwnHostAndEndWithIt(t *testing.T) {
	lab, h := network(t, "a", "b")
	var out bytes.Buffer
	show := exec.Command("ip", "-brief", "-4", "address")
	show.Stdout = &out
	if err := h[0].Start(show); err != nil {
		t.Fatal(err)
	}
	if err := show.Wait(); err != nil || !strings.Contains(out.String(), h[0].IP.String()) || strings.Contains(out.String(), h[1].IP.String()) {
		t.Errorf("host %s at %s sees %v:\n%s", h[0].Name, h[0].IP, err, &out)
	}
	sleeper := exec.Command("sleep", "1000")
	if err := h[1].Start(sleeper); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = sleeper.Wait()
		close(ended)
	}()
	lab.Close()
	select {
	case <-ended:
	case <-time.After(patience):
		_ = sleeper.Process.Kill()
		t.Error("a process outlived its host")
	}
}
