//go:build unix

package runner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"overcrank/agent/control"
	"overcrank/agent/presence"
	"overcrank/interval"
)

// socketName is the name of the socket to which runners connect.
const socketName = "session"

// maxOfAccount is how many connections an account may have open: one runner is enough, and another one may start while the first still ends. Any account
// may connect, and must not keep others out. All together may have maxConnections.
const (
	maxOfAccount   = 4
	maxConnections = 4 * maxRunners
)

// acceptAgain is how long the service waits after it could not take a connection, as when too many files are open.
const acceptAgain = time.Second

// peer is who is at the other end of a Unix socket, as the kernel says.
type peer struct{ uid, gid, pid int }

// attach listens for runners until ctx ends. The system starts them: a LaunchAgent on macOS, the desktop's autostart on Linux.
func (s *Sessions) attach(ctx context.Context) error {
	ln, err := control.Listen(s.cfg.DataDir, socketName)
	if err != nil {
		return err
	}
	return s.accept(ctx, ln)
}

// accept takes connections until ctx ends. A failure to take one is no reason to stop: runners of all people would stay away until the service restarts.
func (s *Sessions) accept(ctx context.Context, ln net.Listener) error {
	var calls sync.WaitGroup
	defer calls.Wait()
	stop := context.AfterFunc(ctx, func() { _ = ln.Close() }) // which ends Accept
	defer stop()
	failing := false // Accept, which was logged
	for {
		conn, err := ln.Accept()
		if ctx.Err() != nil {
			s.hangUp(conn)
			return nil
		}
		if errors.Is(err, net.ErrClosed) {
			return fmt.Errorf("listening for runners: %w", err)
		}
		if err != nil {
			if !failing {
				s.cfg.Log.Warn("cannot take the connection of a runner; trying again", "error", err)
			}
			failing = true
			_ = interval.Wait(ctx, acceptAgain) // the loop looks at ctx
			continue
		}
		failing = false
		who, err := peerOf(conn.(*net.UnixConn))
		if err != nil {
			s.cfg.Log.Warn("refusing a runner: the system does not tell its account", "error", err)
			s.hangUp(conn)
			continue
		}
		if !s.room(who.uid) {
			s.hangUp(conn)
			continue
		}
		calls.Go(func() {
			leave := context.AfterFunc(ctx, func() { s.hangUp(conn) })
			defer leave()
			defer s.left(who.uid)
			s.admit(conn, personOf(who.uid), who.gid, who.pid)
		})
	}
}

// hangUp closes a connection, if there is one. Nothing was written to it that could be lost.
func (s *Sessions) hangUp(conn net.Conn) {
	if conn != nil {
		_ = conn.Close()
	}
}

// room counts a connection of an account, if there is room for it; left counts it out.
func (s *Sessions) room(uid int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := 0
	for _, n := range s.connections {
		all += n
	}
	if s.connections[uid] >= maxOfAccount || all >= maxConnections {
		return false
	}
	s.connections[uid]++
	return true
}

func (s *Sessions) left(uid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.connections[uid]--; s.connections[uid] == 0 {
		delete(s.connections, uid)
	}
}

func personOf(uid int) presence.Person {
	who := presence.Person{ID: strconv.Itoa(uid)}
	if account, err := user.LookupId(who.ID); err == nil {
		who.Name = account.Username
	}
	return who
}

// callEvery is how long a runner waits before it connects again.
const callEvery = 2 * time.Second

// Run connects to the service of the agent with a data folder, again and again, until ctx ends: the service may not run yet, or may restart. It returns
// ErrAnother when the service has another version, so that whoever started this program can start that version.
func Run(ctx context.Context, dataDir string, with Session) error {
	told := "" // what was logged last
	for {
		err := call(ctx, dataDir, with)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrAnother):
			return err
		case !errors.Is(err, control.ErrNoAgent) && err.Error() != told:
			with.Log.Warn("the agent's service is not there", "error", err)
			told = err.Error()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(callEvery):
		}
	}
}

func call(ctx context.Context, dataDir string, with Session) error {
	conn, err := control.Dial(ctx, dataDir, socketName)
	if err != nil {
		return err
	}
	if err := trust(conn.(*net.UnixConn), os.Geteuid()); err != nil {
		return errors.Join(err, conn.Close())
	}
	return Serve(ctx, conn, with)
}

// trust fails unless the service at the other end of conn may use this account's rights: it has to be root's, this account's, or of the account to which
// root has given the socket's folder.
func trust(conn *net.UnixConn, own int) error {
	who, err := peerOf(conn)
	if err != nil {
		return fmt.Errorf("finding out the service's account: %w", err)
	}
	if who.uid == 0 || who.uid == own {
		return nil
	}
	path := conn.RemoteAddr().String()
	owner, err := givenTo(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("the service at %s belongs to account %d, and %w", path, who.uid, err)
	}
	if owner != who.uid {
		return fmt.Errorf("the service at %s belongs to account %d, but its folder to account %d", path, who.uid, owner)
	}
	return nil
}

// givenTo is the account to which root has given a folder. Only root can write to the folders above it, so nobody else can have replaced it.
func givenTo(dir string) (uid int, err error) {
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return 0, err
	}
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return 0, err
		}
		of := int(info.Sys().(*syscall.Stat_t).Uid)
		if at == dir {
			uid = of
		} else if of != 0 {
			return 0, fmt.Errorf("%s does not belong to root", at)
		}
		if info.Mode().Perm()&0o022 != 0 {
			return 0, fmt.Errorf("other accounts may write to %s", at)
		}
		if at == filepath.Dir(at) {
			return uid, nil
		}
	}
}
