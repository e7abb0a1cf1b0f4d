// Package internode connects the coordinators of a farm: one port, TLS 1.3, on which both sides present a certificate that the farm's
// authority issued to a coordinator. Raft's streams and HTTP share the port.
package internode

import (
	"cmp"
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

// The protocols on a connection, negotiated with ALPN (RFC 7301).
const (
	protocolRaft = "overcrank-raft"
	protocolHTTP = "http/1.1"
)

const (
	handshakeTimeout = 5 * time.Second
	headerTimeout    = 10 * time.Second
	keepIdle         = 90 * time.Second
	idlePerNode      = 64 // connections kept to each other node
	// raftWaiting is how many Raft connections may wait to be accepted.
	raftWaiting = 16
)

// Config configures a Port.
type Config struct {
	Bind    string // host:port; port 0 picks a free one
	Address string // host:port at which the others reach it; "" for the listener's address, with this machine's name if it listens on all addresses
	// Certificate is this node's own; Authorities issued the certificates it accepts. Both are called for each connection, so they may
	// change.
	Certificate func() (*tls.Certificate, error)
	Authorities func() *x509.CertPool
	// Era separates the Raft clusters before and after a recovery or restore: only nodes of the same era communicate.
	Era string
	// Strangers limits the connections of each address that have not authenticated yet; nil for no limit.
	Strangers *inbound.Gate
	Now       func() time.Time // for checking certificates; nil means time.Now

	handshake time.Duration // how long a handshake may take; 0 means handshakeTimeout
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

	web  chan net.Conn // HTTP connections on their way to the server
	ctx  context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	shaking map[net.Conn]struct{} // connections during the TLS handshake

	crowded, refused, short inbound.RareLog
}

// Open starts to listen. Connections are accepted once Serve is called, so that handlers can be registered first.
func Open(cfg Config) (*Port, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.handshake = cmp.Or(cfg.handshake, handshakeTimeout)
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
		Handler: p.mux, ReadHeaderTimeout: headerTimeout, IdleTimeout: 2 * keepIdle,
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

// reached is the address at which others reach a listener: 0.0.0.0 would lead each of them to itself.
func reached(at *net.TCPAddr) string {
	if at.IP.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			return net.JoinHostPort(name, strconv.Itoa(at.Port))
		}
	}
	return at.String()
}

// Address is the host:port at which other nodes reach this one.
func (p *Port) Address() string { return p.address }

// Handle registers a handler for HTTP requests of other nodes; patterns are those of http.ServeMux. Call it before Serve.
func (p *Port) Handle(pattern string, answer http.HandlerFunc) { p.mux.HandleFunc(pattern, answer) }

// Client sends requests to other nodes at https://<their cluster address>/…. It has no time limit: use a context with one.
func (p *Port) Client() *http.Client { return p.client }

// Raft is the transport of Raft's messages.
func (p *Port) Raft() *Raft { return p.raft }

// PeerOf is the id of the node that sent a request, from its certificate; "" without one.
func PeerOf(r *http.Request) string {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return ""
	}
	return r.TLS.PeerCertificates[0].Subject.CommonName
}

// Serve accepts connections until Close.
func (p *Port) Serve() {
	p.work.Go(p.accept)
	p.work.Go(func() {
		if err := p.server.Serve(handed{p}); !errors.Is(err, http.ErrServerClosed) && p.ctx.Err() == nil {
			p.cfg.Logger.Error("the coordinators' port has stopped serving", "error", err)
		}
	})
}

// Close closes the port and all its connections, and waits for their goroutines.
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

// accept accepts connections, and starts a goroutine for the handshake of each.
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
			p.short.Warn(p.cfg.Logger, "accepting a coordinator's connection", "error", err)
			select {
			case <-p.ctx.Done():
			case <-time.After(50 * time.Millisecond): // for example when the process has too many open files
			}
			continue
		}
		caller := inbound.Caller(conn.RemoteAddr().String())
		leave, err := p.cfg.Strangers.Enter(caller)
		if err != nil {
			p.crowded.Warn(p.cfg.Logger, "closed a connection to the coordinators' port: too many from this address have not authenticated", "address", caller, "error", err)
			_ = conn.Close()
			continue
		}
		p.work.Go(func() { p.take(conn, leave) })
	}
}

// take performs the TLS handshake, calls known, and passes the connection to Raft or HTTP.
func (p *Port) take(plain net.Conn, known func()) {
	conn := tls.Server(plain, p.serverTLS())
	p.mu.Lock()
	p.shaking[conn] = struct{}{}
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(p.ctx, p.cfg.handshake)
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

// handed is the listener of the HTTP server: it yields the connections from take.
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
