package commands

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/exit"
	"overcrank/farm/names"
)

// FarmTag marks the flags that say which farm a command asks, and as whom, in the structure that declares them.
const FarmTag = "farm"

// serverFlags say which farm a command asks, and as whom.
type serverFlags struct {
	Server    string `help:"Base address of the farm; for several coordinators their addresses, separated by commas." default:"http://127.0.0.1:8080" env:"OVERCRANK_SERVER" farm:""`
	Token     string `help:"API token." env:"OVERCRANK_TOKEN" farm:""`
	CAFile    string `name:"ca-file" help:"File with the certificate of the farm's authority, ca.crt of its data folder, for an https:// address that this machine does not trust by itself." type:"path" env:"OVERCRANK_CA_FILE" farm:""`
	TokenFile string `help:"File that holds the API token, such as admin.token in a farm's data folder." type:"path" env:"OVERCRANK_TOKEN_FILE" farm:""`
}

// client makes the client that the flags describe.
func (s serverFlags) client() (*client.Client, error) {
	token := s.Token
	// A file that was typed counts more than a token that only stands in the environment.
	typedFile := s.TokenFile != kong.ExpandPath(os.Getenv("OVERCRANK_TOKEN_FILE")) && token == os.Getenv("OVERCRANK_TOKEN")
	if s.TokenFile != "" && (token == "" || typedFile) {
		raw, err := os.ReadFile(s.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("read the token: %w", err)
		}
		token = strings.TrimSpace(string(raw))
	}
	if token == "" {
		return nil, exit.Usagef("no token: give --token-file (a farm keeps its first token in admin.token in its data folder), --token, or set OVERCRANK_TOKEN")
	}
	trusting, err := s.trusting()
	if err != nil {
		return nil, err
	}
	return &client.Client{Server: s.Server, Token: token, HTTP: trusting}, nil
}

// trusting is a client that trusts the authority of --ca-file besides those of the system, nil without one.
func (s serverFlags) trusting() (*http.Client, error) {
	if s.CAFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(s.CAFile)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of the farm's authority: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a system without any trusts this one alone
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, exit.Usagef("--ca-file: %s holds no certificate", s.CAFile)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}
	return &http.Client{Transport: transport}, nil
}

// jsonFlag is for commands whose result a script may read.
type jsonFlag struct {
	JSON bool `help:"Print the answer of the API, as JSON." name:"json"`
}

// remote is what every command that asks a farm has.
type remote struct {
	serverFlags
	jsonFlag
}

// waitFlags are for commands that begin something long.
type waitFlags struct {
	Wait    bool          `help:"Wait for the end, and show progress."`
	Timeout time.Duration `help:"With --wait: how long at most, such as 90s or 2h; the work goes on." placeholder:"DURATION"`
}

// limit bounds a wait.
func (w waitFlags) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return limited(ctx, w.Timeout)
}

func limited(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, timeout, exit.ErrTimeout)
}

// idForm is the form of the farm's ids.
var idForm = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}$`)

// pick finds the one of a list that ref names, by its id or by its name.
func pick[T any](list []T, what, ref string, idAndName func(T) (id, name string)) (T, error) {
	var found, none T
	var known, ids []string
	for _, item := range list {
		id, name := idAndName(item)
		if id == ref {
			return item, nil
		}
		if name == ref {
			found = item
			ids = append(ids, id)
		}
		known = append(known, name)
	}
	switch len(ids) {
	case 1:
		return found, nil
	case 0:
		return none, exit.NotFoundf("there is no %s '%s': %s", what, ref, names.DidYouMean(ref, known))
	}
	return none, exit.Usagef("%d %ss are called '%s'; say which by its id: %s", len(ids), what, ref, strings.Join(ids, ", "))
}
