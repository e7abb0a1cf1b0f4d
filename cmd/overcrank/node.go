package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/kong"
	"github.com/gofiber/fiber/v2"

	"overcrank/api"
	"overcrank/api/throttle"
	"overcrank/cmd/overcrank/configfile"
	"overcrank/coordinator"
	"overcrank/durable"
	"overcrank/farm/address"
	"overcrank/web"
)

// nodeFlags are the flags of everything that runs a coordinator.
type nodeFlags struct {
	ConfigFile    string        `name:"config" help:"File of settings, a line 'flag: value' for each; when left out, /etc/overcrank/COMMAND.yaml, if it is there." placeholder:"FILE" env:"OVERCRANK_CONFIG"`
	DataDir       string        `help:"Folder for everything the farm keeps." required:"" type:"path" env:"OVERCRANK_DATA_DIR"`
	Storage       string        `help:"Where the farm keeps its files: a folder that all coordinators have mounted, or s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-west-1; in the data folder when left out, for a farm of one coordinator." placeholder:"WHERE" env:"OVERCRANK_STORAGE"`
	StorageKeys   string        `name:"storage-credentials" help:"File with the credentials of the bucket, as ~/.aws/credentials; when left out, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY." type:"path" placeholder:"FILE" env:"OVERCRANK_STORAGE_CREDENTIALS"`
	Listen        string        `help:"Address for API, dashboard and agents, host:port." default:"127.0.0.1:8080" env:"OVERCRANK_LISTEN"`
	PublicAddress string        `help:"Base address that callers and agents use, when it is not that of --listen." env:"OVERCRANK_PUBLIC_ADDRESS"`
	GossipListen  string        `help:"Address for gossip, host:port." default:"127.0.0.1:0" env:"OVERCRANK_GOSSIP_LISTEN"`
	ClusterListen string        `help:"Address on which coordinators of one farm speak with each other, host:port; a farm of several needs it, and one that may become one." env:"OVERCRANK_CLUSTER_LISTEN"`
	ClusterAddr   string        `name:"cluster-address" help:"Address at which the other coordinators reach this one, when it is not that of --cluster-listen." placeholder:"HOST:PORT" env:"OVERCRANK_CLUSTER_ADDRESS"`
	TLSCert       string        `name:"tls-cert" help:"File with the studio's own certificate, and the ones that lead to it, for API and dashboard (PEM); the farm's own when left out." type:"path" env:"OVERCRANK_TLS_CERT"`
	TLSKey        string        `name:"tls-key" help:"File with the key of --tls-cert (PEM)." type:"path" env:"OVERCRANK_TLS_KEY"`
	CACert        string        `name:"ca-cert" help:"File with the certificate of an authority that the studio issued for this farm alone (PEM), which vouches for coordinators and agents; the farm founds one of its own when left out. The same for all coordinators." type:"path" env:"OVERCRANK_CA_CERT"`
	CAKey         string        `name:"ca-key" help:"File with the key of --ca-cert (PEM)." type:"path" env:"OVERCRANK_CA_KEY"`
	RequireTLS    bool          `name:"require-tls" help:"Refuse plain HTTP, except from this machine." env:"OVERCRANK_REQUIRE_TLS"`
	NewAdminToken bool          `help:"Make a new administrator's token, for when the one before was lost."`
	MinFree       int64         `help:"Bytes that must stay free on the disk." default:"1073741824" env:"OVERCRANK_MIN_FREE"`
	Lease         time.Duration `help:"How long a silent agent keeps its work." default:"30s" env:"OVERCRANK_LEASE"`
	RateLimit     float64       `help:"Requests a second that each team may make to the API in the long run; 0 for no limit." default:"0" env:"OVERCRANK_RATE_LIMIT"`
	RateBurst     int           `help:"Requests that a team may make at once under --rate-limit; 0 for two seconds' worth." default:"0" env:"OVERCRANK_RATE_BURST"`
	Outputs       string        `help:"Who may read results: public (whoever knows their address) or signed-in (members of the team)." enum:"public,signed-in" default:"public" env:"OVERCRANK_OUTPUTS"`
	RedactAfter   time.Duration `help:"How long after a job's end addresses, paths and values are taken out of its record and log." default:"72h" env:"OVERCRANK_REDACT_AFTER"`
	KeepOutputs   time.Duration `help:"How long after a job's end its result is kept, such as 720h; 0 keeps it for ever." default:"0" env:"OVERCRANK_KEEP_OUTPUTS"`
	KeepHistory   time.Duration `help:"How long after its end a job is kept at all, with log, pictures and result; 0 keeps it for ever." default:"0" env:"OVERCRANK_KEEP_HISTORY"`
	AllowAddress  []string      `help:"Only networks (10.0.0.0/8) or machines (10.0.0.7) that downloads, uploads and webhooks may ask; all but those of cloud metadata when left out." placeholder:"NETWORK" env:"OVERCRANK_ALLOW_ADDRESS"`
	DenyAddress   []string      `help:"Networks or machines that downloads, uploads and webhooks may not ask, also when allowed." placeholder:"NETWORK" env:"OVERCRANK_DENY_ADDRESS"`
	clusterFlags
}

// shortestLease leaves an agent time for a few heartbeats.
const shortestLease = time.Second

// BeforeResolve is for the parser of the command line.
func (nodeFlags) BeforeResolve(ctx *kong.Context, command *kong.Path, files *configfile.Resolver) error {
	return files.Load(ctx, command)
}

// Validate refuses values with which a farm would start and not work. The parser of the command line calls it.
func (f nodeFlags) Validate() error {
	if err := f.check(f.ClusterListen); err != nil {
		return err
	}
	if f.Lease < shortestLease {
		return fmt.Errorf("--lease is %v: it has to be %v at least, or agents lose their work while they hold it", f.Lease, shortestLease)
	}
	if f.RedactAfter <= 0 || f.KeepOutputs < 0 || f.KeepHistory < 0 {
		return fmt.Errorf("--redact-after is %v, --keep-outputs %v, --keep-history %v: the first has to be above 0, the others 0 or more", f.RedactAfter, f.KeepOutputs, f.KeepHistory)
	}
	if err := coordinator.CheckStorageFlag(f.Storage); err != nil {
		return fmt.Errorf("--storage: %w", err)
	}
	if f.MinFree < 0 {
		return fmt.Errorf("--min-free is %d: it cannot be below 0", f.MinFree)
	}
	if _, err := address.ParsePolicy(f.AllowAddress, f.DenyAddress); err != nil {
		return fmt.Errorf("--allow-address and --deny-address: %w", err)
	}
	if (f.TLSCert == "") != (f.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key go together")
	}
	if (f.CACert == "") != (f.CAKey == "") {
		return errors.New("--ca-cert and --ca-key go together")
	}
	if f.RateLimit < 0 || f.RateBurst < 0 || f.RateBurst > 0 && f.RateLimit == 0 {
		return fmt.Errorf("--rate-limit is %v and --rate-burst is %d: neither can be below 0, and a burst needs a limit", f.RateLimit, f.RateBurst)
	}
	if f.PublicAddress == "" {
		return nil
	}
	u, err := url.Parse(f.PublicAddress)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("--public-address is %q: it has to look like https://farm.example.com", f.PublicAddress)
	}
	return nil
}

// node is a running coordinator with its HTTP server.
type node struct {
	farm          *coordinator.Coordinator
	app           *fiber.App
	listener      net.Listener
	stopAPI       func()
	stopWeb       func()
	ended         chan struct{}  // closed when the server no longer serves
	failure       error          // why, once ended is closed
	following     sync.WaitGroup // of the studio's certificate
	stopFollowing context.CancelFunc
	address       string // base address for callers
	local         string // base address for processes of this machine
}

// startNode listens, opens the coordinator and serves.
func startNode(ctx context.Context, f nodeFlags, logger *slog.Logger) (*node, error) {
	coordinator.PaceProcess()
	policy, err := address.ParsePolicy(f.AllowAddress, f.DenyAddress)
	if err != nil {
		return nil, err
	}
	under := machine(ctx, logger)
	studio, err := f.openStudioCertificate(logger, under.now)
	if err != nil {
		return nil, err
	}
	if err := f.prepareFolder(ctx, logger); err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", f.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w (choose another address with --listen)", f.Listen, err)
	}
	n := &node{ended: make(chan struct{}), listener: ln}
	n.address, n.local = addresses(ln.Addr().(*net.TCPAddr), f)
	n.farm, err = (&waitingRoom{listener: ln, studio: studio.source(), logger: logger}).openFarm(ctx, coordinator.Config{
		DataDir: f.DataDir, Storage: f.Storage, StorageCredentials: f.StorageKeys, PublicAddress: n.address, GossipBind: f.GossipListen,
		CACertificate: f.CACert, CAKey: f.CAKey, Checks: studio.checks,
		ClusterListen: f.ClusterListen, ClusterAddress: f.ClusterAddr, Join: f.nodes(), GossipSeeds: f.GossipJoin, BootstrapExpect: f.BootstrapExpect,
		PromoteAfter: f.PromoteAfter, RemoveDeadAfter: f.RemoveDeadAfter,
		MinFree: f.MinFree, Lease: f.Lease, Version: versionString(), Logger: logger, Addresses: policy,
		RedactAfter: f.RedactAfter, KeepOutputs: f.KeepOutputs, KeepHistory: f.KeepHistory, DescribeJob: api.DescribeJob,
		Now: under.now, BeforeSync: under.beforeSync,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the farm in %s: %w", f.DataDir, err), ln.Close())
	}
	n.app = api.NewApp(logger)
	n.stopAPI = api.Mount(n.app, api.Config{
		RequireTLS: f.RequireTLS, TeamsResults: f.Outputs == "signed-in", Browser: web.Reader(n.farm),
		Farm: n.farm, Version: versionString(), Logger: logger, Teams: throttle.Limit{PerSecond: f.RateLimit, Burst: f.RateBurst},
	})
	n.stopWeb = web.Mount(n.app, web.Config{Farm: n.farm, Version: versionString(), Logger: logger})
	secure := n.farm.TLS(nodeNames(ln.Addr().(*net.TCPAddr), f), studio.source())
	n.follow(studio)
	go func() {
		defer close(n.ended)
		n.failure = n.app.Listener(api.TLS(api.Listener(ln, mostConnections(), logger), secure, logger))
	}()
	return n, nil
}

// follow takes up what is put into the files of the studio's certificate, until the node stops.
func (n *node) follow(studio *studioCertificate) {
	ctx, cancel := context.WithCancel(context.Background())
	n.stopFollowing = cancel
	if studio != nil {
		n.following.Go(func() { studio.follow(ctx) })
	}
}

// addresses are the base address for others and the one for processes of this machine.
func addresses(a *net.TCPAddr, f nodeFlags) (public, local string) {
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
	if f.PublicAddress != "" {
		return strings.TrimSuffix(f.PublicAddress, "/"), local
	}
	return "http://" + net.JoinHostPort(host, port), local
}

// handOverWithin bounds how long a node that stops waits for another to lead.
const handOverWithin = 5 * time.Second

// stop hands the lead over, and ends sockets, server and coordinator in that order.
func (n *node) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), handOverWithin)
	n.farm.HandOver(ctx)
	cancel()
	n.stopWeb()
	n.stopAPI()
	shutdown := n.app.ShutdownWithTimeout(5 * time.Second)
	if errors.Is(shutdown, context.DeadlineExceeded) {
		shutdown = nil // whoever still holds a connection open is cut off with the end of the process
	}
	_ = n.listener.Close() // a server that had not begun to serve has not heard of the shutdown
	<-n.ended
	n.stopFollowing()
	n.following.Wait()
	return errors.Join(n.failure, shutdown, n.farm.Close())
}

// welcome makes the first token on a new farm, keeps it in a file only this user can read, and tells where the farm is.
func (n *node) welcome(ctx context.Context, f nodeFlags, out *output) error {
	path := filepath.Join(f.DataDir, coordinator.AdminTokenFile)
	keep := func(secret string) error { return durable.WriteFile(path, []byte(secret+"\n"), 0o600) }
	early := n.farm.Blank()
	if early {
		fmt.Fprintf(out, "Overcrank %s is at %s, and waits for the other coordinators\n", versionString(), n.address)
	}
	ctx, cancel := n.whileUp(ctx)
	defer cancel()
	if err := n.farm.AwaitFarm(ctx); err != nil {
		return nil // whoever waits for the end of the node learns of it
	}
	var token string
	var err error
	if n.farm.Leads() { // of those that begin a farm together
		token, err = n.farm.FirstToken(ctx, keep)
	}
	if err == nil && token == "" && f.NewAdminToken {
		token, err = n.farm.NewAdminToken(ctx, keep)
	}
	if err != nil {
		return fmt.Errorf("make the administrator's token: %w", err)
	}
	if !early {
		fmt.Fprintf(out, "Overcrank %s is at %s\n", versionString(), n.address)
	}
	if token != "" {
		fmt.Fprintf(out, "The administrator's token, shown this once and kept in %s:\n  %s\n", path, token)
		return nil
	}
	if kept, err := os.ReadFile(path); err == nil {
		if _, err = n.farm.Authenticate(ctx, strings.TrimSpace(string(kept))); err == nil {
			return nil
		}
	}
	if f.ClusterListen != "" && !n.farm.Leads() {
		fmt.Fprintf(out, "The administrator's token is in %s of the coordinator that leads.\n", coordinator.AdminTokenFile)
		return nil
	}
	fmt.Fprintf(out, "%s holds no token of this farm. If the administrator's token is lost, start once with --new-admin-token.\n", path)
	return nil
}

type coordinatorCommand struct{ nodeFlags }

func (c *coordinatorCommand) Run(ctx context.Context, out *output, logger *slog.Logger) error {
	n, err := startNode(ctx, c.nodeFlags, logger)
	if err != nil {
		return err
	}
	if err := n.welcome(ctx, c.nodeFlags, out); err != nil {
		return errors.Join(err, n.stop())
	}
	n.waitForEnd(ctx)
	return n.stop()
}

// waitForEnd waits until ctx ends or the server does.
func (n *node) waitForEnd(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-n.ended:
	case <-n.farm.Left():
	}
}

// whileUp is a context that ends with the server too, and with the coordinator's place in the farm.
func (n *node) whileUp(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		n.waitForEnd(ctx)
		cancel()
	}()
	return ctx, cancel
}
