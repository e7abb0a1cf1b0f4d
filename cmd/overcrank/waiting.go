package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"overcrank/api"
	"overcrank/coordinator"
	"overcrank/durable"
	"overcrank/farm"
)

const (
	// patience is how long callers wait in the listener's line while the farm is being opened; after that they are told to wait.
	patience = 2 * time.Second
	// openAgain and openAgainMost are the pauses between two tries to open a farm.
	openAgain     = 500 * time.Millisecond
	openAgainMost = 10 * time.Second
)

// waitingRoom is where callers are while the farm cannot be opened.
type waitingRoom struct {
	listener net.Listener
	studio   func() (*tls.Certificate, error) // nil without a certificate of the studio's own
	logger   *slog.Logger

	mu     sync.Mutex
	reason error
	stop   func() // nil while nobody is answered
}

// openFarm opens a coordinator. As long as a cause that may pass by itself keeps it from that, such as a disk that is full, it
// tries again, and callers are told the reason. Nobody serves on the listener when it returns.
func (w *waitingRoom) openFarm(ctx context.Context, cfg coordinator.Config) (*coordinator.Coordinator, error) {
	w.because(fmt.Errorf("the farm in %s is being opened", cfg.DataDir))
	late := time.AfterFunc(patience, w.open)
	defer w.close()
	defer late.Stop()
	for wait := openAgain; ; wait = min(2*wait, openAgainMost) {
		opened, err := coordinator.Open(ctx, cfg)
		if err == nil || !mayPass(err) || ctx.Err() != nil {
			return opened, err
		}
		err = fmt.Errorf("the farm in %s cannot be opened: %w; it is tried again until it can", cfg.DataDir, err)
		w.because(err)
		w.open()
		w.logger.Error("this coordinator serves nothing yet", "reason", err, "again in", wait)
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// mayPass tells causes that may pass while the process waits from those that need another start: a damaged file, a folder that is
// another farm's, a port that is taken.
func mayPass(err error) bool {
	return durable.Blocked(err) || farm.CodeOf(err) == farm.CodeUnavailable
}

func (w *waitingRoom) because(reason error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reason = reason
}

func (w *waitingRoom) checks() []farm.Check {
	w.mu.Lock()
	defer w.mu.Unlock()
	return []farm.Check{farm.Failed("start", farm.Errorf(farm.CodeUnavailable, "%w", w.reason))}
}

// open begins to answer callers.
func (w *waitingRoom) open() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil {
		return
	}
	lent := &lentListener{Listener: w.listener}
	secure := &tls.Config{MinVersion: tls.VersionTLS13, NextProtos: []string{"http/1.1"}}
	if w.studio != nil {
		secure.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return w.studio() }
	}
	server := &http.Server{Handler: api.Waiting(w.checks), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 5 * time.Second, ErrorLog: slog.NewLogLogger(w.logger.Handler(), slog.LevelDebug)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(api.TLS(lent, secure, w.logger)) }()
	w.stop = func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = errors.Join(server.Shutdown(ctx), server.Close()) // whoever still waits comes again
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			w.logger.Debug("the address of a coordinator that waits was served no more", "error", err)
		}
		lent.giveBack()
	}
}

// close ends answering, also for a call of open that is yet to come.
func (w *waitingRoom) close() {
	w.mu.Lock()
	stop := w.stop
	w.stop = func() {}
	w.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// lentListener is a listener that another server goes on with: closing it only ends Accept.
type lentListener struct {
	net.Listener
	closed atomic.Bool
}

// Accept implements net.Listener.
func (l *lentListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil && l.closed.Load() {
		return nil, net.ErrClosed
	}
	return conn, err
}

// Close implements net.Listener.
func (l *lentListener) Close() error {
	l.closed.Store(true)
	return l.deadline(time.Now())
}

// giveBack makes the listener one that accepts again.
func (l *lentListener) giveBack() { _ = l.deadline(time.Time{}) }

func (l *lentListener) deadline(at time.Time) error {
	if tcp, ok := l.Listener.(*net.TCPListener); ok {
		return tcp.SetDeadline(at)
	}
	return errors.New("the listener is none of TCP")
}
