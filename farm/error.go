package farm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Code classes an error for callers that must decide on it.
type Code string

// The codes, each with one HTTP status at the edge.
const (
	CodeInvalid      Code = "invalid"
	CodeUnauthorized Code = "unauthorized"
	CodeForbidden    Code = "forbidden"
	CodeNotFound     Code = "not_found"
	CodeConflict     Code = "conflict"
	CodeGone         Code = "gone"
	CodeTooLarge     Code = "too_large"
	CodeRateLimited  Code = "rate_limited"
	CodeUnavailable  Code = "unavailable"
	CodeInternal     Code = "internal"
)

// Error is an error that a caller may be shown: what happened, to which thing, and what to do.
type Error struct {
	Code    Code
	Message string
	Fields  []FieldError // what is wrong with which field, for CodeInvalid
	Err     error        // cause, for the log only
	// Says is the message as pages say it, in the language of their reader; zero when there are no words for it but the message.
	Says Text
	// Cause is why a task cannot begin, where the error ends it; zero when nothing but the message tells.
	Cause Cause
	// ErrorCode is the public interface's own name for this error, "" when it has none.
	ErrorCode string
}

// SecretExists is the ErrorCode of a secret whose name is taken.
const SecretExists = "SECRET_ALREADY_EXISTS"

// FieldError is one thing wrong with one field of a request.
type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
	// Says is the message as pages say it; zero when there are no words for it but the message.
	Says Text `json:"-"`
}

// Field makes a FieldError: a message with verbs as of package fmt, which pages say in the language of their reader.
func Field(field, message string, args ...any) FieldError {
	says := Say(message, args...)
	if len(args) == 0 {
		return FieldError{Field: field, Message: says.String(), Says: says}
	}
	return FieldError{Field: field, Message: fmt.Sprintf(message, args...), Says: says}
}

// fieldKey is the key of a text that names a field.
const fieldKey = "field %s"

// Field is the field that a text names, as the interface calls it; ok is false for other texts.
func (t Text) Field() (name string, ok bool) {
	if t.Key != fieldKey || len(t.Args) != 1 {
		return "", false
	}
	name, ok = t.Args[0].(string)
	return name, ok
}

// AssetOf is the number, from 0, of the asset that a field of the interface belongs to, as assets[2].value does; ok is false for other fields.
func AssetOf(field string) (n int, ok bool) {
	rest, ok := strings.CutPrefix(field, "assets[")
	number, _, closed := strings.Cut(rest, "]")
	n, err := strconv.Atoi(number)
	return n, ok && closed && err == nil && n >= 0
}

// Text is what is wrong with the field, without its name.
func (f FieldError) Text() Text {
	if f.Says.IsZero() {
		return AsIs(f.Message)
	}
	return f.Says
}

// Errorf makes an Error; a %w in the format becomes its cause.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Says: Say(format, args...), Err: errors.Unwrap(err)}
}

// Invalid makes an Error of CodeInvalid that names the fields.
func Invalid(message string, fields ...FieldError) *Error {
	return &Error{Code: CodeInvalid, Message: message, Says: Say(message), Fields: fields}
}

// Because is the error with a cause that says nothing to people: it is for the log only.
func (e *Error) Because(cause error) *Error {
	e.Err = cause
	return e
}

// OfCause is the error as that of a task which cannot begin for a cause.
func (e *Error) OfCause(kind CauseKind, subject string) *Error {
	e.Cause = Cause{kind, subject}.Tidy()
	return e
}

// With is the error with what is wrong with its fields.
func (e *Error) With(fields ...FieldError) *Error {
	e.Fields = append(e.Fields, fields...)
	return e
}

// Text is the error as pages say it: the message with the fields behind it.
func (e *Error) Text() Text {
	says := e.Says
	if says.IsZero() {
		says = AsIs(e.Message)
	}
	if len(e.Fields) == 0 {
		return says
	}
	var fields Text
	for i, f := range e.Fields {
		field := Say("%s: %s", Text{Key: fieldKey, Args: []any{f.Field}}, f.Text())
		if i == 0 {
			fields = field
			continue
		}
		fields = Say("%s; %s", fields, field)
	}
	return Say("%s (%s)", says, fields)
}

// Error is the message with the fields behind it.
func (e *Error) Error() string {
	if len(e.Fields) == 0 {
		return e.Message
	}
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Field + ": " + f.Message
	}
	return e.Message + " (" + strings.Join(parts, "; ") + ")"
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf is the code of the first Error in err's chain, CodeInternal for other errors, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}
