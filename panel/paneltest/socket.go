package paneltest

import (
	"errors"
	"net"
	"os"
	"strings"
	"time"

	"github.com/dop251/goja"
)

// socket is ExtendScript's Socket over real TCP: characters are bytes, reads wait for all that was asked for, the end or the time.
type socket struct {
	conn net.Conn
	over bool
}

// newSocket gives scripts the methods of a socket. Times are in seconds.
func (a *AfterEffects) newSocket() *goja.Object {
	s := &socket{}
	a.sockets = append(a.sockets, s)
	o := a.rt.NewObject()
	for name, method := range map[string]any{"open": s.open, "close": s.close, "read": s.read, "write": s.write, "connected": s.connected} {
		if err := o.Set(name, method); err != nil {
			panic(err)
		}
	}
	return o
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func (s *socket) open(host string, timeout float64) bool {
	conn, err := net.DialTimeout("tcp", host, seconds(timeout))
	s.conn, s.over = conn, err != nil
	return err == nil
}

func (s *socket) close() bool {
	if s.conn == nil {
		return false
	}
	err := s.conn.Close()
	s.conn, s.over = nil, true
	return err == nil
}

func (s *socket) connected() bool { return s.conn != nil && !s.over }

func (s *socket) read(count int, timeout float64) (string, error) {
	if s.conn == nil {
		return "", nil
	}
	if count < 0 {
		count = 64 << 20
	}
	if err := s.conn.SetReadDeadline(time.Now().Add(seconds(timeout))); err != nil {
		return "", err
	}
	var text strings.Builder
	buffer := make([]byte, min(count, 64<<10))
	for got := 0; got < count; {
		n, err := s.conn.Read(buffer[:min(len(buffer), count-got)])
		for _, c := range buffer[:n] {
			text.WriteRune(rune(c))
		}
		got += n
		if err != nil {
			s.over = s.over || !errors.Is(err, os.ErrDeadlineExceeded)
			break
		}
	}
	return text.String(), nil
}

func (s *socket) write(text string, timeout float64) bool {
	if s.conn == nil {
		return false
	}
	bytes := make([]byte, 0, len(text))
	for _, r := range text {
		bytes = append(bytes, byte(r))
	}
	if err := s.conn.SetWriteDeadline(time.Now().Add(seconds(timeout))); err != nil {
		return false
	}
	_, err := s.conn.Write(bytes)
	return err == nil
}
