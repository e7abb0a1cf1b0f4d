package api

import (
	"net/http"

	"overcrank/farm"
)

// Waiting answers requests of a node that cannot serve yet: 503 with the reason and when to come again, except that it is alive.
// checks says what it waits for.
func Waiting(checks func() []farm.Check) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		sayWaiting(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		status, body := readiness(checks())
		sayWaiting(w, status, body)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		_, body := readiness(checks())
		sayWaiting(w, http.StatusServiceUnavailable, errorBody{Error: body.Error})
	})
	return mux
}

func sayWaiting(w http.ResponseWriter, status int, body any) {
	text, err := encode(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if wait, later := retryAfter[status]; later {
		w.Header().Set("Retry-After", wait)
	}
	w.WriteHeader(status)
	_, _ = w.Write(text) // whoever asked may have left
}
