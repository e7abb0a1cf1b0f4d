package releases

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"aead.dev/minisign"

	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/durable"
	"overcrank/farm/wire"
	"overcrank/release"
)

// password is that of a secret key. No visible flag takes it: other programs can see command lines.
type password struct {
	PasswordFile string `help:"File with the password of the secret key." type:"existingfile" placeholder:"FILE"`
	Password     string `help:"Password of the secret key." env:"OVERCRANK_KEY_PASSWORD" hidden:""`
}

func (p password) read() (string, error) {
	if p.PasswordFile == "" {
		if p.Password == "" {
			return "", exit.Usagef("the secret key needs its password: give --password-file, or set OVERCRANK_KEY_PASSWORD")
		}
		return p.Password, nil
	}
	text, err := os.ReadFile(p.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("reading the password: %w", err)
	}
	word, _, _ := strings.Cut(string(text), "\n")
	if word = strings.TrimSuffix(word, "\r"); word == "" {
		return "", fmt.Errorf("the first line of %s is empty: it has to hold the password", p.PasswordFile)
	}
	return word, nil
}

type keygen struct {
	File string `arg:"" type:"path" help:"File to write the secret key to; the public one is written beside it, with the ending .pub."`
	password
}

func (keygen) Help() string {
	return `The keys are minisign's. Make two root keys and keep them offline; their public keys are built into agents and coordinators, or named by
--release-roots. A release key signs releases and can be replaced:

    overcrank releases keygen root1.key --password-file ...
    overcrank releases keygen release.key --password-file ...
    overcrank releases sign-keys --root root1.key --key release.key.pub --serial 1 --to keys/
    overcrank releases sign dist/releases/0.2.0 --version 0.2.0 --number 12 --key release.key --keys keys/`
}

func (k keygen) Run(out *terminal.Output) error {
	word, err := k.read()
	if err != nil {
		return err
	}
	public, err := release.NewKey(k.File, word)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, public.String())
	return err
}

type signKeys struct {
	Root    string   `required:"" type:"existingfile" help:"Secret root key to sign with." placeholder:"FILE"`
	Key     []string `required:"" type:"existingfile" sep:"none" help:"Public release key; repeat it for several." placeholder:"FILE"`
	Serial  int64    `required:"" help:"Number of the list, higher than that of any before."`
	Expires day      `help:"Date on which releases signed by these keys expire, at 00:00 UTC; two years from now when left out." placeholder:"YYYY-MM-DD"`
	To      string   `required:"" type:"path" help:"Folder to write keys.json and its signature to." placeholder:"DIR"`
	password
}

func (s signKeys) Run(out *terminal.Output) error {
	word, err := s.read()
	if err != nil {
		return err
	}
	keys := release.Keys{Product: release.Agent, Serial: s.Serial, Expires: s.Expires.Time}
	if keys.Expires.IsZero() {
		keys.Expires = time.Now().UTC().AddDate(2, 0, 0).Truncate(time.Second)
	}
	for _, path := range s.Key {
		public, err := minisign.PublicKeyFromFile(path)
		if err != nil {
			return fmt.Errorf("%s is not a minisign public key: %w", path, err)
		}
		keys.Public = append(keys.Public, public.String())
	}
	root, err := release.ReadKey(s.Root, word)
	if err != nil {
		return err
	}
	document, signature, err := release.SignKeys(keys, root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.To, 0o755); err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(s.To, release.KeysSignatureName), signature, 0o644); err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(s.To, release.KeysName), document, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, filepath.Join(s.To, release.KeysName))
	return err
}

type sign struct {
	Dir         string `arg:"" type:"existingdir" help:"Folder with the programs, named overcrank-agent-SYSTEM-ARCH, such as overcrank-agent-linux-amd64; with .exe for Windows."`
	Version     string `required:"" help:"Version of the release, as its programs print it."`
	Number      int64  `required:"" help:"Number of the release, higher than that of any before."`
	Expires     day    `help:"Date on which the release expires, at 00:00 UTC; a year from now when left out." placeholder:"YYYY-MM-DD"`
	MinLauncher int    `help:"Oldest version of the launcher that can start it." default:"0"`
	ProtocolMin int    `help:"Oldest version of the agents' protocol that it speaks; that of this program when left out." placeholder:"VERSION"`
	ProtocolMax int    `help:"Newest version of the agents' protocol that it speaks; that of this program when left out." placeholder:"VERSION"`
	DowngradeOf int64  `help:"Make it a downgrade: machines with a release up to this number may go back to it."`
	Key         string `required:"" type:"existingfile" help:"Secret release key to sign with." placeholder:"FILE"`
	Keys        string `required:"" type:"existingdir" help:"Folder with keys.json and its signature." placeholder:"DIR"`
	password
}

func (s sign) Run(out *terminal.Output) error {
	word, err := s.read()
	if err != nil {
		return err
	}
	m := release.Manifest{
		Product: release.Agent, Version: s.Version, Number: s.Number, NotBefore: time.Now().UTC().Add(-release.ClockSkew).Truncate(time.Second), Expires: s.Expires.Time,
		MinLauncher: s.MinLauncher, Protocol: release.Protocol{Min: cmp.Or(s.ProtocolMin, wire.Version), Max: cmp.Or(s.ProtocolMax, wire.Version)}, DowngradeOf: s.DowngradeOf,
	}
	if m.Expires.IsZero() {
		m.Expires = time.Now().UTC().AddDate(1, 0, 0).Truncate(time.Second)
	}
	if m.Files, err = release.Programs(s.Dir); err != nil {
		return err
	}
	by := release.Signer{}
	if by.Keys, err = os.ReadFile(filepath.Join(s.Keys, release.KeysName)); err != nil {
		return err
	}
	if by.KeysSignature, err = os.ReadFile(filepath.Join(s.Keys, release.KeysSignatureName)); err != nil {
		return err
	}
	if by.Key, err = release.ReadKey(s.Key, word); err != nil {
		return err
	}
	made, err := release.Sign(s.Dir, m, by)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "release %s, number %d, %s\n", made.Version, made.Number, terminal.Plural(len(made.Files), "program"))
	return err
}
