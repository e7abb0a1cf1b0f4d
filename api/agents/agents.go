package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/websocket"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/socket"
	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/farm/wire"
)

const (
	enrolLimit     = 1 << 20
	thumbnailLimit = 256 << 10
)

// enrol gives a machine that has a join token a certificate of its own.
func (s *server) enrol(c *fiber.Ctx) error {
	if _, err := request.Certificate(c); err != nil {
		return err
	}
	token := request.Bearer(c)
	if token == "" {
		return farm.Errorf(farm.CodeUnauthorized, "enrolling needs the secret of a join token as bearer")
	}
	if err := s.farm.CheckJoinToken(token); err != nil {
		return s.strangers.Refuse(c, err) // before any of its body takes up memory
	}
	var in wire.Enrol
	if err := readMessage(c, enrolLimit, &in); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	enrolled, err := s.farm.Enrol(ctx, token, in)
	if err != nil {
		return s.strangers.Refuse(c, err)
	}
	return answer.Created(c, enrolled)
}

// renew gives an agent the certificate of its next key. One that enrolled with an earlier release shows its secret, once.
func (s *server) renew(c *fiber.Ctx) error {
	certificate, err := request.Certificate(c)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	var a farm.Agent
	if certificate != nil {
		a, err = s.farm.AuthenticateAgent(ctx, certificate)
	} else {
		a, err = s.farm.AuthenticateEarlierAgent(ctx, request.Bearer(c))
	}
	if err != nil {
		return s.strangers.Refuse(c, err)
	}
	var in wire.Renew
	if err := readMessage(c, enrolLimit, &in); err != nil {
		return err
	}
	enrolled, err := s.farm.Renew(ctx, a, in)
	if err != nil {
		return err
	}
	return answer.Created(c, enrolled)
}

// prove proves to an agent of an earlier release that this is its farm.
func (s *server) prove(c *fiber.Ctx) error {
	if _, err := request.Certificate(c); err != nil {
		return err
	}
	var in wire.Prove
	if err := readMessage(c, enrolLimit, &in); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	proof, err := s.farm.Prove(ctx, in)
	if err != nil {
		return s.strangers.Refuse(c, err)
	}
	return answer.OK(c, proof)
}

// readMessage reads a message of farm/wire from the body.
func readMessage(c *fiber.Ctx, limit int64, into any) error {
	body, err := request.ReadBody(c, limit)
	if err != nil {
		return err
	}
	if err := input.CheckJSON(body); err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return farm.Errorf(farm.CodeInvalid, "the request cannot be read: %w", err)
	}
	return nil
}

// session opens an agent's session. An agent of an earlier release, which comes with its secret, is told what to do.
func (s *server) session(c *fiber.Ctx) error {
	certificate, err := request.Certificate(c)
	if certificate != nil || request.Bearer(c) == "" {
		return s.forAgent(s.serveSession)(c)
	}
	ctx, done := request.Call(c)
	defer done()
	a, unknown := s.farm.AuthenticateEarlierAgent(ctx, request.Bearer(c))
	switch {
	case farm.CodeOf(unknown) == farm.CodeUnauthorized && err != nil:
		return s.strangers.Refuse(c, err)
	case unknown != nil:
		return s.strangers.Refuse(c, unknown)
	}
	return s.sockets.Serve(c, socket.Options{ReadLimit: wire.MaxMessage}, func(_ context.Context, conn *socket.Conn) error {
		s.logger.Warn("an agent was turned away", "name", a.Name, "error", s.farm.TurnAway(agentConn{conn}))
		return nil
	})
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
			if hello, ok := earlierHello(data); ok {
				return hello, nil
			}
			c.socket.Close(websocket.CloseInvalidFramePayloadData, "not a message of this protocol")
			return wire.Message{}, fmt.Errorf("reading an agent's message: %w", err)
		}
		return m, nil
	case <-c.socket.Done():
		return wire.Message{}, io.EOF
	}
}

// earlierHello reads what an agent of another release says first, as far as every release says it alike.
func earlierHello(data []byte) (wire.Message, bool) {
	var m struct {
		Hello *struct {
			Version int `json:"version"`
		} `json:"hello"`
	}
	if json.Unmarshal(data, &m) != nil || m.Hello == nil || m.Hello.Version == wire.Version {
		return wire.Message{}, false
	}
	return wire.Message{Hello: &wire.Hello{Version: m.Hello.Version}}, true
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
	return answer.OpenFile(c, answer.FileOptions{ContentType: fiber.MIMEOctetStream, Download: true}, func(ctx context.Context) (*files.File, error) {
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
	name, err := input.PathName(c, "name")
	if err != nil {
		return err
	}
	body, size, err := request.Body(c, request.UploadLimit)
	if err != nil {
		return err
	}
	output, err := s.farm.Results().Receive(request.Transfer(c), a, at, name, body, size, strings.Clone(c.Get(wire.HeaderSHA256)))
	if err != nil {
		return err
	}
	return answer.OK(c, output)
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
	picture, err := request.ReadBody(c, thumbnailLimit)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(picture, []byte{0xff, 0xd8, 0xff}) {
		return farm.Errorf(farm.CodeInvalid, "the picture of frame %d is no JPEG", frame)
	}
	ctx, done := request.Call(c)
	defer done()
	if err := s.farm.Results().ReceiveThumbnail(ctx, a, at, frame, picture); err != nil {
		return err
	}
	c.Status(fiber.StatusNoContent)
	return nil
}

// forAgent lets a request through to h when its connection shows the certificate of an agent.
func (s *server) forAgent(h func(c *fiber.Ctx, a farm.Agent) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		certificate, err := request.Certificate(c)
		if err != nil {
			return err
		}
		if certificate == nil {
			return farm.Errorf(farm.CodeUnauthorized, "this address is for enrolled agents, and the connection shows no agent's certificate")
		}
		ctx, done := request.Call(c)
		defer done()
		a, err := s.farm.AuthenticateAgent(ctx, certificate)
		if err != nil {
			return s.strangers.Refuse(c, err)
		}
		return h(c, a)
	}
}
