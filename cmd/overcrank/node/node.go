package node

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
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
	"overcrank/cmd/overcrank/process"
	"overcrank/coordinator"
	"overcrank/coordinator/reader"
	"overcrank/farm/address"
	"overcrank/inbound"
	"overcrank/web"
)

// ReadTemplate is the argument that makes the program read one template's file and end; see package reader.
const ReadTemplate = "read-template"

const (
	// handOverWithin bounds how long a coordinator that stops waits for another to lead.
	handOverWithin = 5 * time.Second
	// answerWithin is how long requests may take that are being answered when a coordinator stops.
	answerWithin = 5 * time.Second
	// tlsPatience is how long a connection with TLS waits for a coordinator that is being opened for the first time.
	tlsPatience = 5 * time.Second
)

// node is a process that runs a coordinator: the address at which it is asked, which stays, and behind that one coordinator after the
// other, each with the settings of its time.
type node struct {
	logger   *slog.Logger
	program  process.Program
	under    underneath
	bounds   bounds
	listener net.Listener
	front    *api.Front
	address  string        // base address for callers, at the start
	local    string        // base address for processes of this machine
	ended    chan struct{} // closed when the address is served no more
	failure  error         // why, once ended is closed

	secure atomic.Pointer[tls.Config] // how TLS is spoken; nil until it is known
	opened chan struct{}              // closed when the first coordinator is open

	settings settings       // in force; of the goroutine that runs the node, as what follows
	hangUp   chan os.Signal // asks for new settings
	terminal bool           // whether it was started in one
	deserted bool           // the terminal is gone

	mu  sync.Mutex
	now *service // that was opened last; nil before the first
}

// service is a coordinator with all that answers for it.
type service struct {
	farm             *coordinator.Coordinator
	app              *fiber.App
	secure           *tls.Config
	stopAPI, stopWeb func()
	stopFollowing    context.CancelFunc
	following        sync.WaitGroup // of the studio's certificate
	quiet            sync.Once
}

// start listens, opens the coordinator and serves.
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
		logger: logger, program: program, under: machine(ctx, logger), bounds: held, listener: ln, front: api.NewFront(logger, beingOpened(f.DataDir)),
		ended: make(chan struct{}), opened: make(chan struct{}), settings: settings, hangUp: listenForReload(), terminal: term.IsTerminal(int(os.Stdin.Fd())),
	}
	n.address, n.local = addresses(ln.Addr().(*net.TCPAddr), f)
	go func() {
		defer close(n.ended)
		secure := &tls.Config{MinVersion: tls.VersionTLS13, GetConfigForClient: n.tls}
		n.failure = n.front.Serve(api.TLS(inbound.Listen(ln, held.port, logger), secure, logger))
	}()
	if err := n.openPatiently(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the farm in %s: %w", f.DataDir, err), n.shut())
	}
	return n, nil
}

// tls is how TLS is spoken now.
func (n *node) tls(*tls.ClientHelloInfo) (*tls.Config, error) {
	if now := n.secure.Load(); now != nil {
		return now, nil
	}
	select {
	case <-n.opened:
		return n.secure.Load(), nil
	case <-time.After(tlsPatience):
		return nil, errors.New("this coordinator has no certificate before its farm is open")
	}
}

// service is the one that was opened last.
func (n *node) service() *service {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now
}

// farm is the coordinator that was opened last.
func (n *node) farm() *coordinator.Coordinator { return n.service().farm }

// open opens a coordinator with some flags and has it answer.
func (n *node) open(ctx context.Context, f Flags) error {
	at := n.listener.Addr().(*net.TCPAddr)
	own, _ := addresses(at, f)
	policy, err := f.mayAsk(own)
	if err != nil {
		return err
	}
	self, err := process.Itself()
	if err != nil {
		return err
	}
	studio, err := f.openStudioCertificate(n.logger, n.under.now)
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
		MinFree: f.MinFree, Lease: f.Lease, Version: n.program.Version, Logger: n.logger, Addresses: policy,
		RedactAfter: f.RedactAfter, KeepOutputs: f.KeepOutputs, KeepHistory: f.KeepHistory, DescribeJob: public.DescribeJob,
		Now: n.under.now, BeforeSync: n.under.beforeSync, Gates: n.bounds.gates,
		Reader: []string{self, ReadTemplate}, Reading: reader.Bounds{Memory: f.ReadingMemory, Within: f.ReadingTime},
		Strangers: n.bounds.strangers, GossipStreams: n.bounds.streams,
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
	s.stopWeb = web.Mount(s.app, web.Config{Farm: head, Version: n.program.Version, Logger: n.logger, Teams: teams, Followers: n.bounds.follow})
	following, stop := context.WithCancel(context.Background())
	s.stopFollowing = stop
	if studio != nil {
		s.following.Go(func() { studio.follow(following) })
	}
	n.take(s)
	return nil
}

// take has a service answer.
func (n *node) take(s *service) {
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

// hold has new requests wait, and ends the coordinator that serves: sockets, requests that are being answered, and then the farm.
func (n *node) hold(dataDir string) error {
	s := n.service()
	drained := n.front.Hold(beingOpened(dataDir))
	s.endSockets()
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	drained(ctx)
	cancel()
	return s.close()
}

// endSockets ends what stays open for long: sockets and streams of events.
func (s *service) endSockets() {
	s.quiet.Do(func() {
		s.stopWeb()
		s.stopAPI()
	})
}

// close ends what serves no more.
func (s *service) close() error {
	s.stopFollowing()
	s.following.Wait()
	return s.farm.Close()
}

// stop hands the lead over, and ends sockets, server and coordinator in that order.
func (n *node) stop() error {
	n.takeLeave()
	s := n.service()
	s.endSockets()
	return errors.Join(n.shut(), s.close())
}

// takeLeave prepares for the end of the coordinator that serves.
func (n *node) takeLeave() {
	ctx, cancel := context.WithTimeout(context.Background(), handOverWithin)
	defer cancel()
	n.farm().TakeLeave(ctx)
}

// shut ends answering at the address.
func (n *node) shut() error {
	signal.Stop(n.hangUp)
	shutdown := n.front.Shutdown(answerWithin)
	if errors.Is(shutdown, context.DeadlineExceeded) {
		shutdown = nil // whoever still holds a connection open is cut off with the end of the process
	}
	_ = n.listener.Close() // a server that had not begun to serve has not heard of the shutdown
	<-n.ended
	return errors.Join(n.failure, shutdown)
}

// addresses are the base address at which others reach this coordinator, and the one for processes of this machine.
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

// mayAsk says which machines a coordinator at an address of its own asks for its callers. Where that and the farm's public address are
// this machine itself, its callers are on it, and can ask its services without the farm.
func (f Flags) mayAsk(own string) (address.Policy, error) {
	policy, err := address.ParsePolicy(f.AllowAddress, f.DenyAddress)
	if err != nil {
		return policy, err
	}
	loopback := true
	for _, base := range []string{own, cmp.Or(f.PublicAddress, own)} {
		at, err := url.Parse(base)
		if err != nil {
			return policy, fmt.Errorf("reading the farm's address: %w", err)
		}
		policy.Own = append(policy.Own, address.HostPort(at))
		loopback = loopback && address.IsLoopback(at.Hostname())
	}
	if f.AllowLoopback || loopback {
		return policy, nil
	}
	return policy.WithoutLoopback(), nil
}

// whileUp is a context that ends with the server too, and with the coordinator's place in the farm.
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
