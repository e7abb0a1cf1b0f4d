package client

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Error is an answer of the farm that is not a success.
type Error struct {
	Status    int
	Message   string
	Code      string // such as SECRET_ALREADY_EXISTS, mostly ""
	Details   []Detail
	RequestID string
	Body      []byte // as it came

	retryAfter string
}

// Detail is what is wrong with one field.
type Detail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Message)
	for _, d := range e.Details {
		if !strings.Contains(e.Message, d.Message) {
			fmt.Fprintf(&b, "\n  %s: %s", d.Field, d.Message)
		}
	}
	if e.Status >= 500 && e.RequestID != "" {
		fmt.Fprintf(&b, "\n  (request %s; the coordinator's log says more)", e.RequestID)
	}
	return b.String()
}

// IsStatus tells whether err is an answer of that HTTP status.
func IsStatus(err error, status int) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == status
}

// UnreachableError says that the farm gave no answer.
type UnreachableError struct {
	Server string
	Err    error
}

func (e *UnreachableError) Error() string {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	switch {
	case errors.As(e.Err, &unknown):
		return fmt.Sprintf("%s shows a certificate of an authority that this machine does not know; if it is the farm's own, name that with --ca-file "+
			"(ca.crt in a coordinator's data folder)", e.Server)
	case errors.As(e.Err, &name):
		return fmt.Sprintf("%s shows a certificate for another name: %v; ask for the farm by the name that stands in it", e.Server, name)
	}
	return fmt.Sprintf("no answer from %s: %v (is the farm running? start one with: overcrank up)", e.Server, e.Err)
}

// Unwrap is what went wrong with the connection.
func (e *UnreachableError) Unwrap() error { return e.Err }

// errorLimit bounds how much of an error's body is read; that of a refused batch lists up to 1,000 jobs.
const errorLimit = 4 << 20

func decodeError(resp *http.Response) *Error {
	e := &Error{Status: resp.StatusCode, RequestID: resp.Header.Get("X-Request-Id"), retryAfter: resp.Header.Get("Retry-After")}
	e.Body, _ = io.ReadAll(io.LimitReader(resp.Body, errorLimit))
	var body struct {
		Error     string   `json:"error"`
		ErrorCode string   `json:"errorCode"`
		Details   []Detail `json:"details"`
	}
	if json.Unmarshal(e.Body, &body) == nil && body.Error != "" {
		e.Message, e.Code, e.Details = body.Error, body.ErrorCode, body.Details
	} else {
		e.Message = "the farm answered " + resp.Status
	}
	return e
}
