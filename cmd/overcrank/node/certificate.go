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

// lookAtCertificate is how often it is looked whether the studio's certificate was renewed.
const lookAtCertificate = 5 * time.Second

// certificateWarning is how long before the end of the studio's certificate somebody is told.
const certificateWarning = 14 * 24 * time.Hour

// studioCertificate is a certificate of the studio's in files that somebody else renews. It is safe for concurrent use.
type studioCertificate struct {
	certificate, key string
	log              *slog.Logger
	now              func() time.Time

	mu      sync.Mutex
	loaded  *tls.Certificate
	seen    [2]configfile.Stamp // of the files at the last look
	problem error               // why what is in the files now is not used
}

// openStudioCertificate reads the certificate of --tls-cert, nil without one.
func (f Flags) openStudioCertificate(logger *slog.Logger, now func() time.Time) (*studioCertificate, error) {
	if f.TLSCert == "" {
		return nil, nil
	}
	if now == nil {
		now = time.Now
	}
	c := &studioCertificate{certificate: f.TLSCert, key: f.TLSKey, log: logger, now: now}
	if c.look(); c.loaded == nil {
		return nil, fmt.Errorf("--tls-cert and --tls-key: %w", c.problem)
	}
	return c, nil
}

// follow takes up what is put into the files, until ctx ends.
func (c *studioCertificate) follow(ctx context.Context) {
	ticker := time.NewTicker(lookAtCertificate)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.look()
		case <-ctx.Done():
			return
		}
	}
}

// look reads the files when they have changed. What is of no use leaves the certificate before in force.
func (c *studioCertificate) look() {
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
		err = fmt.Errorf("%s has expired on %s", c.certificate, loaded.Leaf.NotAfter.Format(time.DateOnly))
	}
	c.problem = err
	switch {
	case err == nil:
		c.loaded = &loaded
		if !first {
			c.log.Info("the studio's certificate was renewed", "file", c.certificate, "until", loaded.Leaf.NotAfter)
		}
	case !first:
		c.log.Error("the new certificate is of no use; the one before stays in force", "file", c.certificate, "until", c.loaded.Leaf.NotAfter, "error", err)
	}
}

// source gives the certificate in force at any time, nil without one of the studio's.
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

// checks is how the certificate is, nothing without one of the studio's.
func (c *studioCertificate) checks() []farm.Check {
	if c == nil {
		return nil
	}
	return []farm.Check{c.check()}
}

// check tells how the certificate is. Agents do not need it, so the farm works on without.
func (c *studioCertificate) check() farm.Check {
	c.mu.Lock()
	defer c.mu.Unlock()
	until := c.loaded.Leaf.NotAfter
	found := farm.Passed("studio certificate", "good until "+until.UTC().Format(time.RFC3339))
	switch left := until.Sub(c.now()); {
	case c.problem != nil:
		found.Warn, found.Found = true, fmt.Sprintf("what is in the files is not used: %v; the one before is %s", c.problem, found.Found)
	case left <= 0:
		found.Warn, found.Found = true, fmt.Sprintf("ended on %s: put a new one into %s and %s", until.UTC().Format(time.RFC3339), c.certificate, c.key)
	case left < certificateWarning && left < until.Sub(c.loaded.Leaf.NotBefore)/4:
		found.Warn, found.Found = true, fmt.Sprintf("ends on %s: put a new one into %s and %s", until.UTC().Format(time.RFC3339), c.certificate, c.key)
	}
	return found
}

// nodeNames are by which callers know a node that listens at an address.
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
