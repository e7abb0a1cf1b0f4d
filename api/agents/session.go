package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/websocket"

	"overcrank/api/request"
	"overcrank/api/socket"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// session opens an agent's session. An agent of an earlier release, which comes with its secret, is told what to do.
func (s *server) session(c *fiber.Ctx) error {
	certificate, err := request.Certificate(c)
	if certificate != nil || request.Bearer(c) == "" {
		return s.forAgent(s.serveSession)(c)
	}
	ctx, done := request.Call(c)
	defer done()
	a, unknown := s.machines.AuthenticateEarlierAgent(ctx, request.Bearer(c))
	switch {
	case farm.CodeOf(unknown) == farm.CodeUnauthorized && err != nil:
		return s.strangers.Refuse(c, err)
	case unknown != nil:
		return s.strangers.Refuse(c, unknown)
	}
	return s.sockets.Serve(c, socket.Options{ReadLimit: wire.MaxMessage}, func(_ context.Context, conn *socket.Conn) error {
		s.logger.Warn("an agent was turned away", "name", a.Name, "error", s.sessions.TurnAway(agentConn{conn}))
		return nil
	})
}

// serveSession carries an agent's session.
func (s *server) serveSession(c *fiber.Ctx, a farm.Agent) error {
	opt := socket.Options{ReadLimit: wire.MaxMessage, Queue: 16}
	return s.sockets.Serve(c, opt, func(ctx context.Context, conn *socket.Conn) error {
		err := s.sessions.ServeAgent(ctx, a, agentConn{conn})
		if farm.CodeOf(err) == farm.CodeInvalid {
			s.logger.Warn("an agent was turned away", "name", a.Name, "error", err)
			return nil
		}
		return err
	})
}

// agentConn speaks the messages of farm/wire over a socket.
type agentConn struct{ socket *socket.Conn }

// Read implements dispatch.AgentConn.
func (c agentConn) Read() (wire.Message, error) {
	select {
	case data, open := <-c.socket.Messages():
		if !open {
			return wire.Message{}, io.EOF
		}
		var m wire.Message
		if err := json.Unmarshal(data, &m); err != nil {
			if hello, ok := otherHello(data); ok {
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

// otherHello reads what an agent of another version of the protocol says first, as far as every version says it alike.
func otherHello(data []byte) (wire.Message, bool) {
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

// Write implements dispatch.AgentConn.
func (c agentConn) Write(m wire.Message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing a message to an agent: %w", err)
	}
	return c.socket.Write(data)
}

// Close implements dispatch.AgentConn. Its reason is the agent's to read.
func (c agentConn) Close(reason string) error {
	code := websocket.CloseNormalClosure
	if reason != "" {
		code = websocket.ClosePolicyViolation
	}
	c.socket.Close(code, reason)
	return nil
}

// RemoteAddr implements dispatch.AgentConn.
func (c agentConn) RemoteAddr() string { return c.socket.RemoteAddr() }
