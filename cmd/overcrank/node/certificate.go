package node

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"slices"
	"sync"
	"time"

	"overcrank/cmd/overcrank/configfile"
	"overcrank/farm"
)

// certificateCheckEvery is how often the files of the studio's certificate are checked for a renewed one.
const certificateCheckEvery = 5 * time.Second

// certificateWarning is how long before the studio's certificate expires the farm warns.
const certificateWarning = 14 * 24 * time.Hour

// studioCertificate is the studio's own certificate for API and dashboard. It follows its files, which somebody else renews. It is safe for
// concurrent use.
type studioCertificate struct {
	certificate, key string
	log              *slog.Logger
	now              func() time.Time

	mu      sync.Mutex
	loaded  *tls.Certificate
	seen    [2]configfile.Stamp // of the files when they were last read
	problem error               // why the present content of the files is not used
}

// openStudioCertificate reads the certificate of --tls-cert. It is nil without that flag.
func (f Flags) openStudioCertificate(logger *slog.Logger, now func() time.Time) (*studioCertificate, error) {
	if f.TLSCert == "" {
		return nil, nil
	}
	if now == nil {
		now = time.Now
	}
	c := &studioCertificate{certificate: f.TLSCert, key: f.TLSKey, log: logger, now: now}
	if c.reload(); c.loaded == nil {
		return nil, fmt.Errorf("--tls-cert and --tls-key: %w", c.problem)
	}
	return c, nil
}

// follow reloads the certificate when its files change, until ctx ends.
func (c *studioCertificate) follow(ctx context.Context) {
	ticker := time.NewTicker(certificateCheckEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.reload()
		case <-ctx.Done():
			return
		}
	}
}

// reload reads the files when they have changed. A certificate that cannot be used does not replace the one in use.
func (c *studioCertificate) reload() {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := [2]configfile.Stamp{configfile.StampOf(c.certificate), configfile.StampOf(c.key)}
	if c.loaded != nil && seen == c.seen {
		return
	}
	first := c.loaded == nil
	c.seen = seen
	loaded, err := tls.LoadX509KeyPair(c.certificate, c.key)
	if err == nil && !c.now().Before(loaded.Leaf.NotAfter) {
		err = fmt.Errorf("%s expired on %s", c.certificate, loaded.Leaf.NotAfter.Format(time.DateOnly))
	}
	c.problem = err
	switch {
	case err == nil:
		c.loaded = &loaded
		if !first {
			c.log.Info("the studio's certificate was renewed", "file", c.certificate, "until", loaded.Leaf.NotAfter)
		}
	case !first:
		c.log.Error("the new certificate cannot be used; the old one stays in use", "file", c.certificate, "until", c.loaded.Leaf.NotAfter, "error", err)
	}
}

// source returns the function that gives the certificate in use, nil when the studio has none.
func (c *studioCertificate) source() func() (*tls.Certificate, error) {
	if c == nil {
		return nil
	}
	return c.current
}

func (c *studioCertificate) current() (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.loaded, nil
}

// checks are the health checks of the certificate, none when the studio has none.
func (c *studioCertificate) checks() []farm.Check {
	if c == nil {
		return nil
	}
	return []farm.Check{c.check()}
}

// check is the health check of the certificate. Problems are warnings only: agents do not need this certificate.
func (c *studioCertificate) check() farm.Check {
	c.mu.Lock()
	defer c.mu.Unlock()
	until := c.loaded.Leaf.NotAfter
	found := farm.Passed("studio certificate", "good until "+until.UTC().Format(time.RFC3339))
	switch left := until.Sub(c.now()); {
	case c.problem != nil:
		found.Warn, found.Found = true, fmt.Sprintf("the files hold a certificate that cannot be used: %v; the old one is %s", c.problem, found.Found)
	case left <= 0:
		found.Warn, found.Found = true, fmt.Sprintf("expired on %s: put a new one into %s and %s", until.UTC().Format(time.RFC3339), c.certificate, c.key)
	case left < certificateWarning && left < until.Sub(c.loaded.Leaf.NotBefore)/4:
		found.Warn, found.Found = true, fmt.Sprintf("expires on %s: put a new one into %s and %s", until.UTC().Format(time.RFC3339), c.certificate, c.key)
	}
	return found
}

// nodeNames are the names and addresses under which callers may reach a node that listens at an address: its certificate has to have them.
func nodeNames(listen *net.TCPAddr, f Flags) []string {
	list := []string{"localhost", "127.0.0.1", "::1"}
	add := func(name string) {
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	if host, err := os.Hostname(); err == nil {
		add(host)
	}
	for _, base := range []string{f.PublicAddress, f.NodeAddress} {
		if u, err := url.Parse(base); err == nil {
			add(u.Hostname())
		}
	}
	if !listen.IP.IsUnspecified() {
		add(listen.IP.String())
		return list
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return list // the other names remain
	}
	for _, address := range own {
		if network, ok := address.(*net.IPNet); ok && !network.IP.IsLinkLocalUnicast() {
			add(network.IP.String())
		}
	}
	return list
}
