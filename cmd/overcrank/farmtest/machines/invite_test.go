//go:build linux

package machines_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/client"
)

func TestAnInvitedMachineJoinsAndNoOtherWithItsToken(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	code, token, said := f.Command("agents", "invite", "--for", "Suite 4", "--tags", "gpu,big", "--expires", "2h")
	token = strings.TrimSpace(token)
	if code != 0 || !strings.HasPrefix(token, "ocj_") || !strings.Contains(said, "for one machine") {
		t.Fatalf("%d: %s %s", code, token, said)
	}
	first := farmtest.StartAgent(t, f, filepath.Join(t.TempDir(), "suite-4"), token)
	f.Await("the machine to be linked", func() bool { return strings.Contains(first.Said.String(), "linked to the farm") })
	second := farmtest.StartAgent(t, f, filepath.Join(t.TempDir(), "thief"), token)
	<-second.Done
	if text := second.Said.String(); second.Code == 0 || !strings.Contains(text, "has been used") {
		t.Errorf("the second machine with the token ended with %d: %s", second.Code, text)
	}
	if _, table, _ := f.Command("agents", "invitations"); !strings.Contains(table, "Suite 4") || !strings.Contains(table, "0 of 1") || !strings.Contains(table, "gpu, big") {
		t.Errorf("the invitations are\n%s", table)
	}
	_, spare, _ := f.Command("agents", "invite", "--for", "spare", "--uses", "3")
	if code, _, said := f.Command("agents", "revoke", "spare"); code != 0 {
		t.Errorf("%d: %s", code, said)
	}
	third := farmtest.StartAgent(t, f, filepath.Join(t.TempDir(), "late"), strings.TrimSpace(spare))
	<-third.Done
	if text := third.Said.String(); !strings.Contains(text, "revoked") {
		t.Errorf("the machine whose token was revoked said: %s", text)
	}
	secret, _, _ := strings.Cut(token, ".")
	for _, text := range []string{f.Said.String(), first.Said.String(), second.Said.String()} {
		if strings.Contains(text, secret) {
			t.Errorf("a log holds the join token:\n%s", text)
		}
	}
}

// TestTheAgentOfUpJoinsByItself looks for what a farm of one machine leaves open: nothing.
func TestTheAgentOfUpJoinsByItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := farmtest.Up(t, dir)
	left := func() (names []string) {
		list, err := f.Invitations(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range list.Items {
			if i.Left > 0 {
				names = append(names, i.Name)
			}
		}
		return names
	}
	f.Await("the agent to come", func() bool { return strings.Contains(f.Said.String(), "an agent is here") })
	if open := left(); len(open) != 0 {
		t.Errorf("machines may still come with %v", open)
	}
	f.Stop()
	f = farmtest.Up(t, dir)
	f.Finished(f.SubmitCard(f.Card(), map[string]any{"type": "image", "frames": 1}))
	if list, err := f.Invitations(t.Context()); err != nil || len(list.Items) != 1 {
		t.Errorf("an agent that has enrolled was invited again: %+v, %v", list.Items, err)
	}
	if _, err := (&client.Client{Server: f.Server, Token: "ocj_x"}).Invitations(t.Context()); !client.IsStatus(err, 401) {
		t.Errorf("a stranger sees the invitations: %v", err)
	}
}

func TestCommandsSpeakTLSWithTheFarmsOwnAuthority(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := farmtest.LaunchAs(t, "coordinator", dir, "--require-tls")
	if !strings.HasPrefix(f.Server, "https://127.0.0.1:") {
		t.Fatalf("a farm that refuses plain HTTP says that it is at %s", f.Server)
	}
	f.Server = strings.Replace(f.Server, "https", "http", 1) // this machine may
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	address := strings.Replace(f.Server, "http://127.0.0.1", "https://localhost", 1)
	ask := func(flags ...string) (int, string) {
		args := append([]string{"teams", "--server", address, "--token-file", filepath.Join(dir, "admin.token")}, flags...)
		code, stdout, stderr := farmtest.Run(t, args...)
		return code, stdout + stderr
	}
	if code, said := ask("--ca-file", filepath.Join(dir, "ca.crt")); code != 0 || !strings.Contains(said, "default") {
		t.Errorf("%d: %s", code, said)
	}
	if code, said := ask(); code == 0 || !strings.Contains(said, "certificate") {
		t.Errorf("without the authority: %d: %s", code, said)
	}
	if code, said := ask("--ca-file", filepath.Join(dir, "farm.key")); code == 0 || !strings.Contains(said, "holds no certificate") {
		t.Errorf("with something else: %d: %s", code, said)
	}
	code, _, said := farmtest.Run(t, "templates", "add", farmtest.SmallCard(t), "--server", address, "--token-file", filepath.Join(dir, "admin.token"),
		"--ca-file", filepath.Join(dir, "ca.crt"))
	if code != 0 {
		t.Errorf("a template cannot be uploaded where plain HTTP is refused: %d: %s", code, said)
	}
	var list []struct{ ID string }
	if err := json.Unmarshal(f.Answer("/api/v2/templates"), &list); err != nil || len(list) != 1 {
		t.Fatalf("the templates are %v, %v", list, err)
	}
	if download := f.Answer("/api/v2/templates/" + list[0].ID + "/download"); !strings.Contains(string(download), `"https://127.0.0.1:`) {
		t.Errorf("a farm that refuses plain HTTP gives out %s", download)
	}
	if said := farmtest.Refusal(t, "--data-dir", t.TempDir(), "--require-tls", "--public-address=http://farm.example"); !strings.Contains(said, "https://farm.example") {
		t.Errorf("an address that the farm would refuse itself: %s", said)
	}
}
