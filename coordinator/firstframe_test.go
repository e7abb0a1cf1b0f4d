package coordinator_test

import (
	"bytes"
	"io"
	"testing"

	"overcrank/farm"
)

// TestAMachineShowsItsFirstFrame keeps the latest that a machine sends, and none of a machine that has left.
func TestAMachineShowsItsFirstFrame(t *testing.T) {
	r := open(t)
	s, other := r.enrol("suite-4"), r.enrol("suite-5")
	s.connect()
	for name, bad := range map[string][]byte{"nothing": nil, "no picture": []byte("<script>"), "too wide": picture(t, 4000, 9)} {
		if err := r.ReceiveFirstFrame(t.Context(), s.agent, bad); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if r.HasFirstFrame(t.Context(), r.admin, s.agent.ID) {
		t.Error("it has a frame before it has shown one")
	}
	_, err := r.OpenFirstFrame(t.Context(), r.admin, s.agent.ID)
	wantCode(t, err, farm.CodeNotFound)
	events := r.Watch(t.Context(), r.admin)
	latest := picture(t, 320, 180)
	for _, p := range [][]byte{picture(t, 16, 9), latest} {
		if err := r.ReceiveFirstFrame(t.Context(), s.agent, p); err != nil {
			t.Fatal(err)
		}
	}
	for e := range events { // pages are drawn again
		if e.Kind == farm.EventMachine && e.ID == s.agent.ID {
			break
		}
	}
	file, err := r.OpenFirstFrame(t.Context(), r.admin, s.agent.ID)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(file)
	if err != nil || !bytes.Equal(got, latest) || file.ContentType != "image/jpeg" {
		t.Errorf("%d bytes of %s, %v", len(got), file.ContentType, err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if r.HasFirstFrame(t.Context(), r.admin, other.agent.ID) {
		t.Error("another machine has its frame")
	}
	if err := r.Leave(t.Context(), s.agent); err != nil {
		t.Fatal(err)
	}
	if r.HasFirstFrame(t.Context(), r.admin, s.agent.ID) {
		t.Error("the picture outlives its machine")
	}
}
