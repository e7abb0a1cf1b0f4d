package internode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"overcrank/farm"
)

// errorLimit bounds the words of an error, in bytes.
const errorLimit = 64 << 10

// problem is an error on its way from one node to another.
type problem struct {
	Code      farm.Code         `json:"code"`
	Message   string            `json:"message"`
	Fields    []farm.FieldError `json:"fields,omitempty"`
	ErrorCode string            `json:"errorCode,omitempty"`
}

// Refuse answers a request with an error, as ErrorOf reads it.
func Refuse(w http.ResponseWriter, status int, err error) {
	p := problem{Code: farm.CodeOf(err), Message: err.Error()}
	var known *farm.Error
	if errors.As(err, &known) {
		p = problem{Code: known.Code, Message: known.Message, Fields: known.Fields, ErrorCode: known.ErrorCode}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(p) // nobody is left to tell when the other node is gone
}

// ErrorOf is the error of an answer that Refuse gave, a *farm.Error.
func ErrorOf(res *http.Response) error {
	var p problem
	if err := json.NewDecoder(io.LimitReader(res.Body, errorLimit)).Decode(&p); err != nil || p.Code == "" {
		return farm.Errorf(farm.CodeUnavailable, "another coordinator answered with %s", res.Status)
	}
	return &farm.Error{
		Code: p.Code, Message: p.Message, Fields: p.Fields, ErrorCode: p.ErrorCode,
		Err: fmt.Errorf("another coordinator answered with %s", res.Status),
	}
}
