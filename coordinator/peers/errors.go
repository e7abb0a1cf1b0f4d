package peers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"overcrank/farm"
)

// errorLimit bounds the text of an error, in bytes.
const errorLimit = 64 << 10

// problem is an error on its way from one coordinator to another.
type problem struct {
	Code      farm.Code         `json:"code"`
	Message   string            `json:"message"`
	Fields    []farm.FieldError `json:"fields,omitempty"`
	Says      farm.Text         `json:"says,omitzero"`
	FieldSays []farm.Text       `json:"fieldSays,omitempty"` // what each of the fields says
	ErrorCode string            `json:"errorCode,omitempty"`
}

// give answers a request with what it asked for, or with an error.
func give(w http.ResponseWriter, out any, err error) {
	var text []byte
	if err == nil {
		text, err = json.Marshal(out)
	}
	switch {
	case err == nil:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text) // a coordinator that has gone notices by itself
	case notLeading(err):
		refuse(w, statusNotLeading, err)
	default:
		refuse(w, http.StatusConflict, err)
	}
}

// refuse answers a request with an error, as errorOf reads it.
func refuse(w http.ResponseWriter, status int, err error) {
	p := problem{Code: farm.CodeOf(err), Message: err.Error()}
	var known *farm.Error
	if errors.As(err, &known) {
		p = problem{Code: known.Code, Message: known.Message, Fields: known.Fields, Says: known.Says, ErrorCode: known.ErrorCode}
		for _, f := range known.Fields {
			p.FieldSays = append(p.FieldSays, f.Says)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(p) // a coordinator that has gone notices by itself
}

// errorOf is the error of an answer that refuse gave: a *farm.Error, beside ErrNotLeading where that is what it says.
func errorOf(res *http.Response) error {
	var p problem
	var err error
	if json.NewDecoder(io.LimitReader(res.Body, errorLimit)).Decode(&p) != nil || p.Code == "" {
		err = farm.Errorf(farm.CodeUnavailable, "another coordinator answered with %s", res.Status)
	} else {
		for i := range min(len(p.Fields), len(p.FieldSays)) {
			p.Fields[i].Says = p.FieldSays[i]
		}
		err = &farm.Error{
			Code: p.Code, Message: p.Message, Fields: p.Fields, Says: p.Says, ErrorCode: p.ErrorCode,
			Err: fmt.Errorf("another coordinator answered with %s", res.Status),
		}
	}
	if res.StatusCode == statusNotLeading {
		err = errors.Join(err, ErrNotLeading)
	}
	return err
}
