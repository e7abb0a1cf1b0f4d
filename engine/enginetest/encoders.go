// Package enginetest prepares the tests of packages that draw films.
package enginetest

import (
	"context"
	"os"
	"strings"

	"overcrank/ffmpeg/encoding"
)

// TellEncoders tells the engine which encoders this machine has, as an agent does, so that not each film of a test asks ffmpeg again. A
// TestMain calls it. Without ffmpeg nothing is told.
func TellEncoders() {
	encoders, err := encoding.Available(context.Background())
	if err != nil {
		return
	}
	if err := os.Setenv(encoding.Variable, strings.Join(encoders, ",")); err != nil {
		panic(err)
	}
}
