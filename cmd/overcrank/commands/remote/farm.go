// Package remote is what commands that ask a farm share: the flags that say which farm and as whom, how records are named, and how to wait.
package remote

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/exit"
)

// FarmTag marks the flags that say which farm a command asks, and as whom, in the structure that declares them.
const FarmTag = "farm"

// Farm say which farm a command asks, and as whom.
type Farm struct {
	Server    string `help:"Base address of the farm; for several coordinators their addresses, separated by commas." default:"http://127.0.0.1:8080" env:"OVERCRANK_SERVER" farm:""`
	Token     string `help:"API token." env:"OVERCRANK_TOKEN" farm:""`
	CAFile    string `name:"ca-file" help:"File with the certificate of the farm's authority, ca.crt of its data folder, for an https:// address that this machine does not trust by itself." type:"path" env:"OVERCRANK_CA_FILE" farm:""`
	TokenFile string `help:"File that holds the API token, such as admin.token in a farm's data folder." type:"path" env:"OVERCRANK_TOKEN_FILE" farm:""`
}

// Client makes the client that the flags describe.
func (s Farm) Client() (*client.Client, error) {
	for server := range strings.SplitSeq(s.Server, ",") {
		if u, err := url.Parse(strings.TrimSpace(server)); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, exit.Usagef("--server (OVERCRANK_SERVER) is %q: it has to look like http://farm.example.com:8080", server)
		}
	}
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
func (s Farm) trusting() (*http.Client, error) {
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
