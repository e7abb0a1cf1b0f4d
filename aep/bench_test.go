package aep_test

import (
	"bytes"
	"context"
	"os"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
)

func benchmarkRead(b *testing.B, parts ...string) {
	data, err := os.ReadFile(aeptest.Samples(b, parts...))
	if err != nil {
		b.Skip(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := aep.Read(context.Background(), bytes.NewReader(data), int64(len(data)), aep.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenLarge reads a project of 2.5 MB.
func BenchmarkOpenLarge(b *testing.B) {
	benchmarkRead(b, "airbnb+lottie-android", "After Effects Samples", "Test", "LottieTests.aep")
}

// BenchmarkOpenXML reads a project of 0.7 MB in its XML spelling.
func BenchmarkOpenXML(b *testing.B) {
	benchmarkRead(b, "edforman-75+aftereffects-automation", "sample_files", "test-after-effects-project.aepx")
}

// BenchmarkComplete adds the defaults to a project of 2.5 MB.
func BenchmarkComplete(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		p := openSample(b, "airbnb+lottie-android", "After Effects Samples", "Test", "LottieTests.aep")
		b.StartTimer()
		aep.Complete(p)
	}
}
