//go:build linux

package chaos_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// call is one request that a webhook's receiver got.
type call struct {
	Delivery  string        `json:"delivery"`
	Job       string        `json:"job"`
	Status    string        `json:"status"`
	Sum       string        `json:"sum"` // SHA-256 of the body
	Signature string        `json:"signature"`
	Genuine   bool          `json:"genuine"` // the signature is that of the body
	Answered  int           `json:"answered"`
	At        time.Duration `json:"at"`
}

// receiver takes webhooks, and behaves badly at the first two tries of some deliveries.
type receiver struct {
	history *history
	server  *http.Server
	address string
	serving sync.WaitGroup
	quit    chan struct{}

	mu    sync.Mutex
	key   string
	calls []call
	tries map[string]int
}

// hang is longer than the farm waits for an answer.
const hang = 12 * time.Second

func newReceiver(h *history, ip string) (*receiver, error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		return nil, err
	}
	r := &receiver{history: h, address: "http://" + ln.Addr().String() + "/", tries: map[string]int{}, quit: make(chan struct{})}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	r.serving.Go(func() { _ = r.server.Serve(ln) })
	return r, nil
}

func (r *receiver) close() {
	close(r.quit)
	_ = r.server.Close()
	r.serving.Wait()
}

func (r *receiver) setKey(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.key = key
}

// all is what has come so far.
func (r *receiver) all() []call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]call(nil), r.calls...)
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.serving.Add(1)
	defer r.serving.Done()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the farm was cut off, and comes again
	}
	sum := sha256.Sum256(body)
	got := call{
		Delivery: req.Header.Get("X-Delivery-Id"), Signature: req.Header.Get("X-Signature"), Sum: hex.EncodeToString(sum[:]), At: r.history.now(),
	}
	var job struct{ ID, Status string }
	if json.Unmarshal(body, &job) == nil {
		got.Job, got.Status = job.ID, job.Status
	}
	r.mu.Lock()
	mac := hmac.New(sha256.New, []byte(r.key))
	mac.Write(body)
	got.Genuine = got.Signature == "sha256="+hex.EncodeToString(mac.Sum(nil))
	r.tries[got.Delivery]++
	try := r.tries[got.Delivery]
	manners := mannersOf(got.Delivery, try)
	got.Answered = map[manner]int{polite: http.StatusNoContent, rude: http.StatusInternalServerError}[manners]
	r.calls = append(r.calls, got)
	r.mu.Unlock()
	switch manners {
	case silent:
		select {
		case <-time.After(hang):
		case <-req.Context().Done():
		case <-r.quit:
		}
		panic(http.ErrAbortHandler)
	case abrupt:
		panic(http.ErrAbortHandler)
	default:
		w.WriteHeader(got.Answered)
	}
}

// manner is how the receiver treats a request.
type manner int

const (
	polite manner = iota
	rude          // an error
	silent        // no answer, for longer than anybody waits
	abrupt        // the connection breaks
)

// mannersOf chooses by the delivery, so that a farm that delivers twice finds the same.
func mannersOf(delivery string, try int) manner {
	sum := fnv.New32a()
	_, _ = io.WriteString(sum, delivery)
	switch n := sum.Sum32() % 20; {
	case try > 2 || try == 2 && n != 0:
		return polite
	case n < 3:
		return rude
	case n < 5:
		return abrupt
	case n < 6:
		return silent
	}
	return polite
}
