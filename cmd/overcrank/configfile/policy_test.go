package configfile

import (
	"errors"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// settings are flags as an agent has them.
type settings struct {
	Agent struct {
		Config       string   `name:"config"`
		Coordinator  []string `env:"POLICY_TEST_COORDINATOR"`
		Slots        int      `default:"1"`
		LockedIsIdle bool     `default:"true" negatable:""`
		Updates      string   `enum:"farm,managed" default:"farm"`
		Secret       string   `hidden:""`

		Run struct{} `cmd:"" default:"1"`
	} `cmd:""`
}

func parsed(t *testing.T, p policies, failing error, args ...string) (s settings, r *Resolver, ctx *kong.Context, err error) {
	t.Helper()
	r = &Resolver{usual: func(string) string { return "" }, system: func() (policies, error) { return p, failing }}
	parser, err := kong.New(&s, kong.Resolvers(r), kong.WithBeforeResolve(func(ctx *kong.Context) error {
		for _, path := range ctx.Path {
			if path.Command != nil && path.Command.Name == policed {
				return r.Load(ctx, path)
			}
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err = parser.Parse(append([]string{"agent"}, args...))
	return s, r, ctx, err
}

func TestAPolicyCountsMoreThanTheEnvironmentAndLessThanAFlag(t *testing.T) {
	t.Setenv("POLICY_TEST_COORDINATOR", "https://environment")
	p := policies{place: `HKLM\Software\Policies\Overcrank`, values: map[string][]string{
		"coordinator": {"https://a", "https://b"}, "slots": {"3"}, "locked-is-idle": {"0"}, "updates": {"managed"},
		"secret": {"no setting of people"}, "of-a-later-version": {"1"},
	}}
	s, r, ctx, err := parsed(t, p, nil, "--slots", "5")
	if err != nil {
		t.Fatal(err)
	}
	a := s.Agent
	if strings.Join(a.Coordinator, " ") != "https://a https://b" || a.Slots != 5 || a.LockedIsIdle || a.Updates != "managed" || a.Secret != "" {
		t.Errorf("the settings are %+v", a)
	}
	for _, set := range r.Settings(ctx, Settable(ctx.Path[1].Flags)) {
		want := map[string]string{"slots": "flag --slots", "config": "default"}[set.Name]
		if want == "" {
			want = `policy HKLM\Software\Policies\Overcrank\` + set.Name
		}
		if set.From() != want {
			t.Errorf("%s comes from %q, want %q", set.Name, set.From(), want)
		}
	}
}

func TestAWrongPolicyIsNamed(t *testing.T) {
	for name, value := range map[string][]string{"slots": {"many"}, "updates": {"never"}, "locked-is-idle": {"1", "0"}} {
		_, _, _, err := parsed(t, policies{place: `HKLM\Software\Policies\Overcrank`, values: map[string][]string{name: value}}, nil)
		if err == nil || !strings.Contains(err.Error(), `HKLM\Software\Policies\Overcrank\`+name) {
			t.Errorf("%s: %q: the error is %v", name, value, err)
		}
	}
}

func TestPoliciesThatCannotBeReadAreAnError(t *testing.T) {
	failing := errors.New("no access")
	if _, _, _, err := parsed(t, policies{}, failing); !errors.Is(err, failing) {
		t.Errorf("the error is %v, want %v", err, failing)
	}
}
