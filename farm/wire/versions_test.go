package wire_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// TestWhatEveryVersionSaysAlike holds the messages by which agents of other versions are updated to what they have always been: agents in the field
// cannot be taught another form before they have been updated.
func TestWhatEveryVersionSaysAlike(t *testing.T) {
	for frozen, m := range map[string]wire.Message{
		`{"hello":{"version":3,"name":"suite-4","inventory":""}}`: {Hello: &wire.Hello{Version: 3, Name: "suite-4"}},
		`{"otherVersion":{"version":4,"heartbeatSeconds":5,"coordinators":["https://farm:8080"]}}`: {
			OtherVersion: &wire.OtherVersion{Version: 4, HeartbeatSeconds: 5, Coordinators: []string{"https://farm:8080"}}},
		`{"redirect":{"leader":"https://other:8080"}}`: {Redirect: &wire.Redirect{Leader: "https://other:8080"}},
		`{"updating":{"version":"1.0.0","mode":"farm","release":"2.0.0","state":"retrying","reason":"no room","failures":2,"rendered":true}}`: {
			Updating: &wire.Updating{Version: "1.0.0", Mode: farm.UpdatedByFarm, Release: "2.0.0", State: farm.UpdateRetrying, Reason: "no room", Failures: 2, Rendered: true}},
		`{"update":{"release":"2.0.0","documents":[{"name":"manifest.json","content":"e30="}],"bytesPerSecond":1000}}`: {
			Update: &wire.Update{Release: "2.0.0", Documents: []farm.ReleaseDocument{{Name: "manifest.json", Content: []byte("{}")}}, BytesPerSecond: 1000}},
	} {
		said, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if string(said) != frozen {
			t.Errorf("it is said as\n%s, and has always been\n%s", said, frozen)
		}
		var heard wire.Message
		if err := json.Unmarshal([]byte(frozen), &heard); err != nil || !reflect.DeepEqual(heard, m) {
			t.Errorf("%s is heard as %+v, %v", frozen, heard, err)
		}
	}
	const modes, states = "[farm managed manual]", "[downloading finishing installing retrying updated refused rolled_back]"
	if said := fmt.Sprint([]farm.UpdateMode{farm.UpdatedByFarm, farm.UpdatedByOthers, farm.UpdatedByHand}); said != modes {
		t.Errorf("the modes of machines are %s", said)
	}
	if said := fmt.Sprint(farm.UpdateStates()); !strings.HasPrefix(said, strings.TrimSuffix(states, "]")) {
		t.Errorf("the states of updates are %s", said)
	}
}
