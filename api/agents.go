package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/websocket"

	"overcrank/api/socket"
	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
)

const (
	enrolLimit     = 1 << 20
	thumbnailLimit = 256 << 10
)

// enrol gives a machine that knows the join token a credential of its own.
func (s *server) enrol(c *fiber.Ctx) error {
	token := bearer(c)
	if token == "" {
		return farm.Errorf(farm.CodeUnauthorized, "enrolling needs the farm's join token as bearer")
	}
	if err := s.farm.CheckJoinToken(token); err != nil {
		return s.refuseStranger(c, err) // before any of its body takes up memory
	}
	body, err := readBody(c, enrolLimit)
	if err != nil {
		return err
	}
	if err := checkJSON(body); err != nil {
		return err
	}
	var in wire.Enrol
	if err := json.Unmarshal(body, &in); err != nil {
		return farm.Errorf(farm.CodeInvalid, "the enrolment cannot be read: %w", err)
	}
	ctx, done := s.call(c)
	defer done()
	enrolled, err := s.farm.Enrol(ctx, token, in)
	if err != nil {
		return err
	}
	return created(c, enrolled)
}

// serveSession carries an agent's session.
func (s *server) serveSession(c *fiber.Ctx, a farm.Agent) error {
	opt := socket.Options{ReadLimit: wire.MaxMessage, Queue: 16}
	return s.sockets.Serve(c, opt, func(ctx context.Context, conn *socket.Conn) error {
		err := s.farm.ServeAgent(ctx, a, agentConn{conn})
		if farm.CodeOf(err) == farm.CodeInvalid {
			s.logger.Warn("an agent was turned away", "name", a.Name, "error", err)
			return nil
		}
		return err
	})
}

// agentConn speaks the messages of farm/wire over a socket.
type agentConn struct{ socket *socket.Conn }

func (c agentConn) Read() (wire.Message, error) {
	select {
	case data, open := <-c.socket.Messages():
		if !open {
			return wire.Message{}, io.EOF
		}
		var m wire.Message
		if err := json.Unmarshal(data, &m); err != nil {
			c.socket.Close(websocket.CloseInvalidFramePayloadData, "not a message of this protocol")
			return wire.Message{}, fmt.Errorf("reading an agent's message: %w", err)
		}
		return m, nil
	case <-c.socket.Done():
		return wire.Message{}, io.EOF
	}
}

func (c agentConn) Write(m wire.Message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing a message to an agent: %w", err)
	}
	return c.socket.Write(data)
}

func (c agentConn) Close(reason string) error {
	code := websocket.CloseNormalClosure
	if reason != "" {
		code = websocket.ClosePolicyViolation
	}
	c.socket.Close(code, reason)
	return nil
}

func (c agentConn) RemoteAddr() string { return c.socket.RemoteAddr() }

var sha256Hex = regexp.MustCompile(`^[0-9a-f]{64}$`)

// giveFile gives an agent a file that one of its leases names.
func (s *server) giveFile(c *fiber.Ctx, a farm.Agent) error {
	sha := c.Params("sha256")
	if !sha256Hex.MatchString(sha) {
		return farm.Errorf(farm.CodeNotFound, "there is no file %q: files are named by 64 hexadecimal digits", sha)
	}
	return s.give(c, FileOptions{ContentType: fiber.MIMEOctetStream, Download: true}, func(ctx context.Context) (*coordinator.File, error) {
		return s.farm.OpenFileFor(ctx, a, sha)
	})
}

// attemptOf reads which attempt an address is about.
func attemptOf(c *fiber.Ctx) (wire.Attempt, error) {
	n, err := strconv.Atoi(c.Params("attempt"))
	if err != nil || n < 1 {
		return wire.Attempt{}, farm.Errorf(farm.CodeInvalid, "the address holds no number of an attempt")
	}
	return wire.Attempt{Task: c.Params("task"), Attempt: n}, nil
}

// takeOutput takes a result of an attempt.
func (s *server) takeOutput(c *fiber.Ctx, a farm.Agent) error {
	at, err := attemptOf(c)
	if err != nil {
		return err
	}
	name, err := pathName(c, "name")
	if err != nil {
		return err
	}
	body, size, err := Body(c, uploadLimit)
	if err != nil {
		return err
	}
	output, err := s.farm.ReceiveOutput(s.transfer(c), a, at, name, body, size)
	if err != nil {
		return err
	}
	return ok(c, output)
}

// takeThumbnail takes a small picture of a frame that an attempt has rendered.
func (s *server) takeThumbnail(c *fiber.Ctx, a farm.Agent) error {
	at, err := attemptOf(c)
	if err != nil {
		return err
	}
	frame, err := strconv.Atoi(c.Params("frame"))
	if err != nil || frame < 0 {
		return farm.Errorf(farm.CodeInvalid, "the address holds no frame number")
	}
	picture, err := readBody(c, thumbnailLimit)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(picture, []byte{0xff, 0xd8, 0xff}) {
		return farm.Errorf(farm.CodeInvalid, "the picture of frame %d is no JPEG", frame)
	}
	ctx, done := s.call(c)
	defer done()
	if err := s.farm.ReceiveThumbnail(ctx, a, at, frame, picture); err != nil {
		return err
	}
	c.Status(fiber.StatusNoContent)
	return nil
}
