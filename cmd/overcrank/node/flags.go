package node

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"runtime"
	"time"

	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/configfile"
	"overcrank/coordinator/storage"
	"overcrank/farm/address"
)

// Flags are the flags of everything that runs a coordinator.
type Flags struct {
	ConfigFile    string        `name:"config" help:"File of settings, a line 'flag: value' for each; when left out, /etc/overcrank/COMMAND.yaml, if it is there." placeholder:"FILE" env:"OVERCRANK_CONFIG"`
	DataDir       string        `help:"Folder for everything the farm keeps." default:"${farm_folder}" type:"path" env:"OVERCRANK_DATA_DIR"`
	Storage       string        `help:"Where the farm keeps its files: a folder that all coordinators have mounted, or s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-west-1; in the data folder when left out, for a farm of one coordinator." placeholder:"WHERE" env:"OVERCRANK_STORAGE"`
	StorageKeys   string        `name:"storage-credentials" help:"File with the credentials of the bucket, as ~/.aws/credentials; when left out, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY." type:"path" placeholder:"FILE" env:"OVERCRANK_STORAGE_CREDENTIALS"`
	Listen        string        `help:"Address for API, dashboard and agents, host:port." default:"127.0.0.1:8080" env:"OVERCRANK_LISTEN"`
	PublicAddress string        `help:"Base address of the whole farm, with which every link begins: a name that leads to all coordinators, and the same on each of them; that of this coordinator when left out." placeholder:"URL" env:"OVERCRANK_PUBLIC_ADDRESS"`
	NodeAddress   string        `help:"Base address at which agents and the other coordinators reach this coordinator, its own on each; --public-address when left out, else that of --listen." placeholder:"URL" env:"OVERCRANK_NODE_ADDRESS"`
	GossipListen  string        `help:"Address for gossip, host:port; when left out, the host of --listen with port 7947, or another port where that is taken." env:"OVERCRANK_GOSSIP_LISTEN"`
	ClusterListen string        `help:"Address on which coordinators of one farm speak with each other, host:port; a farm of several needs it, and one that may become one." env:"OVERCRANK_CLUSTER_LISTEN"`
	ClusterAddr   string        `name:"cluster-address" help:"Address at which the other coordinators reach this one; that of --cluster-listen when left out, with this machine's name in the place of 0.0.0.0." placeholder:"HOST:PORT" env:"OVERCRANK_CLUSTER_ADDRESS"`
	TLSCert       string        `name:"tls-cert" help:"File with the studio's own certificate, and the ones that lead to it, for API and dashboard (PEM); the farm's own when left out." type:"path" env:"OVERCRANK_TLS_CERT"`
	TLSKey        string        `name:"tls-key" help:"File with the key of --tls-cert (PEM)." type:"path" env:"OVERCRANK_TLS_KEY"`
	CACert        string        `name:"ca-cert" help:"File with the certificate of an authority that the studio issued for this farm alone (PEM), which vouches for coordinators and agents; the farm founds one of its own when left out. The same for all coordinators." type:"path" env:"OVERCRANK_CA_CERT"`
	CAKey         string        `name:"ca-key" help:"File with the key of --ca-cert (PEM)." type:"path" env:"OVERCRANK_CA_KEY"`
	RequireTLS    bool          `name:"require-tls" help:"Refuse plain HTTP, except from this machine." env:"OVERCRANK_REQUIRE_TLS"`
	NewAdminToken bool          `help:"Make a new administrator's token, for when the one before was lost."`
	MinFree       int64         `help:"Bytes that must stay free on the disk." default:"1073741824" env:"OVERCRANK_MIN_FREE"`
	Lease         time.Duration `help:"How long a silent agent keeps its work." default:"30s" env:"OVERCRANK_LEASE"`
	RateLimit     float64       `help:"Requests a second that each team may make to API and dashboard in the long run; 0 for no limit." default:"0" env:"OVERCRANK_RATE_LIMIT"`
	RateBurst     int           `help:"Requests that a team may make at once under --rate-limit; 0 for two seconds' worth." default:"0" env:"OVERCRANK_RATE_BURST"`
	Outputs       string        `help:"Who may read results: public (whoever knows their address) or signed-in (members of the team)." enum:"public,signed-in" default:"public" env:"OVERCRANK_OUTPUTS"`
	ReleaseRoots  string        `help:"File with the public root keys to check agent releases with. Without it, the keys built into this program." type:"path" placeholder:"FILE" env:"OVERCRANK_RELEASE_ROOTS"`
	PackageDir    string        `help:"Folder with packages of the agent that the farm hands out. The folder may be missing." default:"/usr/share/overcrank/packages" placeholder:"DIR" env:"OVERCRANK_PACKAGE_DIR"`
	RedactAfter   time.Duration `help:"How long after a job's end addresses, paths and values are taken out of its record and log." default:"72h" env:"OVERCRANK_REDACT_AFTER"`
	KeepOutputs   time.Duration `help:"How long after a job's end its result is kept, such as 720h; 0 keeps it for ever." default:"0" env:"OVERCRANK_KEEP_OUTPUTS"`
	KeepHistory   time.Duration `help:"How long after its end a job is kept at all, with log, pictures and result; 0 keeps it for ever." default:"0" env:"OVERCRANK_KEEP_HISTORY"`
	KeepAudit     time.Duration `help:"How long the audit log keeps who did what; 0 keeps the latest 200,000 records. It never keeps more than these." default:"8760h" env:"OVERCRANK_KEEP_AUDIT"`
	AllowAddress  []string      `help:"Only networks (10.0.0.0/8) or machines (10.0.0.7) that downloads, uploads and webhooks may ask; all but those of cloud metadata when left out." placeholder:"NETWORK" env:"OVERCRANK_ALLOW_ADDRESS"`
	AllowLoopback bool          `help:"Let downloads, uploads and webhooks ask what listens on the farm's machines themselves (127.0.0.1, localhost). A farm whose public address is this machine itself lets them without it." env:"OVERCRANK_ALLOW_LOOPBACK"`
	DenyAddress   []string      `help:"Networks or machines that downloads, uploads and webhooks may not ask, also when allowed." placeholder:"NETWORK" env:"OVERCRANK_DENY_ADDRESS"`
	clusterFlags
	mailFlags
	signOnFlags
	boundFlags
}

// minLease leaves an agent time for a few heartbeats.
const minLease = time.Second

// BeforeResolve loads the file of settings. The parser of the command line calls it.
func (Flags) BeforeResolve(ctx *kong.Context, command *kong.Path, files *configfile.Resolver) error {
	return files.Load(ctx, command)
}

// Validate refuses values with which a farm would start but not work. The parser of the command line calls it.
func (f Flags) Validate() error {
	if _, _, err := net.SplitHostPort(f.Listen); err != nil {
		return fmt.Errorf("--listen is %q: it has to be host:port, such as 127.0.0.1:8080, or 0.0.0.0:8080 for every network of this machine", f.Listen)
	}
	if err := f.clusterFlags.check(f.ClusterListen); err != nil {
		return err
	}
	if f.Lease < minLease {
		return fmt.Errorf("--lease is %v: it has to be %v at least, or agents lose their work while they hold it", f.Lease, minLease)
	}
	if f.RedactAfter <= 0 || f.KeepOutputs < 0 || f.KeepHistory < 0 {
		return fmt.Errorf("--redact-after is %v, --keep-outputs %v, --keep-history %v: the first has to be above 0, the others 0 or more", f.RedactAfter, f.KeepOutputs, f.KeepHistory)
	}
	if f.KeepAudit < 0 {
		return fmt.Errorf("--keep-audit is %v: it has to be 0 or more", f.KeepAudit)
	}
	if err := storage.CheckFlag(f.Storage); err != nil {
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
	if _, err := f.mailer(); err != nil {
		return err
	}
	if err := f.signOnFlags.check(); err != nil {
		return err
	}
	if err := f.checkBounds(); err != nil {
		return err
	}
	return errors.Join(f.checkBase("--public-address", f.PublicAddress), f.checkBase("--node-address", f.NodeAddress))
}

// checkBase refuses a base address from which no links can be made, and one whose links the farm itself would refuse.
func (f Flags) checkBase(flag, base string) error {
	if base == "" {
		return nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("%s is %q: it has to look like https://farm.example.com", flag, base)
	}
	if f.RequireTLS && u.Scheme == "http" {
		return fmt.Errorf("%s is %s, and --require-tls refuses plain HTTP: make it https://%s", flag, base, u.Host)
	}
	return nil
}

// unixPackages is the default of --package-dir, where the packages of Linux put the agent's.
const unixPackages = "/usr/share/overcrank/packages"

// packageDir is --package-dir. Windows has no such folder, and would look for it on whatever drive is the current one, where everybody may make it.
func (f Flags) packageDir() string {
	if runtime.GOOS == "windows" && f.PackageDir == unixPackages {
		return ""
	}
	return f.PackageDir
}
