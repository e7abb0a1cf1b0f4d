// Package internode is how the coordinators of a farm speak with each other: one port of their own, TLS 1.3, on which both
// sides show a certificate that the farm's authority made for a coordinator. Raft's streams and ordinary HTTP share it.
package internode

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"overcrank/inbound"
)

// What a connection is for, as its two sides agree on with ALPN (RFC 7301).
const (
	protocolRaft = "overcrank-raft"
	protocolHTTP = "http/1.1"
)

const (
	handshakeWithin = 5 * time.Second
	headerWithin    = 10 * time.Second
	keepIdle        = 90 * time.Second
	idlePerNode     = 64 // connections kept to each other node
	// raftWaiting is how many Raft connections may wait to be taken up.
	raftWaiting = 16
)

// Config says who this node is towards the others.
type Config struct {
	Bind    string // host:port; port 0 takes a free one
	Address string // host:port at which the others reach it; "" means where it listens, by this machine's name when that is everywhere
	// Certificate is this node's own, in force now; Authorities are whose certificates are believed. Both are asked for each
	// connection, so that they may change.
	Certificate func() (*tls.Certificate, error)
	Authorities func() *x509.CertPool
	// Era sets apart the Rafts before and after the farm was recovered or restored: only nodes of one era hear each other's.
	Era string
	// Strangers counts the connections of each address whose other side has not shown yet who it is; nil sets no bound.
	Strangers *inbound.Gate
	Now       func() time.Time // by which certificates are judged; nil means time.Now
	Logger    *slog.Logger
}

// Port is a node's open port. It is safe for concurrent use.
type Port struct {
	cfg      Config
	listener net.Listener
	address  string
	raft     *Raft
	mux      *http.ServeMux
	server   *http.Server
	client   *http.Client

	web  chan net.Conn // connections with HTTP, on their way to the server
	ctx  context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	shaking map[net.Conn]struct{} // connections whose TLS is being agreed on

	crowded, refused, short inbound.RareLog
}

// Open begins to listen; connections are taken up once Serve is called, so that everything may be registered before.
func Open(cfg Config) (*Port, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	listener, err := net.Listen("tcp", cfg.Bind)
	if err != nil {
		return nil, fmt.Errorf("open the coordinators' port %s: %w", cfg.Bind, err)
	}
	p := &Port{cfg: cfg, listener: listener, address: cfg.Address, mux: http.NewServeMux(), web: make(chan net.Conn), shaking: map[net.Conn]struct{}{}}
	if p.address == "" {
		p.address = reached(listener.Addr().(*net.TCPAddr))
	}
	p.ctx, p.end = context.WithCancel(context.Background())
	p.raft = newRaft(p)
	p.server = &http.Server{
		Handler: p.mux, ReadHeaderTimeout: headerWithin, IdleTimeout: 2 * keepIdle,
		ErrorLog: slog.NewLogLogger(cfg.Logger.Handler(), slog.LevelDebug), BaseContext: func(net.Listener) context.Context { return p.ctx },
	}
	p.client = &http.Client{Transport: &http.Transport{
		DialTLSContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return p.dial(ctx, address, protocolHTTP)
		},
		MaxIdleConnsPerHost: idlePerNode, IdleConnTimeout: keepIdle, DisableCompression: true,
	}}
	return p, nil
}

// reached is where others may reach who listens at an address: 0.0.0.0 would lead each of them to itself.
func reached(at *net.TCPAddr) string {
	if at.IP.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			return net.JoinHostPort(name, strconv.Itoa(at.Port))
		}
	}
	return at.String()
}

// Address is where the other nodes reach this one, host:port.
func (p *Port) Address() string { return p.address }

// Handle answers requests with HTTP of other nodes; patterns are those of http.ServeMux. It is called before Serve.
func (p *Port) Handle(pattern string, answer http.HandlerFunc) { p.mux.HandleFunc(pattern, answer) }

// Client asks other nodes at https://<their cluster address>/…. It has no time limit: give requests a context that ends.
func (p *Port) Client() *http.Client { return p.client }

// Raft is the way of Raft's own messages.
func (p *Port) Raft() *Raft { return p.raft }

// PeerOf is the id of the node that sent a request, as its certificate names it.
func PeerOf(r *http.Request) string {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return ""
	}
	return r.TLS.PeerCertificates[0].Subject.CommonName
}

// Serve takes connections up until Close.
func (p *Port) Serve() {
	p.work.Go(p.accept)
	p.work.Go(func() {
		if err := p.server.Serve(handed{p}); !errors.Is(err, http.ErrServerClosed) && p.ctx.Err() == nil {
			p.cfg.Logger.Error("the coordinators' port serves no more", "error", err)
		}
	})
}

// Close ends the port and all its connections, and waits for those who serve them.
func (p *Port) Close() error {
	p.end()
	err := p.listener.Close()
	p.mu.Lock()
	for conn := range p.shaking {
		_ = conn.Close()
	}
	p.mu.Unlock()
	p.raft.shut()
	err = errors.Join(err, p.server.Close())
	p.client.CloseIdleConnections()
	p.work.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// accept takes connections, and leaves each with a goroutine until it is known what it is for.
func (p *Port) accept() {
	for {
		conn, err := p.listener.Accept()
		if p.ctx.Err() != nil {
			if err == nil {
				_ = conn.Close()
			}
			return
		}
		if err != nil {
			p.short.Warn(p.cfg.Logger, "taking a coordinator's connection", "error", err)
			select {
			case <-p.ctx.Done():
			case <-time.After(50 * time.Millisecond): // as when the process has no room for another file
			}
			continue
		}
		caller := inbound.Caller(conn.RemoteAddr().String())
		leave, err := p.cfg.Strangers.Enter(caller)
		if err != nil {
			p.crowded.Warn(p.cfg.Logger, "closed a connection to the coordinators' port: too many have not shown who they are", "address", caller, "error", err)
			_ = conn.Close()
			continue
		}
		p.work.Go(func() { p.take(conn, leave) })
	}
}

// take agrees on TLS, calls known, and hands the connection to whom it is for.
func (p *Port) take(plain net.Conn, known func()) {
	conn := tls.Server(plain, p.serverTLS())
	p.mu.Lock()
	p.shaking[conn] = struct{}{}
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(p.ctx, handshakeWithin)
	err := conn.HandshakeContext(ctx)
	cancel()
	p.mu.Lock()
	delete(p.shaking, conn)
	p.mu.Unlock()
	known()
	if err != nil {
		_ = conn.Close()
		if p.ctx.Err() == nil {
			p.refused.Warn(p.cfg.Logger, "refused a connection to the coordinators' port", "from", plain.RemoteAddr(), "error", err)
		}
		return
	}
	to := p.web
	if conn.ConnectionState().NegotiatedProtocol != protocolHTTP {
		to = p.raft.incoming
	}
	select {
	case to <- conn:
	case <-p.ctx.Done():
		_ = conn.Close()
	}
}

// handed is the listener of the HTTP server.
type handed struct{ p *Port }

func (h handed) Accept() (net.Conn, error) {
	select {
	case conn := <-h.p.web:
		return conn, nil
	case <-h.p.ctx.Done():
		return nil, net.ErrClosed
	}
}

func (h handed) Close() error   { return nil }
func (h handed) Addr() net.Addr { return h.p.listener.Addr() }
