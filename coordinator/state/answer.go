package state

import (
	"bytes"
	"compress/flate"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"

	"overcrank/raftstore/command"
)

// Answer is what a request was answered.
type Answer struct {
	Status      int    `json:"status"`
	ContentType string `json:"type"`
	Body        []byte `json:"body"`
}

// maxKeptAnswer bounds what is kept of an answer, in sealed bytes. A longer one is made again when it is asked for.
const maxKeptAnswer = 256 << 10

// Answers may hold signed addresses and a token's secret, so they lie in the state sealed with a key that is not in it.
func (q *Requests) answerSeal() (cipher.AEAD, error) {
	block, err := aes.NewCipher(q.derive("answers", 32))
	if err != nil {
		return nil, fmt.Errorf("preparing the seal of answers: %w", err)
	}
	return cipher.NewGCM(block)
}

func (q *Requests) sealAnswer(key command.RequestKey, answer Answer) ([]byte, error) {
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
	seal, err := q.answerSeal()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, seal.NonceSize())
	_, _ = rand.Read(nonce) // crypto/rand never fails: it ends the process instead
	return seal.Seal(nonce, nonce, packed.Bytes(), []byte(key.Team+"\x00"+key.Key)), nil
}

// maxAnswer bounds what a kept answer may unpack to.
const maxAnswer = 64 << 20

func (q *Requests) openAnswer(kept *command.Request) (*Answer, error) {
	seal, err := q.answerSeal()
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
