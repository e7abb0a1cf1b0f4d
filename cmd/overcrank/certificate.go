package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"sync"
	"time"
)

// lookAtCertificate is how often the studio's certificate is looked for in its file.
const lookAtCertificate = 10 * time.Second

// studioCertificate gives the certificate of --tls-cert, nil without one.
func (f nodeFlags) studioCertificate() (func() (*tls.Certificate, error), error) {
	if f.TLSCert == "" {
		return nil, nil
	}
	files := &certificateFiles{certificate: f.TLSCert, key: f.TLSKey}
	if _, err := files.current(); err != nil {
		return nil, err
	}
	return files.current, nil
}

// certificateFiles is a certificate that somebody else renews.
type certificateFiles struct {
	certificate, key string

	mu     sync.Mutex
	looked time.Time
	made   time.Time // when the file was written
	loaded *tls.Certificate
}

// current is the certificate in the files. Files that cannot be read, as while they are replaced, leave the one before.
func (c *certificateFiles) current() (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded != nil && time.Since(c.looked) < lookAtCertificate {
		return c.loaded, nil
	}
	c.looked = time.Now()
	info, err := os.Stat(c.certificate)
	if err == nil && c.loaded != nil && info.ModTime().Equal(c.made) {
		return c.loaded, nil
	}
	if err == nil {
		var loaded tls.Certificate
		if loaded, err = tls.LoadX509KeyPair(c.certificate, c.key); err == nil {
			c.loaded, c.made = &loaded, info.ModTime()
		}
	}
	if c.loaded == nil {
		return nil, fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	return c.loaded, nil
}

// nodeNames are by which callers know a node that listens at an address.
func nodeNames(listen *net.TCPAddr, f nodeFlags) []string {
	list := []string{"localhost", "127.0.0.1", "::1"}
	add := func(name string) {
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	if host, err := os.Hostname(); err == nil {
		add(host)
	}
	if u, err := url.Parse(f.PublicAddress); err == nil {
		add(u.Hostname())
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
