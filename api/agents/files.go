package agents

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/throttle"
	"overcrank/coordinator/files"
	"overcrank/coordinator/results"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// giveFile gives an agent a file that one of its leases names.
func (s *server) giveFile(c *fiber.Ctx, a farm.Agent) error {
	sha := c.Params("sha256")
	if !farm.IsSHA256(sha) {
		return farm.Errorf(farm.CodeNotFound, "there is no file %q: files are named by 64 hexadecimal digits", sha)
	}
	return answer.OpenFile(c, answer.FileOptions{ContentType: fiber.MIMEOctetStream, Download: true}, func(ctx context.Context) (*files.File, error) {
		return s.files.OpenFileFor(ctx, a, sha)
	})
}

// attemptOf reads which attempt an address is about.
func attemptOf(c *fiber.Ctx) (wire.Attempt, error) {
	n, err := strconv.Atoi(c.Params("attempt"))
	if err != nil || n < 1 {
		return wire.Attempt{}, farm.Errorf(farm.CodeInvalid, "the address holds no number of an attempt")
	}
	return wire.Attempt{Task: c.Params("task"), Attempt: n}, nil
}

// takeOutput takes a result of an attempt.
func (s *server) takeOutput(c *fiber.Ctx, a farm.Agent) error {
	at, err := attemptOf(c)
	if err != nil {
		return err
	}
	name, err := input.PathName(c, "name")
	if err != nil {
		return err
	}
	body, size, err := request.Body(c, request.UploadLimit)
	if err != nil {
		return err
	}
	output, err := s.results.Receive(request.Transfer(c), a, at, name, body, size, strings.Clone(c.Get(wire.HeaderSHA256)))
	if err != nil {
		return err
	}
	return answer.OK(c, output)
}

// takeThumbnail takes a small picture of a frame that an attempt has rendered.
func (s *server) takeThumbnail(c *fiber.Ctx, a farm.Agent) error {
	at, err := attemptOf(c)
	if err != nil {
		return err
	}
	frame, err := strconv.Atoi(c.Params("frame"))
	if err != nil || frame < 0 {
		return farm.Errorf(farm.CodeInvalid, "the address holds no frame number")
	}
	picture, err := request.ReadBody(c, files.MaxThumbnail)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(picture, []byte{0xff, 0xd8, 0xff}) {
		return farm.Errorf(farm.CodeInvalid, "the picture of frame %d is no JPEG", frame)
	}
	ctx, done := request.Call(c)
	defer done()
	if err := s.results.ReceiveThumbnail(ctx, a, at, frame, picture); err != nil {
		return err
	}
	return answer.None(c)
}

// takeFrameTimes takes how long the frames took that an attempt has rendered.
func (s *server) takeFrameTimes(c *fiber.Ctx, a farm.Agent) error {
	at, err := attemptOf(c)
	if err != nil {
		return err
	}
	body, err := request.ReadBody(c, results.MaxFrameTimes)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	if err := s.results.ReceiveFrameTimes(ctx, a, at, body); err != nil {
		return err
	}
	return answer.None(c)
}

// takeProxy takes a small film of an attempt's result, which browsers play.
func (s *server) takeProxy(c *fiber.Ctx, a farm.Agent) error {
	at, err := attemptOf(c)
	if err != nil {
		return err
	}
	body, size, err := request.Body(c, request.UploadLimit)
	if err != nil {
		return err
	}
	if err := s.results.ReceiveProxy(request.Transfer(c), a, at, body, size); err != nil {
		return err
	}
	return answer.None(c)
}

// takeFirstFrame takes a small picture of the frame that a machine has rendered once it was installed.
func (s *server) takeFirstFrame(c *fiber.Ctx, a farm.Agent) error {
	if wait := s.frames.Take(a.ID, time.Now()); wait > 0 {
		return throttle.RateLimited(c, wait, "this machine has shown its first frame too often")
	}
	picture, err := request.ReadBody(c, files.MaxThumbnail)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	if err := s.sessions.ReceiveFirstFrame(ctx, a, picture); err != nil {
		return err
	}
	return answer.None(c)
}
