//go:build race

package farmtest

// raceDetector tells whether the tests run under the race detector.
const raceDetector = true
