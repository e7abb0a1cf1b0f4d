package outbound_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	"overcrank/outbound"
)

func TestReasonsAreShortAndSayWhetherToTryAgain(t *testing.T) {
	wrap := func(err error) error {
		return &url.Error{Op: "Get", URL: "http://u:hidden@x/", Err: &net.OpError{Op: "dial", Err: err}}
	}
	for want, c := range map[string]struct {
		err     error
		passing bool
	}{
		"the address is not allowed by this farm":    {wrap(fmt.Errorf("%w: 169.254.169.254:80", outbound.ErrForbidden)), false},
		"only http and https addresses can be asked": {outbound.ErrScheme, false},
		"it redirects more than 5 times":             {wrap(outbound.ErrRedirects), false},
		"host not found":                             {wrap(&net.DNSError{IsNotFound: true}), false},
		"timed out":                                  {wrap(os.ErrDeadlineExceeded), true},
		"too slow: less than 256 KiB a minute":       {fmt.Errorf("downloading: %w", outbound.ErrTooSlow), true},
		"connection refused":                         {wrap(syscall.ECONNREFUSED), true},
		"the other side closed the connection":       {wrap(io.EOF), true},
		"connection lost":                            {errors.New("http://u:hidden@x/ is gone"), true},
	} {
		if got, passing := outbound.Reason(c.err); got != want || passing != c.passing {
			t.Errorf("%v: %q, %t; want %q", c.err, got, passing, want)
		}
	}
}
