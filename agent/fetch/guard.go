package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"overcrank/farm/address"
)

// refuseHiddenAddresses looks at the address that is really dialled, after names were resolved, so that no name and no
// redirect can lead around it.
func refuseHiddenAddresses(_ context.Context, _, peer string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(peer)
	if err != nil {
		return &Error{Reason: "the address is not allowed", Err: err}
	}
	return checkAddress(at.Addr())
}

// checkHost refuses hidden addresses written out in an address, also where a proxy would dial them.
func checkHost(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return &Error{Reason: "redirected to an address that is not http"}
	}
	if u.Hostname() == "" {
		return &Error{Reason: "the address names no host"}
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		return checkAddress(ip)
	}
	return nil
}

func checkAddress(ip netip.Addr) error {
	if !address.Downloadable(ip) {
		return &Error{Reason: "the address is not allowed"}
	}
	return nil
}

// reason makes an Error of what a transfer ended with.
func reason(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, errDisk) {
		return err
	}
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return &Error{Reason: "host not found", Err: err}
	case errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Reason: "timed out", Retry: true, Err: err}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &Error{Reason: "connection refused", Retry: true, Err: err}
	default:
		return &Error{Reason: "connection lost", Retry: true, Err: err}
	}
}

func tooLarge(limit int64) error {
	return &Error{Reason: fmt.Sprintf("larger than the %d MiB allowed", limit>>20)}
}

// copy copies up to the limit. stop, when not nil, is called with the reason when no byte has come for too long.
func (f *Fetcher) copy(w io.Writer, r io.Reader, stop context.CancelCauseFunc) error {
	var stall *time.Timer
	if stop != nil {
		stall = time.AfterFunc(f.Stall, func() { stop(&Error{Reason: "timed out", Retry: true}) })
		defer stall.Stop()
	}
	buf := make([]byte, 128<<10)
	var total int64
	for {
		n, err := r.Read(buf)
		total += int64(n)
		if total > f.Limit {
			return tooLarge(f.Limit)
		}
		if n > 0 {
			if stall != nil {
				stall.Reset(f.Stall)
			}
			if _, err := w.Write(buf[:n]); err != nil {
				return errors.Join(errDisk, err)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// errDisk marks a failure of this machine's own disk.
var errDisk = errors.New("writing a fetched file")

// write makes the file at path from what fill writes; it appears only when whole.
func write(path string, fill func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".part-*")
	if err != nil {
		return errors.Join(errDisk, err)
	}
	err = fill(tmp)
	if closed := tmp.Close(); err == nil && closed != nil {
		err = errors.Join(errDisk, closed)
	}
	if err == nil {
		if err = os.Rename(tmp.Name(), path); err == nil {
			return nil
		}
		err = errors.Join(errDisk, err)
	}
	if gone := os.Remove(tmp.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		return errors.Join(err, gone)
	}
	return err
}
