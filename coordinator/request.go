package coordinator

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"time"

	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore"
)

// Request is one request that must not be carried out twice, under a key that its caller chose. The first command that an
// operation commits on its behalf carries the key, so that a crash at any moment leaves either nothing or the word that it
// was carried out. What it was answered is kept beside it for a day.
//
// Operations find it in their context and need not know of it. When the farm was interrupted before it had answered, an
// operation that can tell from the state what it came to does so (made); for others the repetition is refused.
type Request struct {
	c       *Coordinator
	slot    string // in requests.busy
	key     raftstore.RequestKey
	body    func(limit int64) (hash string, size int64, err error)
	kept    *raftstore.Request // what was kept of it before; nil for a request that comes for the first time
	claimed bool               // a command has carried the key
	// overtaken says that the same request was carried out at another node while this one was on its way.
	overtaken bool
}

// Answer is what a request was answered.
type Answer struct {
	Status      int    `json:"status"`
	ContentType string `json:"type"`
	Body        []byte `json:"body"`
}

// maxKeptAnswer bounds what is kept of an answer, in sealed bytes. A longer one is made again when it is asked for.
const maxKeptAnswer = 256 << 10

// BeginRequest begins a request under a key; one under the same key that is going on is waited for. body gives a hash of the
// whole request, of NewRequestHash, and the size of its body; it is asked when both are needed, and may read what nobody has
// read so far, up to a limit on the size of the whole that is -1 for none. End has to be called.
func (c *Coordinator) BeginRequest(ctx context.Context, p farm.Principal, key string, body func(limit int64) (hash string, size int64, err error)) (*Request, error) {
	r := &Request{c: c, slot: p.Team + "\x00" + key, key: raftstore.RequestKey{Team: p.Team, Key: key, At: c.cfg.Now()}, body: body}
	for {
		ended := c.takeSlot(r.slot)
		if ended == nil {
			break
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, farm.Errorf(farm.CodeConflict, "a request with the Idempotency-Key %q is going on; send it again when that has been answered", key)
		}
	}
	err := c.store.View(func(tx *raftstore.Tx) error {
		kept, err := tx.Request(p.Team, key)
		if err == nil && c.cfg.Now().Sub(kept.At) < raftstore.RequestLife {
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
func (c *Coordinator) takeSlot(slot string) (ended chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.busy[slot]; other != nil {
		return other
	}
	c.busy[slot] = make(chan struct{})
	return nil
}

// End lets the next request with the same key go on.
func (r *Request) End() {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	close(r.c.busy[r.slot])
	delete(r.c.busy, r.slot)
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
	return r.c.openAnswer(r.kept)
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
		var kept raftstore.Request
		err := r.c.store.View(func(tx *raftstore.Tx) (err error) {
			kept, err = tx.Request(r.key.Team, r.key.Key)
			return err
		})
		if err != nil {
			return nil, err
		}
		if kept.Answer != nil {
			return r.c.openAnswer(&kept)
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
	sealed, err := r.c.sealAnswer(r.key, answer)
	if err != nil {
		return err
	}
	if len(sealed) > maxKeptAnswer {
		if r.claimed || r.kept != nil {
			return nil
		}
		sealed = nil
	}
	_, err = r.c.apply(aside(context.WithoutCancel(ctx)), raftstore.KeepAnswer{RequestKey: r.key, Answer: sealed})
	return err
}

type requestInContext struct{}

// WithRequest gives operations the request that they serve.
func WithRequest(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestInContext{}, r)
}

// aside is for commands that only prepare what a request asks for.
func aside(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestInContext{}, (*Request)(nil))
}

func requestOf(ctx context.Context) *Request {
	r, _ := ctx.Value(requestInContext{}).(*Request)
	return r
}

// made gives what the request of ctx came to, by ids, when it was carried out before without an answer being kept.
func made(ctx context.Context) (ids []string, before bool, err error) {
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
func claim(ctx context.Context) (*raftstore.RequestKey, error) {
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

// NewRequestHash makes what requests are hashed with. It is keyed: a plain hash would let somebody who reads the state try
// guesses of what a body held.
func (c *Coordinator) NewRequestHash() hash.Hash {
	return hmac.New(sha256.New, c.keys.derive("requests", 32))
}

// RequestHash writes a hash the way a Request has it.
func RequestHash(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// Answers may hold signed addresses and a token's secret, so they lie in the state sealed with a key that is not in it.
func (c *Coordinator) answerSeal() (cipher.AEAD, error) {
	block, err := aes.NewCipher(c.keys.derive("answers", 32))
	if err != nil {
		return nil, fmt.Errorf("preparing the seal of answers: %w", err)
	}
	return cipher.NewGCM(block)
}

func (c *Coordinator) sealAnswer(key raftstore.RequestKey, answer Answer) ([]byte, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("keeping an answer: %w", err)
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("packing an answer: %w", err)
	}
	seal, err := c.answerSeal()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, seal.NonceSize())
	_, _ = rand.Read(nonce) // crypto/rand never fails: it ends the process instead
	return seal.Seal(nonce, nonce, packed.Bytes(), []byte(key.Team+"\x00"+key.Key)), nil
}

// maxAnswer bounds what a kept answer may unpack to.
const maxAnswer = 64 << 20

func (c *Coordinator) openAnswer(kept *raftstore.Request) (*Answer, error) {
	seal, err := c.answerSeal()
	if err != nil {
		return nil, err
	}
	sealed := kept.Answer
	if len(sealed) < seal.NonceSize() {
		return nil, fmt.Errorf("a kept answer of %d bytes is cut short", len(sealed))
	}
	packed, err := seal.Open(nil, sealed[:seal.NonceSize()], sealed[seal.NonceSize():], []byte(kept.Team+"\x00"+kept.Key))
	if err != nil {
		return nil, fmt.Errorf("opening a kept answer: %w", err)
	}
	var answer Answer
	if err := json.NewDecoder(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxAnswer)).Decode(&answer); err != nil {
		return nil, fmt.Errorf("reading a kept answer: %w", err)
	}
	return &answer, nil
}

// forgetGroup is how many requests one command forgets at most.
const forgetGroup = 5000

// forgetRequests forgets the requests whose day is over.
func (c *Coordinator) forgetRequests(ctx context.Context, now time.Time) error {
	before := now.Add(-raftstore.RequestLife)
	for ctx.Err() == nil {
		more := false
		err := c.store.View(func(tx *raftstore.Tx) error {
			more = tx.RequestsBefore(before)
			return nil
		})
		if err != nil || !more {
			return err
		}
		if _, err := c.apply(ctx, raftstore.ForgetRequests{Before: before, Limit: forgetGroup}); err != nil {
			return err
		}
	}
	return ctx.Err()
}
