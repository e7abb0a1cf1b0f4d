package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/terminal"
)

type secretsCommand struct {
	List      secretsList      `cmd:"" default:"withargs" help:"List the names of the team's secrets."`
	Set       secretsSet       `cmd:"" help:"Keep a secret, which jobs use as $${secrets.NAME}."`
	Delete    secretsDelete    `cmd:"" help:"Delete secrets."`
	RotateKey secretsRotateKey `cmd:"" help:"Seal all secrets of the farm with a new key."`
}

type secretsList struct{ remote }

func (l secretsList) Run(ctx context.Context, out *output) error {
	c, err := l.client()
	if err != nil {
		return err
	}
	list, err := c.Secrets(ctx)
	if err != nil {
		return err
	}
	if l.JSON {
		return out.answer(list.JSON())
	}
	if len(list.Items) == 0 {
		out.remark("No secrets. Keep one with: overcrank secrets set NAME")
		return nil
	}
	t := terminal.NewTable("SECRET", "NAME", "SET")
	for _, s := range list.Items {
		t.Row(s.ID, s.Name, localTime(s.CreatedAt))
	}
	return out.table(t)
}

type secretsSet struct {
	Name string `arg:"" help:"Name of the secret."`
	remote
	FromFile string `help:"File that holds the value, to its last byte but for one line break at the end." type:"existingfile"`
	Replace  bool   `help:"If the name is taken, delete the old secret first. Jobs that start in between fail."`
}

func (secretsSet) Help() string {
	return `The value is asked for without being shown, read from standard input, or from a file. It is no argument because arguments stand in the
shell's history and are seen by everyone on the machine who lists its processes.

    overcrank secrets set S3_KEY
    vault read -field=key storage | overcrank secrets set S3_KEY
    overcrank secrets set S3_KEY --from-file key.txt`
}

func (s secretsSet) Run(ctx context.Context, out *output) error {
	c, err := s.client()
	if err != nil {
		return err
	}
	value, err := s.value(out)
	if err != nil {
		return err
	}
	secret, err := c.SetSecret(ctx, s.Name, value)
	var refused *client.Error
	if errors.As(err, &refused) && refused.Code == client.SecretExists {
		if !s.Replace {
			return fmt.Errorf("%w (--replace sets it anew)", err)
		}
		id, err := findSecret(ctx, c, s.Name)
		if err != nil {
			return err
		}
		if err := c.DeleteSecret(ctx, id); err != nil {
			return fmt.Errorf("delete the old secret: %w", err)
		}
		if secret, err = c.SetSecret(ctx, s.Name, value); err != nil {
			return fmt.Errorf("the old secret is deleted, but the new one is not kept: %w", err)
		}
	} else if err != nil {
		return err
	}
	if s.JSON {
		return out.answer(secret.JSON())
	}
	fmt.Fprintln(out, secret.ID)
	out.remark("Use it as ${secrets.%s}", secret.Name)
	return nil
}

// value gets the secret itself.
func (s secretsSet) value(out *output) (string, error) {
	var raw []byte
	var err error
	switch stdin := int(os.Stdin.Fd()); {
	case s.FromFile != "":
		raw, err = os.ReadFile(s.FromFile)
	case term.IsTerminal(stdin):
		fmt.Fprintf(out.errors, "Value of %s (not shown): ", s.Name)
		raw, err = term.ReadPassword(stdin)
		fmt.Fprintln(out.errors)
	default:
		raw, err = io.ReadAll(os.Stdin)
	}
	if err != nil {
		return "", fmt.Errorf("read the value: %w", err)
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	if value == "" {
		return "", usagef("the value of %s is empty", s.Name)
	}
	return value, nil
}

func findSecret(ctx context.Context, c *client.Client, ref string) (string, error) {
	list, err := c.Secrets(ctx)
	if err != nil {
		return "", err
	}
	s, err := pick(list.Items, "secret", ref, func(s client.Secret) (string, string) { return s.ID, s.Name })
	return s.ID, err
}

type secretsDelete struct {
	Secrets []string `arg:"" name:"secret" help:"Names or ids of the secrets." complete:"secret"`
	serverFlags
}

func (d secretsDelete) Run(ctx context.Context, out *output) error {
	c, err := d.client()
	if err != nil {
		return err
	}
	return deleteAll(d.Secrets, "deleted", out,
		func(ref string) (string, error) { return findSecret(ctx, c, ref) },
		func(id string) error { return c.DeleteSecret(ctx, id) })
}

type secretsRotateKey struct {
	remote
	DropOld bool `help:"Forget the keys that seal nothing any more. Backups from before cannot be read without them."`
}

func (r secretsRotateKey) Run(ctx context.Context, out *output) error {
	c, err := r.client()
	if err != nil {
		return err
	}
	rotated, err := c.RotateSecretKey(ctx, r.DropOld)
	if err != nil {
		return err
	}
	if r.JSON {
		return out.answer(rotated.JSON())
	}
	_, err = fmt.Fprintf(out, "%s sealed with key %s; the farm has %s\n", plural(rotated.Resealed, "secret"), rotated.Key, plural(len(rotated.Keys), "key"))
	return err
}
