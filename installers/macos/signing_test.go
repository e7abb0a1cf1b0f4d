package macos_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"howett.net/plist"

	"overcrank/installers/macos"
	"overcrank/installers/macos/codesign"
	"overcrank/installers/macos/signingtest"
	"overcrank/installers/macos/xar"
)

// studio is a folder with what a studio signs with, and the settings that name it.
func studio(t *testing.T, authority *signingtest.Authority) map[string]string {
	t.Helper()
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	settings := map[string]string{"OVERCRANK_MACOS_TIMESTAMPS": authority.TimestampServer(t)}
	for _, kind := range []string{"APPLICATION", "INSTALLER"} {
		identity := authority.Identity(t, "Developer ID "+kind+": Test (TEAM123456)", "TEAM123456")
		settings["OVERCRANK_MACOS_"+kind] = put(kind+".p12", authority.P12(t, identity, "secret of "+kind))
		settings["OVERCRANK_MACOS_"+kind+"_PASSWORD_FILE"] = put(kind+".txt", []byte("secret of "+kind+"\n"))
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	settings["OVERCRANK_MACOS_NOTARY_KEY"] = put("AuthKey_KEY1234567.p8", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	settings["OVERCRANK_MACOS_NOTARY_KEY_ID"], settings["OVERCRANK_MACOS_NOTARY_ISSUER"] = "KEY1234567", "issuer"
	return settings
}

func signing(t *testing.T, settings map[string]string) macos.Signing {
	t.Helper()
	s, err := macos.SigningFrom(func(name string) string { return settings[name] })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAStudioSignsAndHasItNotarized(t *testing.T) {
	t.Parallel()
	authority := signingtest.NewAuthority(t)
	settings := studio(t, authority)
	if settings["OVERCRANK_MACOS_TIMESTAMPS"] == "" {
		t.Skip("openssl is not installed, and Apple's authority for the time is not asked in tests")
	}
	in := input(t, "0.1.0")
	in.Signing = signing(t, settings)
	// A double of Apple's service, which accepts everything; notary has tests of its own.
	var submitted []byte
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPut:
			var body bytes.Buffer
			_, _ = body.ReadFrom(r.Body)
			submitted = body.Bytes()
			w.Header().Set("ETag", `"x"`)
		case http.MethodPost:
			_, _ = w.Write([]byte(`{"data":{"id":"1","attributes":{"awsAccessKeyId":"a","awsSecretAccessKey":"b","awsSessionToken":"c","bucket":"bucket","object":"o"}}}`))
		default:
			_, _ = w.Write([]byte(`{"data":{"attributes":{"status":"Accepted"}}}`))
		}
	}))
	defer server.Close()
	in.Signing.Notary.Service, in.Signing.Notary.Storage, in.Signing.Notary.HTTP = server.URL, server.URL, server.Client()
	in.Signing.Notary.Poll = time.Millisecond

	pkg, profile := built(t, in)
	data := read(t, pkg)
	if !bytes.Equal(submitted, data) {
		t.Error("what was notarized is not what was written")
	}
	archive, err := xar.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := archive.Verify(authority.Roots())
	if err != nil || !strings.HasPrefix(chain[0].Subject.CommonName, "Developer ID INSTALLER") {
		t.Errorf("the package: %v", err)
	}
	othersRead(t, pkg)
	for name, f := range unpack(t, component(t, data, "Payload")) {
		if !strings.HasPrefix(name, home+"/bin/") || f.Size == 0 {
			continue
		}
		all, err := codesign.Verify(f.data, authority.Roots())
		if err != nil || len(all) != 2 {
			t.Fatalf("%s: %v", name, err)
		}
		for _, code := range all {
			if code.Team != "TEAM123456" || code.Flags != codesign.HardenedRuntime || !strings.HasPrefix(code.Chain[0].Subject.CommonName, "Developer ID APPLICATION") {
				t.Errorf("%s: %+v", name, code)
			}
		}
	}
	if text := string(read(t, profile)); !strings.Contains(text, `identifier &#34;studio.overcrank.agent&#34; and anchor apple generic and certificate leaf[subject.OU] = &#34;TEAM123456&#34;`) ||
		!strings.Contains(text, "<key>TeamIdentifier</key>") {
		t.Errorf("the profile does not name the team:\n%s", text)
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	authority := signingtest.NewAuthority(t)
	for name, change := range map[string]struct {
		setting, value, said string
	}{
		"no file":      {"OVERCRANK_MACOS_APPLICATION", "/nowhere.p12", "OVERCRANK_MACOS_APPLICATION"},
		"no password":  {"OVERCRANK_MACOS_INSTALLER_PASSWORD_FILE", "", "OVERCRANK_MACOS_INSTALLER"},
		"no issuer":    {"OVERCRANK_MACOS_NOTARY_ISSUER", "", "OVERCRANK_MACOS_NOTARY_ISSUER"},
		"no .p8 there": {"OVERCRANK_MACOS_NOTARY_KEY", "/nowhere.p8", "OVERCRANK_MACOS_NOTARY_KEY"},
	} {
		settings := studio(t, authority)
		settings[change.setting] = change.value
		if _, err := macos.SigningFrom(func(name string) string { return settings[name] }); err == nil || !strings.Contains(err.Error(), change.said) ||
			strings.Contains(err.Error(), "secret of") {
			t.Errorf("%s: %v", name, err)
		}
	}
	in := input(t, "0.1.0")
	in.Signing = signing(t, studio(t, authority))
	in.Signing.Installer = nil
	if _, err := macos.Build(t.Context(), in); err == nil || !strings.Contains(err.Error(), "Developer ID") {
		t.Errorf("notarizing what is not signed: %v", err)
	}
	in = input(t, "0.1.0")
	in.Programs = t.TempDir()
	if _, err := macos.Build(t.Context(), in); err == nil || !strings.Contains(err.Error(), "darwin-amd64") {
		t.Errorf("without programs: %v", err)
	}
	if left, _ := os.ReadDir(in.Dist); len(left) != 0 {
		t.Errorf("a failed build left %v", left)
	}
}

func TestTheProfileOfAProgramSignedByNobody(t *testing.T) {
	t.Parallel()
	pkg, path := firstPackage(t)
	var profile struct {
		PayloadScope, PayloadType, PayloadUUID string
		PayloadContent                         []struct {
			PayloadType, PayloadUUID, PayloadIdentifier string
			Services                                    map[string][]struct{ Identifier, IdentifierType, CodeRequirement, Authorization string }
			Rules                                       []struct{ RuleType, RuleValue, TeamIdentifier string }
			NotificationSettings                        []struct{ BundleIdentifier string }
		}
	}
	if _, err := plist.Unmarshal(read(t, path), &profile); err != nil {
		t.Fatal(err)
	}
	if profile.PayloadScope != "System" || profile.PayloadType != "Configuration" || len(profile.PayloadContent) != 3 {
		t.Fatalf("%+v", profile)
	}
	ids := map[string]bool{profile.PayloadUUID: true}
	for _, p := range profile.PayloadContent {
		if ids[p.PayloadUUID] || len(p.PayloadUUID) != 36 || !strings.HasPrefix(p.PayloadIdentifier, "studio.overcrank.agent.") {
			t.Errorf("%s has the id %q", p.PayloadIdentifier, p.PayloadUUID)
		}
		ids[p.PayloadUUID] = true
	}
	may := profile.PayloadContent[0].Services["SystemPolicyNetworkVolumes"]
	if len(may) != 4 || len(profile.PayloadContent[0].Services["SystemPolicyRemovableVolumes"]) != 4 {
		t.Fatalf("%+v", profile.PayloadContent[0])
	}
	programs := map[string][]codesign.Code{}
	for name, f := range unpack(t, component(t, read(t, pkg), "Payload")) {
		if strings.HasPrefix(name, home+"/bin/") && f.Size > 0 {
			all, err := codesign.Verify(f.data, nil)
			if err != nil {
				t.Fatal(err)
			}
			programs["/"+name], programs[all[0].Identifier] = all, all
		}
	}
	for _, rule := range may {
		program, known := programs[rule.Identifier]
		if !known || rule.Authorization != "Allow" {
			t.Fatalf("a rule for %+v, which is not in the package", rule)
		}
		for _, code := range program {
			if !strings.Contains(rule.CodeRequirement, hex.EncodeToString(code.Hash[:])) {
				t.Errorf("%s: %s", rule.Identifier, rule.CodeRequirement)
			}
		}
	}
	if rule := profile.PayloadContent[1].Rules[0]; rule.RuleType != "LabelPrefix" || rule.RuleValue != "studio.overcrank." || rule.TeamIdentifier != "" {
		t.Errorf("%+v", rule)
	}
}
