package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"overcrank/agent/presence"
)

// ErrNoAgent means that no agent runs on the data folder, or that this user may not connect to it.
var ErrNoAgent = errors.New("no agent answers")

// answerTime is how long an agent may take to answer.
const answerTime = 10 * time.Second

// Ask asks the agent on this data folder for its status.
func Ask(ctx context.Context, dataDir string) (Status, error) {
	return send(ctx, dataDir, http.MethodGet, pathStatus, nil)
}

// Pause asks the agent on this data folder to pause, or to end a pause.
func Pause(ctx context.Context, dataDir string, p presence.Pause) (Status, error) {
	return send(ctx, dataDir, http.MethodPut, pathPause, p)
}

// NeverOnBattery asks the agent on this data folder not to work on the machine's battery, or to do what its settings say.
func NeverOnBattery(ctx context.Context, dataDir string, never bool) (Status, error) {
	return send(ctx, dataDir, http.MethodPut, pathBattery, Battery{Never: never})
}

// Picture asks the agent on this data folder for the small JPEG of a task's latest frame.
func Picture(ctx context.Context, dataDir, task string) ([]byte, error) {
	return request(ctx, dataDir, http.MethodGet, pathPicture+"?task="+url.QueryEscape(task), nil)
}

// send asks for something that is answered with a status.
func send(ctx context.Context, dataDir, method, path string, body any) (Status, error) {
	text, err := request(ctx, dataDir, method, path, body)
	if err != nil {
		return Status{}, err
	}
	var s Status
	if err := json.Unmarshal(text, &s); err != nil {
		return Status{}, fmt.Errorf("read the agent's answer: %w", err)
	}
	return s, nil
}

// request sends a request and returns what the agent answers.
func request(ctx context.Context, dataDir, method, path string, body any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return Dial(ctx, dataDir, socketName) },
	}}
	b, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("ask the agent: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://agent"+path, bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("ask the agent: %w", err)
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the agent: %w", err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("read the agent's answer: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the agent refuses: %s", strings.TrimSpace(string(text)))
	}
	return text, nil
}

// Dial connects to the first socket of this name of the agent on this data folder that answers.
func Dial(ctx context.Context, dataDir, socket string) (net.Conn, error) {
	all := ErrNoAgent
	for _, path := range socketPaths(dataDir, socket) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
		if err == nil {
			return conn, nil
		}
		all = fmt.Errorf("%w; %w", all, err)
	}
	return nil, all
}
