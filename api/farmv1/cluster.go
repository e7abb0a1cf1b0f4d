package farmv1

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/farm"
)

// gossipRingBody is the keys of gossip, of which only the fingerprints are told.
type gossipRingBody struct {
	Keys []gossipKeyBody `json:"keys"`
}

type gossipKeyBody struct {
	Fingerprint string      `json:"fingerprint"`
	InUse       bool        `json:"inUse"`
	MadeAt      answer.Time `json:"madeAt"`
	UseAt       answer.Time `json:"useAt"`
	DropAt      answer.Time `json:"dropAt"`
}

func gossipRingShape(ring farm.GossipRing) gossipRingBody {
	body := gossipRingBody{Keys: []gossipKeyBody{}}
	for i, key := range ring.Keys {
		body.Keys = append(body.Keys, gossipKeyBody{
			Fingerprint: key.ID, InUse: i == 0, MadeAt: answer.Time(key.MadeAt), UseAt: answer.Time(key.UseAt), DropAt: answer.Time(key.DropAt),
		})
	}
	return body
}

// authorityBody is the authority that vouches for coordinators and agents.
type authorityBody struct {
	Fingerprint string      `json:"fingerprint"`
	Subject     string      `json:"subject"`
	Issuer      string      `json:"issuer"`
	OwnRoot     bool        `json:"ownRoot"`
	NotBefore   answer.Time `json:"notBefore"`
	NotAfter    answer.Time `json:"notAfter"`
	Certificate string      `json:"certificate"` // PEM
}

func (h clusterHandlers) getAuthority(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	a, err := h.authority.Authority(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, authorityBody{
		Fingerprint: a.Fingerprint, Subject: a.Subject, Issuer: a.Issuer, OwnRoot: a.OwnRoot, NotBefore: answer.Time(a.NotBefore), NotAfter: answer.Time(a.NotAfter), Certificate: a.PEM,
	})
}

func (h clusterHandlers) listGossipKeys(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	ring, err := h.gossip.Keys(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, gossipRingShape(ring))
}

// rotateGossipKey begins to change the key of gossip.
func (h clusterHandlers) rotateGossipKey(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return err
	}
	spread, keep, err := decodeGossipTurn(body)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	ring, err := h.gossip.Rotate(ctx, p, spread, keep)
	if err != nil {
		return err
	}
	return answer.Created(c, gossipRingShape(ring))
}

// longestTurn bounds the two times of a change of keys, in seconds.
const longestTurn = 90 * 24 * 60 * 60

// decodeGossipTurn reads the wish for a change of gossip's key; a body need not be there.
func decodeGossipTurn(body []byte) (spread, keep time.Duration, err error) {
	if len(body) == 0 {
		return 0, 0, nil
	}
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return 0, 0, err
	}
	o.Only("spreadSeconds", "keepSeconds")
	if n, given := o.Whole("spreadSeconds", 1, longestTurn); given {
		spread = time.Duration(n) * time.Second
	}
	if n, given := o.Whole("keepSeconds", 1, longestTurn); given {
		keep = time.Duration(n) * time.Second
	}
	return spread, keep, wrong.Err()
}
