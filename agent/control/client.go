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

func send(ctx context.Context, dataDir, method, path string, body any) (Status, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, dataDir) },
	}}
	b, err := json.Marshal(body)
	if err != nil {
		return Status{}, fmt.Errorf("ask the agent: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://agent"+path, bytes.NewReader(b))
	if err != nil {
		return Status{}, fmt.Errorf("ask the agent: %w", err)
	}
	res, err := client.Do(req)
	if err != nil {
		return Status{}, fmt.Errorf("ask the agent: %w", err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return Status{}, fmt.Errorf("read the agent's answer: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return Status{}, fmt.Errorf("the agent refuses: %s", strings.TrimSpace(string(text)))
	}
	var s Status
	if err := json.Unmarshal(text, &s); err != nil {
		return Status{}, fmt.Errorf("read the agent's answer: %w", err)
	}
	return s, nil
}

// dial connects to the first socket of the agent on this data folder that answers.
func dial(ctx context.Context, dataDir string) (net.Conn, error) {
	all := ErrNoAgent
	for _, path := range socketPaths(dataDir) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
		if err == nil {
			return conn, nil
		}
		all = fmt.Errorf("%w; %w", all, err)
	}
	return nil, all
}
