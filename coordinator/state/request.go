package state

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"
	"time"

	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Request is one request that must not be carried out twice, under a key that its caller chose. The first command that an
// operation commits on its behalf carries the key, so that a crash at any moment leaves either nothing or the word that it
// was carried out. What it was answered is kept beside it for a day.
//
// Operations find it in their context and need not know of it. When the farm was interrupted before it had answered, an
// operation that can tell from the state what it came to does so (Made); for others the repetition is refused.
type Request struct {
	all     *Requests
	slot    string // in Requests.busy
	key     command.RequestKey
	body    func(limit int64) (hash string, size int64, err error)
	kept    *command.Request // what was kept of it before; nil for a request that comes for the first time
	claimed bool             // a command has carried the key
	// overtaken says that the same request was carried out at another node while this one was on its way.
	overtaken bool
}

// Requests are those of a farm, of which none is carried out twice.
type Requests struct {
	state  *State
	derive func(purpose string, size int) []byte

	mu   sync.Mutex
	busy map[string]chan struct{} // what is going on, each with what is closed at its end
}

// NewRequests takes up requests that change a state. derive makes keys of the farm's key: what hashes requests and seals their answers.
func NewRequests(s *State, derive func(purpose string, size int) []byte) *Requests {
	return &Requests{state: s, derive: derive, busy: map[string]chan struct{}{}}
}

// Begin begins a request under a key; one under the same key that is going on is waited for. body gives a hash of the
// whole request, of NewHash, and the size of its body; it is asked when both are needed, and may read what nobody has
// read so far, up to a limit on the size of the whole that is -1 for none. End has to be called.
func (q *Requests) Begin(ctx context.Context, p farm.Principal, key string, body func(limit int64) (hash string, size int64, err error)) (*Request, error) {
	r := &Request{all: q, slot: p.Team + "\x00" + key, key: command.RequestKey{Team: p.Team, Key: key, At: q.state.Now()}, body: body}
	for {
		ended := q.takeSlot(r.slot)
		if ended == nil {
			break
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, farm.Errorf(farm.CodeConflict, "a request with the Idempotency-Key %q is going on; send it again when that has been answered", key)
		}
	}
	err := q.state.View(func(tx *raftstore.Tx) error {
		kept, err := tx.Request(p.Team, key)
		if err == nil && q.state.Now().Sub(kept.At) < command.RequestLife {
			r.kept = &kept
		}
		return err
	})
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		r.End()
		return nil, err
	}
	return r, nil
}

// takeSlot takes the right to carry a request out; else it gives what is closed when whoever has it is through.
func (q *Requests) takeSlot(slot string) (ended chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if other := q.busy[slot]; other != nil {
		return other
	}
	q.busy[slot] = make(chan struct{})
	return nil
}

// End lets the next request with the same key go on.
func (r *Request) End() {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	close(r.all.busy[r.slot])
	delete(r.all.busy, r.slot)
}

// Repeated says whether the request was carried out before.
func (r *Request) Repeated() bool { return r.kept != nil }

// Answered gives the answer of a request that was carried out before, nil when it was not. It is also nil when the answer was
// not kept; the operation may then be carried out again, and comes to what it came to before. CodeConflict when this is another
// request under the same key.
func (r *Request) Answered() (*Answer, error) {
	if r.kept == nil || r.kept.Answer == nil {
		return nil, nil
	}
	if err := r.same(); err != nil {
		return nil, err
	}
	return r.all.openAnswer(r.kept)
}

const (
	// overtakenWithin is how long the answer of a request is waited for that another node carries out, and overtakenLook is
	// between two looks.
	overtakenWithin = 10 * time.Second
	overtakenLook   = 50 * time.Millisecond
)

// Overtaken gives the answer of the same request that came at another node and was carried out there, while this one was on its way.
// It waits for it; nil means that this was not so, or that none is kept.
func (r *Request) Overtaken(ctx context.Context) (*Answer, error) {
	if !r.overtaken {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, overtakenWithin)
	defer cancel()
	for {
		var kept command.Request
		err := r.all.state.View(func(tx *raftstore.Tx) (err error) {
			kept, err = tx.Request(r.key.Team, r.key.Key)
			return err
		})
		if err != nil {
			return nil, err
		}
		if kept.Answer != nil {
			return r.all.openAnswer(&kept)
		}
		if interval.Wait(ctx, overtakenLook) != nil {
			return nil, nil
		}
	}
}

// same makes sure that this is the request of before.
func (r *Request) same() error {
	err := r.settleHash(r.kept.Size)
	if err != nil && farm.CodeOf(err) != farm.CodeTooLarge {
		return err
	}
	if err != nil || r.key.Hash != r.kept.Hash {
		return farm.Errorf(farm.CodeConflict, "the Idempotency-Key %q was used for another request within the last 24 hours; choose a new one", r.key.Key)
	}
	return nil
}

func (r *Request) settleHash(limit int64) (err error) {
	if r.key.Hash == "" {
		r.key.Hash, r.key.Size, err = r.body(limit)
	}
	return err
}

// Keep keeps what the request was answered.
func (r *Request) Keep(ctx context.Context, answer Answer) error {
	if err := r.settleHash(-1); err != nil {
		return err
	}
	sealed, err := r.all.sealAnswer(r.key, answer)
	if err != nil {
		return err
	}
	if len(sealed) > maxKeptAnswer {
		if r.claimed || r.kept != nil {
			return nil
		}
		sealed = nil
	}
	_, err = r.all.state.Apply(Aside(context.WithoutCancel(ctx)), command.KeepAnswer{RequestKey: r.key, Answer: sealed})
	return err
}

type requestInContext struct{}

// WithRequest gives operations the request that they serve.
func WithRequest(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestInContext{}, r)
}

// Aside is for commands that only prepare what a request asks for.
func Aside(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestInContext{}, (*Request)(nil))
}

func requestOf(ctx context.Context) *Request {
	r, _ := ctx.Value(requestInContext{}).(*Request)
	return r
}

// Made gives what the request of ctx came to, by ids, when it was carried out before without an answer being kept.
func Made(ctx context.Context) (ids []string, before bool, err error) {
	r := requestOf(ctx)
	if r == nil || r.kept == nil {
		return nil, false, nil
	}
	if err := r.same(); err != nil {
		return nil, false, err
	}
	if len(r.kept.Made) == 0 {
		return nil, false, errAnswerLost(r.key.Key)
	}
	return r.kept.Made, true, nil
}

func errAnswerLost(key string) error {
	return farm.Errorf(farm.CodeConflict,
		"the request with the Idempotency-Key %q was carried out, but the farm was interrupted before it could answer, and cannot answer it again: look at what is there, and send what is missing under a new key", key)
}

// claim is the key that the next command has to carry, nil for none: only the first command of an operation carries it.
func claim(ctx context.Context) (*command.RequestKey, error) {
	r := requestOf(ctx)
	if r == nil || r.claimed {
		return nil, nil
	}
	if r.kept != nil {
		if err := r.same(); err != nil {
			return nil, err
		}
		return nil, errAnswerLost(r.key.Key)
	}
	if err := r.settleHash(-1); err != nil {
		return nil, err
	}
	return &r.key, nil
}

// NewHash makes what requests are hashed with. It is keyed: a plain hash would let somebody who reads the state try
// guesses of what a body held.
func (q *Requests) NewHash() hash.Hash {
	return hmac.New(sha256.New, q.derive("requests", 32))
}

// HashText writes a hash the way a Request has it.
func HashText(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// forgetGroup is how many requests one command forgets at most.
const forgetGroup = 5000

// Forget forgets the requests whose day is over.
func (q *Requests) Forget(ctx context.Context, now time.Time) error {
	before := now.Add(-command.RequestLife)
	for ctx.Err() == nil {
		more := false
		err := q.state.View(func(tx *raftstore.Tx) error {
			more = tx.RequestsBefore(before)
			return nil
		})
		if err != nil || !more {
			return err
		}
		if _, err := q.state.Apply(ctx, command.ForgetRequests{Before: before, Limit: forgetGroup}); err != nil {
			return err
		}
	}
	return ctx.Err()
}
