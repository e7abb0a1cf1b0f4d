package outbound

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
)

// Reason says in a few words why a request failed, without the address, since that may hold a password. temporary reports whether the
// same request may succeed later.
func Reason(err error) (reason string, temporary bool) {
	var dns *net.DNSError
	var timeout net.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, ErrForbidden):
		return ErrForbidden.Error(), false
	case errors.Is(err, ErrScheme):
		return ErrScheme.Error(), false
	case errors.Is(err, ErrRedirects):
		return ErrRedirects.Error(), false
	case errors.Is(err, ErrTooSlow):
		return ErrTooSlow.Error(), true
	case errors.Is(err, ErrStalled):
		return ErrStalled.Error(), true
	case errors.As(err, &dns) && dns.IsNotFound:
		return "host not found", false
	case errors.As(err, &certificate):
		return "its certificate cannot be verified", false
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timed out", true
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused", true
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the other side closed the connection", true
	default:
		return "connection lost", true
	}
}
