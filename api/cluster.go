package api

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

// gossipRingBody is the keys of gossip, of which only the fingerprints are told.
type gossipRingBody struct {
	Keys []gossipKeyBody `json:"keys"`
}

type gossipKeyBody struct {
	Fingerprint string `json:"fingerprint"`
	InUse       bool   `json:"inUse"`
	MadeAt      stamp  `json:"madeAt"`
	UseAt       stamp  `json:"useAt"`
	DropAt      stamp  `json:"dropAt"`
}

func gossipRingShape(ring farm.GossipRing) gossipRingBody {
	body := gossipRingBody{Keys: []gossipKeyBody{}}
	for i, key := range ring.Keys {
		body.Keys = append(body.Keys, gossipKeyBody{
			Fingerprint: key.ID, InUse: i == 0, MadeAt: stamp(key.MadeAt), UseAt: stamp(key.UseAt), DropAt: stamp(key.DropAt),
		})
	}
	return body
}

// authorityBody is the authority that vouches for coordinators and agents.
type authorityBody struct {
	Fingerprint string `json:"fingerprint"`
	Subject     string `json:"subject"`
	Issuer      string `json:"issuer"`
	OwnRoot     bool   `json:"ownRoot"`
	NotBefore   stamp  `json:"notBefore"`
	NotAfter    stamp  `json:"notAfter"`
	Certificate string `json:"certificate"` // PEM
}

func (s *server) getAuthority(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	a, err := s.farm.Authority(ctx, p)
	if err != nil {
		return err
	}
	return ok(c, authorityBody{
		Fingerprint: a.Fingerprint, Subject: a.Subject, Issuer: a.Issuer, OwnRoot: a.OwnRoot, NotBefore: stamp(a.NotBefore), NotAfter: stamp(a.NotAfter), Certificate: a.PEM,
	})
}

func (s *server) listGossipKeys(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	ring, err := s.farm.Gossip().Keys(ctx, p)
	if err != nil {
		return err
	}
	return ok(c, gossipRingShape(ring))
}

// rotateGossipKey begins to change the key of gossip.
func (s *server) rotateGossipKey(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return err
	}
	spread, keep, err := decodeGossipTurn(body)
	if err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	ring, err := s.farm.Gossip().Rotate(ctx, p, spread, keep)
	if err != nil {
		return err
	}
	return created(c, gossipRingShape(ring))
}

// longestTurn bounds the two times of a change of keys, in seconds.
const longestTurn = 90 * 24 * 60 * 60

// decodeGossipTurn reads the wish for a change of gossip's key; a body need not be there.
func decodeGossipTurn(body []byte) (spread, keep time.Duration, err error) {
	if len(body) == 0 {
		return 0, 0, nil
	}
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return 0, 0, err
	}
	o.only("spreadSeconds", "keepSeconds")
	if n, given := o.whole("spreadSeconds", 1, longestTurn); given {
		spread = time.Duration(n) * time.Second
	}
	if n, given := o.whole("keepSeconds", 1, longestTurn); given {
		keep = time.Duration(n) * time.Second
	}
	return spread, keep, wrong.err()
}
