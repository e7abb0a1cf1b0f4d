package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"overcrank/agent/presence"
)

// Server listens on the socket of an agent.
type Server struct {
	http *http.Server
	done chan error
}

// Serve listens on the socket of the agent on this data folder, which no other agent may use.
func Serve(dataDir string, agent Agent, log *slog.Logger) (*Server, error) {
	ln, err := Listen(dataDir, socketName)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathStatus, func(w http.ResponseWriter, _ *http.Request) { answer(w, agent.Status()) })
	mux.HandleFunc("PUT "+pathPause, func(w http.ResponseWriter, r *http.Request) {
		var p presence.Pause
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&p); err != nil {
			http.Error(w, "a pause is {\"on\": true, \"until\": \"2026-11-21T18:00:00+01:00\"}", http.StatusBadRequest)
			return
		}
		if err := agent.Pause(p); err != nil {
			log.Error("cannot pause the agent", "error", err)
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer(w, agent.Status())
	})
	mux.HandleFunc("PUT "+pathBattery, func(w http.ResponseWriter, r *http.Request) {
		var b Battery
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&b); err != nil {
			http.Error(w, "a choice for the battery is {\"never\": true}", http.StatusBadRequest)
			return
		}
		if err := agent.NeverOnBattery(b.Never); err != nil {
			log.Error("cannot keep the choice for the battery", "error", err)
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer(w, agent.Status())
	})
	mux.HandleFunc("GET "+pathPicture, func(w http.ResponseWriter, r *http.Request) {
		picture := agent.Picture(r.URL.Query().Get("task"))
		if picture == nil {
			http.Error(w, "there is no picture of this task", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "image/jpeg")
		_, _ = w.Write(picture) // an error means that the caller is gone
	})
	s := &Server{http: &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}, done: make(chan error, 1)}
	go func() { s.done <- s.http.Serve(ln) }()
	return s, nil
}

// Listen listens on the socket of this name of the agent on this data folder, which no other agent may use. All users of this machine may
// connect to it.
func Listen(dataDir, socket string) (net.Listener, error) {
	path, err := newSocketPath(dataDir, socket)
	if err != nil {
		return nil, fmt.Errorf("make the folder of the agent's socket: %w", err)
	}
	// An agent that was killed leaves its socket behind.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the old socket: %w", err)
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen on the agent's socket: %w", err)
	}
	if err := admit(path); err != nil {
		return nil, errors.Join(fmt.Errorf("let the users of this machine use the agent's socket: %w", err), ln.Close())
	}
	return ln, nil
}

func answer(w http.ResponseWriter, status Status) {
	w.Header().Set("Content-Type", "application/json")
	// An error means that the caller is gone.
	_ = json.NewEncoder(w).Encode(status)
}

// Close stops the server.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	if ended := <-s.done; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}
