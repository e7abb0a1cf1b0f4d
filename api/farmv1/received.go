package farmv1

import (
	"context"
	"io"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/farm"
)

// receivedFileBody is a received file of a release, or of the downloads, that is added afterwards.
type receivedFileBody struct {
	Size   int64  `json:"size"` // bytes
	SHA256 string `json:"sha256"`
}

// receiveFile hands a request's body, of at most most bytes, on to receive. Its SHA-256 is in the address.
func receiveFile(c *fiber.Ctx, most int64, receive func(ctx context.Context, sha256 string, body io.Reader, size int64) (farm.FileRef, error)) error {
	body, size, err := request.Body(c, most)
	if err != nil {
		return err
	}
	sha256 := strings.Clone(c.Params("sha256"))
	if !farm.IsSHA256(sha256) {
		return farm.Invalid("the address names no file", farm.Field("sha256", "has to be the file's SHA-256, 64 hexadecimal digits in lower case"))
	}
	body, err = input.NotEmpty(body)
	if err != nil {
		return err
	}
	ref, err := receive(request.Transfer(c), sha256, body, size)
	if err != nil {
		return err
	}
	return answer.OK(c, receivedFileBody{Size: ref.Size, SHA256: ref.SHA256})
}
