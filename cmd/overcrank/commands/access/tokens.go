package access

import (
	"context"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

// Tokens are the commands below overcrank tokens.
type Tokens struct {
	List   tokensList   `cmd:"" default:"withargs" help:"List the tokens of the team."`
	Create tokensCreate `cmd:"" help:"Create a token; its secret is printed once."`
	Revoke tokensRevoke `cmd:"" help:"Revoke tokens, on every coordinator at once."`
}

type tokensList struct {
	remote.Flags
	teamFlag
}

func (l tokensList) Run(ctx context.Context, out *terminal.Output) error {
	return listAccess(ctx, l.Flags, l.teamFlag, (*client.Client).Tokens, tokenTable, out)
}

type tokensCreate struct {
	newAccessFlags
	remote.SecretFile
	remote.Flags
}

func (tokensCreate) Help() string {
	return `The secret is shown this once. Keep it in a file that only you can read:

    overcrank tokens create "render script" --role producer --out render.token`
}

func (t tokensCreate) Run(ctx context.Context, out *terminal.Output) error {
	c, err := t.Client()
	if err != nil {
		return err
	}
	in, err := t.request(ctx, c)
	if err != nil {
		return err
	}
	token, err := c.CreateToken(ctx, in)
	if err != nil {
		return err
	}
	if t.JSON {
		return t.GiveAnswer(out, token.JSON(), token.Secret)
	}
	out.Remark("Token %s (%s), role %s. Its secret is shown this once.", token.ID, token.Name, token.Role)
	return t.Give(out, token.Secret)
}

type tokensRevoke struct {
	Tokens []string `arg:"" name:"token" help:"Ids or names of the tokens." complete:"token"`
	remote.Farm
	teamFlag
}

func (t tokensRevoke) Run(ctx context.Context, out *terminal.Output) error {
	c, err := t.Client()
	if err != nil {
		return err
	}
	return remote.DeleteAll(t.Tokens, "revoked", out,
		func(ref string) (string, error) { return t.find(ctx, c, "token", ref, c.Tokens) },
		func(id string) error { return c.RevokeToken(ctx, id) })
}
