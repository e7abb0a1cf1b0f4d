package runner

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"overcrank/agent/aerender"
	"overcrank/agent/presence"
)

// Whatever comes, a frame is read within its bounds, and what was read is written the same.
func FuzzReadFrame(f *testing.F) {
	hello, err := message(kindHello, 0, hello{Protocol: protocol, Version: "1"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(hello.append(nil))
	f.Add(frame{kind: kindOutput, stream: 3, content: []byte("PROGRESS: 1")}.append(nil))
	f.Add([]byte{byte(kindStart), 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := readFrame(bytes.NewReader(b))
		if err != nil {
			if len(got.content) > 0 {
				t.Errorf("with %v there is content", err)
			}
			return
		}
		if len(got.content) > got.kind.maxBytes() {
			t.Errorf("kind %d has %d bytes", got.kind, len(got.content))
		}
		if again := got.append(nil); !bytes.HasPrefix(b, again) {
			t.Errorf("%x was written as %x", b, again)
		}
	})
}

// talk lets a made-up runner speak with a service that has this person before the machine.
func talk(t *testing.T) (s *Sessions, theirs *line, done <-chan struct{}) {
	t.Helper()
	s = Open(Config{Version: "1", Engines: func() []string { return []string{"/ae"} }, Log: slog.New(slog.DiscardHandler)})
	s.see(presence.Person{ID: "1"}, true)
	here, there := net.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.admit(here, presence.Person{ID: "1"}, 1, 0)
	}()
	t.Cleanup(func() { there.Close(); <-ended })
	return s, newLine(there), ended
}

func greetAs(t *testing.T, theirs *line, h hello) welcome {
	t.Helper()
	if err := theirs.tell(kindHello, 0, h); err != nil {
		t.Fatal(err)
	}
	f, err := theirs.receive()
	if err != nil {
		t.Fatal(err)
	}
	var w welcome
	if err := f.read(&w); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestARunnerOfAnotherVersionIsSentAway(t *testing.T) {
	t.Parallel()
	s, theirs, done := talk(t)
	if w := greetAs(t, theirs, hello{Protocol: protocol, Version: "2"}); !w.Another || w.Refused == "" {
		t.Errorf("it is told %+v", w)
	}
	<-done
	if s.State().Lacks != noRunner {
		t.Errorf("the service says %q", s.State().Lacks)
	}
}

// A runner that does not keep to the protocol is hung up on, and what ran behind it counts as gone.
func TestARunnerThatBreaksTheProtocolIsHungUpOn(t *testing.T) {
	t.Parallel()
	flood := func(l *line) error {
		for range 4 * window / maxOutput { // a part goes into the pipe that nobody reads
			if err := l.send(frame{kind: kindOutput, stream: 1, content: make([]byte, maxOutput)}); err != nil {
				return err
			}
		}
		return nil
	}
	for name, misbehave := range map[string]func(*line) error{
		"more output than it may send": flood,
		"a frame of a service":         func(l *line) error { return l.tell(kindStart, 9, start{}) },
		"no JSON":                      func(l *line) error { return l.send(frame{kind: kindSeen, content: []byte("{")}) },
		"no frame": func(l *line) error {
			_, err := l.conn.Write(bytes.Repeat([]byte{0xee}, headerSize))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, theirs, done := talk(t)
			if w := greetAs(t, theirs, hello{Protocol: protocol, Version: "1"}); w.Refused != "" {
				t.Fatalf("refused: %s", w.Refused)
			}
			var seat *Seat
			for end := time.Now().Add(2 * time.Minute); seat == nil; time.Sleep(time.Millisecond) {
				var err error
				if seat, err = s.Enter(); err != nil && time.Now().After(end) {
					t.Fatal(err)
				}
			}
			unread, out, err := os.Pipe() // nobody reads what comes, so that credit is never given
			if err != nil {
				t.Fatal(err)
			}
			started := make(chan aerender.Process, 1)
			go func() {
				p, err := seat.Start(aerender.Command{Program: []string{"/ae", "-s", "1"}, Engine: "/ae", Dir: "/", Output: out})
				if err != nil {
					t.Error(err)
				}
				started <- p
			}()
			if f, err := theirs.receive(); err != nil || f.kind != kindStart || f.stream != 1 {
				t.Fatalf("the service says %+v, %v", f, err)
			}
			p := <-started
			go func() { _, _ = io.Copy(io.Discard, theirs.conn) }()
			if err := misbehave(theirs); err != nil && !errors.Is(err, io.ErrClosedPipe) {
				t.Error(err)
			}
			<-p.Exited()
			var gone *aerender.GoneError
			if _, err := p.Status(); !errors.As(err, &gone) {
				t.Errorf("what ran ended with %v", err)
			}
			unread.Close()
			<-done
		})
	}
}

// A service that asks for anything else than a runner does is hung up on.
func TestAServiceThatBreaksTheProtocolIsHungUpOn(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(context.Background(), here, Session{
			Version: "1", Engines: func(context.Context) []string { return nil }, Log: slog.New(slog.DiscardHandler),
		})
	}()
	theirs := newLine(there)
	if f, err := theirs.receive(); err != nil || f.kind != kindHello {
		t.Fatalf("the runner says %+v, %v", f, err)
	}
	if err := theirs.tell(kindWelcome, 0, welcome{}); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, there) }()
	if err := theirs.send(frame{kind: kindOutput, stream: 1, content: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, errProtocol) || !strings.Contains(err.Error(), "from the service") {
		t.Errorf("it ended with %v", err)
	}
	there.Close()
}
