package api

import (
	"bytes"
	"errors"
	"log/slog"
	"net"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/inbound"
)

// refuse answers outside the router, in the shape that all errors have.
func refuse(rc *fasthttp.RequestCtx, status int, why string) {
	say(rc, status, answer.ErrorBody{Error: why})
}

// say answers outside the router.
func say(rc *fasthttp.RequestCtx, status int, with any) {
	body, err := answer.Encode(with)
	if err != nil {
		rc.SetStatusCode(fiber.StatusInternalServerError)
		return
	}
	rc.SetStatusCode(status)
	rc.SetContentType(fiber.MIMEApplicationJSONCharsetUTF8)
	rc.SetBody(body)
}

// refuseUnreadable answers what could not be read as a request. The connection ends with it.
func refuseUnreadable(rc *fasthttp.RequestCtx, err error, logger *slog.Logger) {
	inbound.Linger(rc.Conn())
	request.AssignID(rc)
	var tooLarge *fasthttp.ErrSmallBuffer
	var network net.Error
	switch {
	case errors.As(err, &tooLarge):
		refuse(rc, fiber.StatusRequestHeaderFieldsTooLarge, "the address and headers of the request are longer than "+request.ByteSize(headerSize)+" together")
	case errors.As(err, &network) && network.Timeout():
		refuse(rc, fiber.StatusRequestTimeout, "the request did not come within "+readTimeout.String())
	default:
		refuse(rc, fiber.StatusBadRequest, "the request is not valid HTTP/1.1")
	}
	logger.Debug("a request could not be read", "status", rc.Response.StatusCode(), "error", err, "remote", rc.RemoteIP().String())
}

// checkFraming says what is wrong with headers that tell the end of a request in two ways, "" when nothing is. A proxy
// in front of the farm may believe the other one, and what it takes for a body would be a request here.
func checkFraming(headers []byte) string {
	var lengths, codings, hosts int
	for len(headers) > 0 {
		var line []byte
		line, headers, _ = bytes.Cut(headers, []byte{'\n'})
		name, value, found := bytes.Cut(line, []byte{':'})
		if !found {
			continue
		}
		switch {
		case bytes.EqualFold(name, []byte(fiber.HeaderContentLength)):
			lengths++
		case bytes.EqualFold(name, []byte(fiber.HeaderHost)):
			hosts++
		case bytes.EqualFold(name, []byte(fiber.HeaderTransferEncoding)):
			codings++
			if !bytes.EqualFold(bytes.TrimSpace(value), []byte("chunked")) {
				return "the only Transfer-Encoding here is chunked"
			}
		}
	}
	switch {
	case lengths > 1, codings > 1:
		return "the request gives its length twice"
	case lengths+codings > 1:
		return "the request has both a Content-Length and a Transfer-Encoding"
	case hosts > 1:
		return "the request names its host twice"
	}
	return ""
}
