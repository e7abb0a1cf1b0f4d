package node

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/term"

	"overcrank/api"
	"overcrank/api/public"
	"overcrank/api/throttle"
	"overcrank/cmd/overcrank/previewing"
	"overcrank/cmd/overcrank/process"
	"overcrank/cmd/overcrank/reading"
	"overcrank/coordinator"
	"overcrank/coordinator/reader"
	"overcrank/farm/address"
	"overcrank/inbound"
	"overcrank/web"
	"overcrank/web/language"
)

const (
	// handOverWithin is how long a coordinator that stops waits until another one leads.
	handOverWithin = 5 * time.Second
	// answerWithin is how long a coordinator that stops waits for requests in progress.
	answerWithin = 5 * time.Second
	// tlsWithin is how long a TLS handshake waits for a coordinator that is being opened for the first time, which has no certificate yet.
	tlsWithin = 5 * time.Second
)

// node is a process that runs a coordinator. The address at which it listens stays; a reload of the settings replaces the coordinator
// behind it.
type node struct {
	logger   *slog.Logger
	program  process.Program
	faults   machineFaults
	bounds   bounds
	listener net.Listener
	front    *api.Front
	address  string        // base address for callers, at the start
	local    string        // base address for processes of this machine
	ended    chan struct{} // closed when the node no longer listens
	failure  error         // why it no longer listens; read it once ended is closed

	secure atomic.Pointer[tls.Config] // nil before the first coordinator is open, unless the studio has a certificate of its own
	opened chan struct{}              // closed when the first coordinator is open

	// What follows belongs to the goroutine that runs the node.
	settings     settings       // in force
	hangUp       chan os.Signal // receives SIGHUP
	inTerminal   bool           // it was started in a terminal
	terminalGone bool           // and that terminal was closed

	mu  sync.Mutex
	now *service // that was opened last; nil before the first
}

// service is a coordinator with its API and dashboard.
type service struct {
	farm             *coordinator.Coordinator
	app              *fiber.App
	secure           *tls.Config
	stopAPI, stopWeb func()
	stopFollowing    context.CancelFunc
	following        sync.WaitGroup // waits for the goroutine that follows the studio's certificate
	endOnce          sync.Once      // of endSockets
}

// start listens, begins to serve, and opens the coordinator. Requests wait until it is open.
func start(ctx context.Context, settings settings, program process.Program, logger *slog.Logger) (*node, error) {
	f := settings.flags
	coordinator.PaceProcess()
	coordinator.SampleProcess()
	if err := f.prepareFolder(ctx, program.Version, logger); err != nil {
		return nil, err
	}
	held, err := f.bounds()
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", f.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w (choose another address with --listen)", f.Listen, err)
	}
	n := &node{
		logger: logger, program: program, faults: machine(ctx, logger), bounds: held, listener: ln, front: api.NewFront(logger, beingOpened(f.DataDir)),
		ended: make(chan struct{}), opened: make(chan struct{}), settings: settings, hangUp: listenForReload(), inTerminal: term.IsTerminal(int(os.Stdin.Fd())),
	}
	n.address, n.local = addresses(ln.Addr().(*net.TCPAddr), f)
	go func() {
		defer close(n.ended)
		secure := &tls.Config{MinVersion: tls.VersionTLS13, GetConfigForClient: n.tls}
		n.failure = n.front.Serve(api.TLS(inbound.Listen(ln, held.port, logger), secure, logger))
	}()
	if err := n.openRetrying(ctx); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			err = unusable(f.DataDir, err)
		} else {
			err = fmt.Errorf("open the farm in %s: %w", f.DataDir, err)
		}
		return nil, errors.Join(err, n.shut())
	}
	return n, nil
}

// tls is the TLS configuration for a new connection.
func (n *node) tls(*tls.ClientHelloInfo) (*tls.Config, error) {
	if now := n.secure.Load(); now != nil {
		return now, nil
	}
	select {
	case <-n.opened:
		return n.secure.Load(), nil
	case <-time.After(tlsWithin):
		return nil, errors.New("this coordinator has no certificate until its farm is open")
	}
}

// service is the service that was opened last.
func (n *node) service() *service {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now
}

// farm is the coordinator that was opened last.
func (n *node) farm() *coordinator.Coordinator { return n.service().farm }

// open opens a coordinator with the flags f and passes requests to it.
func (n *node) open(ctx context.Context, f Flags) error {
	at := n.listener.Addr().(*net.TCPAddr)
	own, _ := addresses(at, f)
	policy, err := f.mayAsk(own)
	if err != nil {
		return err
	}
	program, err := reading.Program()
	if err != nil {
		return err
	}
	specimens, err := reading.FontProgram()
	if err != nil {
		return err
	}
	previewer, err := previewing.Program()
	if err != nil {
		return err
	}
	mailer, err := f.mailer()
	if err != nil {
		return err
	}
	signOn, err := f.signOn()
	if err != nil {
		return err
	}
	studio, err := f.openStudioCertificate(n.logger, n.faults.now)
	if err != nil {
		return err
	}
	if studio != nil && n.secure.Load() == nil {
		n.secure.Store(&tls.Config{MinVersion: tls.VersionTLS13, NextProtos: []string{"http/1.1"},
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return studio.current() }})
	}
	head, err := coordinator.Open(ctx, coordinator.Config{
		DataDir: f.DataDir, Storage: f.Storage, StorageCredentials: f.StorageKeys,
		PublicAddress: strings.TrimSuffix(f.PublicAddress, "/"), NodeAddress: own, GossipBind: f.gossip(), GossipElsewhere: f.GossipListen == "",
		CACertificate: f.CACert, CAKey: f.CAKey, Checks: studio.checks,
		ClusterListen: f.ClusterListen, ClusterAddress: f.ClusterAddr, Join: f.nodes(), GossipSeeds: f.GossipJoin, BootstrapExpect: f.BootstrapExpect,
		PromoteAfter: f.PromoteAfter, RemoveDeadAfter: f.RemoveDeadAfter,
		MinFree: f.MinFree, Lease: f.Lease, Version: n.program.Version, Logger: n.logger, Addresses: policy, Mail: mailer, Teller: language.Teller{}, SingleSignOn: signOn,
		Protocol: n.program.Protocol, ReleaseRoots: f.ReleaseRoots, PackageDir: f.packageDir(),
		RedactAfter: f.RedactAfter, KeepOutputs: f.KeepOutputs, KeepHistory: f.KeepHistory, KeepAudit: f.KeepAudit, DescribeJob: public.DescribeJob,
		Now: n.faults.now, BeforeSync: n.faults.beforeSync, Gates: n.bounds.gates,
		Reader: program, Reading: reader.Bounds{Memory: f.ReadingMemory, Within: f.ReadingTime},
		Specimens: specimens, Previewer: previewer, Strangers: n.bounds.strangers, GossipStreams: n.bounds.streams,
	})
	if err != nil {
		return err
	}
	teams := throttle.New(throttle.Limit{PerSecond: f.RateLimit, Burst: f.RateBurst})
	s := &service{farm: head, app: api.NewApp(n.logger, n.bounds.proxies...), secure: head.TLS(nodeNames(at, f), studio.source())}
	s.stopAPI = api.Mount(s.app, api.Config{
		RequireTLS: f.RequireTLS, TeamsResults: f.Outputs == "signed-in", Browser: web.Reader(head),
		Farm: head, Version: n.program.Version, Logger: n.logger, Teams: teams, Followers: n.bounds.follow, Bodies: n.bounds.bodies,
	})
	s.stopWeb = web.Mount(s.app, web.Config{Farm: head, Version: n.program.Version, Logger: n.logger, Teams: teams, Followers: n.bounds.follow, Demo: demo()})
	following, stop := context.WithCancel(context.Background())
	s.stopFollowing = stop
	if studio != nil {
		s.following.Go(func() { studio.follow(following) })
	}
	n.use(s)
	return nil
}

// use passes requests to a service from now on.
func (n *node) use(s *service) {
	n.mu.Lock()
	first := n.now == nil
	n.now = s
	n.mu.Unlock()
	n.secure.Store(s.secure)
	n.front.Open(s.app)
	if first {
		close(n.opened)
	}
}

// closeService closes the service in use: first its sockets, then, once requests in progress are answered, its coordinator. New requests
// wait meanwhile.
func (n *node) closeService(dataDir string) error {
	s := n.service()
	drained := n.front.Hold(beingOpened(dataDir))
	s.endSockets()
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	drained(ctx)
	cancel()
	return s.close()
}

// endSockets closes websockets and streams of events, which would stay open for long.
func (s *service) endSockets() {
	s.endOnce.Do(func() {
		s.stopWeb()
		s.stopAPI()
	})
}

// close closes the coordinator, and stops following the studio's certificate.
func (s *service) close() error {
	s.stopFollowing()
	s.following.Wait()
	return s.farm.Close()
}

// stop hands the lead to another coordinator, and closes sockets, server and coordinator, in this order.
func (n *node) stop() error {
	n.handOver()
	s := n.service()
	s.endSockets()
	return errors.Join(n.shut(), s.close())
}

// handOver has another coordinator lead, if this one does, before it closes.
func (n *node) handOver() {
	ctx, cancel := context.WithTimeout(context.Background(), handOverWithin)
	defer cancel()
	n.farm().TakeLeave(ctx)
}

// shut stops listening and waits for the server to end.
func (n *node) shut() error {
	signal.Stop(n.hangUp)
	shutdown := n.front.Shutdown(answerWithin)
	if errors.Is(shutdown, context.DeadlineExceeded) {
		shutdown = nil // connections that are still open end with the process
	}
	_ = n.listener.Close() // Shutdown does nothing to a server that does not serve yet
	<-n.ended
	return errors.Join(n.failure, shutdown)
}

// addresses returns the base address at which other machines reach this coordinator, and the one for processes on this machine.
func addresses(a *net.TCPAddr, f Flags) (own, local string) {
	port := fmt.Sprint(a.Port)
	host, localHost := a.IP.String(), a.IP.String()
	if a.IP.IsUnspecified() {
		localHost = "127.0.0.1"
		host = localHost
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	local = "http://" + net.JoinHostPort(localHost, port)
	if set := cmp.Or(f.NodeAddress, f.PublicAddress); set != "" {
		return strings.TrimSuffix(set, "/"), local
	}
	scheme := "http://"
	if f.RequireTLS {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port), local
}

// mayAsk returns the policy on which addresses the coordinator may ask for its callers. own is its base address. Loopback addresses are
// allowed when own and the farm's public address are loopback addresses: all callers are on this machine then, and could ask them directly.
func (f Flags) mayAsk(own string) (address.Policy, error) {
	policy, err := address.ParsePolicy(f.AllowAddress, f.DenyAddress)
	if err != nil {
		return policy, err
	}
	loopback := true
	for _, base := range []string{own, cmp.Or(f.PublicAddress, own)} {
		at, err := url.Parse(base)
		if err != nil {
			return policy, fmt.Errorf("parse the address of the farm: %w", err)
		}
		policy.Own = append(policy.Own, address.HostPort(at))
		loopback = loopback && address.IsLoopback(at.Hostname())
	}
	if f.AllowLoopback || loopback {
		return policy, nil
	}
	return policy.WithoutLoopback(), nil
}

// whileUp returns a context that also ends when the server ends, and when the coordinator is removed from the farm.
func (n *node) whileUp(ctx context.Context, head *coordinator.Coordinator) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-ctx.Done():
		case <-n.ended:
		case <-head.Cluster().Left():
		}
		cancel()
	}()
	return ctx, cancel
}
