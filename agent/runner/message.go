package runner

import (
	"encoding/json"
	"fmt"
	"time"
)

// protocol is the version of the protocol. Service and runner have the same version, except for moments during an update.
const protocol = 1

// hello is a runner's introduction. Which account it has, the system tells.
type hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"` // of the program
}

// welcome answers a hello.
type welcome struct {
	Refused string `json:"refused,omitempty"` // why the runner is refused; "" when it is accepted
	Another bool   `json:"another,omitempty"` // it is refused because its version differs; a restart brings the right one
}

// start requests a program. Its command is built from these fields and nothing else.
type start struct {
	Engine    string   `json:"engine"`              // path of an aerender
	Script    string   `json:"script,omitempty"`    // path of the script file that the After Effects beside it is to run; "" for a render
	Arguments []string `json:"arguments,omitempty"` // of aerender
	Dir       string   `json:"dir"`                 // working folder
}

// signal is what to do with a program.
type signal byte

const (
	signalAsk   signal = iota + 1 // ask it to end
	signalKill                    // kill it
	signalLower                   // lower its priority
)

// exited is the end of a program.
type exited struct {
	Code  int    `json:"code"`
	Error string `json:"error,omitempty"` // why it was not started
}

// seen is what a runner sees of its session.
type seen struct {
	Idle   time.Duration `json:"idle"` // since the last input, in nanoseconds
	Known  bool          `json:"known,omitempty"`
	Locked bool          `json:"locked,omitempty"`
}

// discard requests that what After Effects has added to its caches since a time is removed.
type discard struct {
	Since time.Time `json:"since"`
}

// discarded answers it.
type discarded struct {
	Error string `json:"error,omitempty"`
}

// message encodes a message as a frame.
func message(k kind, stream uint32, m any) (frame, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return frame{}, fmt.Errorf("writing a message: %w", err)
	}
	if len(b) > maxMessage {
		return frame{}, fmt.Errorf("a message of %d bytes is too long", len(b))
	}
	return frame{kind: k, stream: stream, content: b}, nil
}

// tell sends a message.
func (l *line) tell(k kind, stream uint32, m any) error {
	f, err := message(k, stream, m)
	if err != nil {
		return err
	}
	return l.send(f)
}

// read decodes the message in a frame.
func (f frame) read(m any) error {
	if err := json.Unmarshal(f.content, m); err != nil {
		return fmt.Errorf("%w: %w", errProtocol, err)
	}
	return nil
}
