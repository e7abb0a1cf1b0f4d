package cluster

import (
	"context"
	"fmt"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/durable"
)

type certificateCommand struct {
	remote.Farm
	Out string `help:"File for the certificate; standard output when left out." placeholder:"FILE" type:"path"`
}

func (certificateCommand) Help() string {
	return `In PEM, as --ca-file, curl's --cacert and the certificate stores of systems take it. The certificate is no secret. Compare the fingerprint
('overcrank cluster ca') before you trust one that came over plain HTTP.

    overcrank cluster certificate --out farm-ca.pem
    curl --cacert farm-ca.pem https://farm.studio:8080/readyz`
}

// Run prints the certificate of the farm's authority.
func (a certificateCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := a.Client()
	if err != nil {
		return err
	}
	ca, err := c.Authority(ctx)
	if err != nil {
		return err
	}
	if a.Out == "" {
		_, err := fmt.Fprint(out, ca.Certificate)
		return err
	}
	if err := durable.WriteFile(a.Out, []byte(ca.Certificate), 0o644); err != nil {
		return fmt.Errorf("keep the certificate: %w", err)
	}
	out.Remark("Kept in %s; its fingerprint is %s.", a.Out, ca.Fingerprint)
	return nil
}
