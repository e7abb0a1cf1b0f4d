package wording

import "testing"

func TestSizesReadAsPeopleSayThem(t *testing.T) {
	for n, want := range map[int64]string{12: "12 bytes", 2500: "2 KiB", 3_400_000: "3.2 MiB", 5_000_000_000: "4.7 GiB"} {
		if got := Size(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
