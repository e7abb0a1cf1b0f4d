// Package answer writes answers: values as JSON, files and streams, and errors in the one shape that they have.
package answer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/gofiber/fiber/v2"

	"overcrank/api/request"
	"overcrank/farm"
)

// statuses gives each code of the farm its HTTP status.
var statuses = map[farm.Code]int{
	farm.CodeInvalid:      fiber.StatusBadRequest,
	farm.CodeUnauthorized: fiber.StatusUnauthorized,
	farm.CodeForbidden:    fiber.StatusForbidden,
	farm.CodeNotFound:     fiber.StatusNotFound,
	farm.CodeConflict:     fiber.StatusConflict,
	farm.CodeGone:         fiber.StatusGone,
	farm.CodeTooLarge:     fiber.StatusRequestEntityTooLarge,
	farm.CodeRateLimited:  fiber.StatusTooManyRequests,
	farm.CodeUnavailable:  fiber.StatusServiceUnavailable,
	farm.CodeInternal:     fiber.StatusInternalServerError,
}

// RetryAfter is, in seconds, when a refused caller may come again.
var RetryAfter = map[int]string{
	fiber.StatusServiceUnavailable: "2",
	fiber.StatusTooManyRequests:    "1",
}

// ErrorBody is the shape of every error.
type ErrorBody struct {
	Error   string            `json:"error"`
	Details []farm.FieldError `json:"details,omitempty"`
	// ErrorCode is the interface's own name for the error, where it has one.
	ErrorCode string `json:"errorCode,omitempty"`
}

// StatusOf is the HTTP status that an error is answered with.
func StatusOf(err error) int {
	var fe *farm.Error
	if errors.As(err, &fe) {
		if status, ok := statuses[fe.Code]; ok {
			return status
		}
		return fiber.StatusInternalServerError
	}
	var he *fiber.Error
	if errors.As(err, &he) {
		return he.Code
	}
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return fiber.StatusServiceUnavailable // this process has as many files open as it may, and closes some in a moment
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fiber.StatusServiceUnavailable
	}
	return fiber.StatusInternalServerError
}

// Error answers a request with an error. What the farm does not mean callers to see stays in the log.
func Error(c *fiber.Ctx, err error) error {
	status := StatusOf(err)
	body := ErrorBody{}
	var fe *farm.Error
	var he *fiber.Error
	switch {
	case status == fiber.StatusInternalServerError:
		body.Error = fmt.Sprintf("the farm failed to answer; its log says why under request %s", request.ID(c))
	case errors.As(err, &fe):
		body.Error, body.Details, body.ErrorCode = fe.Message, fe.Fields, fe.ErrorCode
	case errors.As(err, &he) && (he == fiber.ErrMethodNotAllowed || status == fiber.StatusNotFound && strings.HasPrefix(he.Message, "Cannot ")):
		// An address that exists only for other methods is as unknown as any other: the method is part of its name. But what it takes is told.
		status = fiber.StatusNotFound
		body.Error = UnknownAddress(c.Method(), c.Path())
		if methods := c.GetRespHeader(fiber.HeaderAllow); methods != "" {
			body.Error += "; this address takes " + methods
		}
	case errors.As(err, &he):
		body.Error = he.Message
	default:
		body.Error = "the farm is too busy to answer in time; try again"
	}
	if wait, ok := RetryAfter[status]; ok && len(c.Response().Header.Peek(fiber.HeaderRetryAfter)) == 0 {
		c.Set(fiber.HeaderRetryAfter, wait)
	}
	if status == fiber.StatusUnauthorized {
		c.Set(fiber.HeaderWWWAuthenticate, `Bearer realm="overcrank"`)
	}
	request.ID(c)
	return JSON(c, status, body)
}

// UnknownAddress words that the interface has no such address.
func UnknownAddress(method, path string) string {
	return fmt.Sprintf("there is no %.20s %.500s in this interface", method, path)
}

// options make the same text as encoding/json does, save that & and the like are not escaped: addresses stay readable.
var options = json.JoinOptions(jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false))

// Encode writes a value as JSON.
func Encode(v any) ([]byte, error) {
	text, err := json.Marshal(v, options)
	if err != nil {
		return nil, fmt.Errorf("writing the answer: %w", err)
	}
	return append(text, '\n'), nil
}

// JSON answers with a value, under a status.
func JSON(c *fiber.Ctx, status int, v any) error {
	body, err := Encode(v)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
	return c.Status(status).Send(body)
}

// OK answers 200 with a value.
func OK(c *fiber.Ctx, v any) error { return JSON(c, http.StatusOK, v) }

// Created answers 201 with a value.
func Created(c *fiber.Ctx, v any) error { return JSON(c, http.StatusCreated, v) }

// None answers 204, with nothing.
func None(c *fiber.Ctx) error {
	c.Status(http.StatusNoContent)
	return nil
}
