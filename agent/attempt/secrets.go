package attempt

import (
	"fmt"
	"strings"

	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/redact"
	"overcrank/farm/wire"
)

// concealing is what takes the values of secrets out of everything that leaves the agent; nil when there are none.
func concealing(secrets wire.Secrets) *redact.Redactor {
	values := make([]string, 0, len(secrets))
	for _, value := range secrets {
		values = append(values, value)
	}
	return redact.New(values...)
}

// revealed is the attempt with the values of secrets in its lease, which is never written anywhere. The lease that was given is not changed.
func (t *attempt) revealed() (*attempt, error) {
	lease, err := reveal(t.lease)
	if err != nil {
		return nil, err
	}
	with := *t
	with.lease = lease
	return &with, nil
}

// reveal is a lease with the values of secrets in the place of the references to them.
func reveal(lease wire.Lease) (wire.Lease, error) {
	value := func(name string) (string, error) {
		v, ok := lease.Secrets[name]
		if !ok {
			return "", &failure{message: fmt.Sprintf("Secret '%.100s' is not known", name), cause: farm.Cause{Kind: farm.CauseSecret, Subject: name}}
		}
		return v, nil
	}
	put := func(field, s string) (string, error) {
		if strings.HasSuffix(field, ".src") {
			return address.PutSecrets(s, value)
		}
		return farm.ReplaceSecrets(s, value)
	}
	var err error
	if lease.Project.Src, err = address.PutSecrets(lease.Project.Src, value); err != nil {
		return lease, err
	}
	assets := make([]farm.Asset, len(lease.Assets))
	for i, a := range lease.Assets {
		if assets[i], err = a.RewriteRefs(fmt.Sprintf("assets[%d]", i), put); err != nil {
			return lease, err
		}
	}
	lease.Assets = assets
	if lease.Upload != nil {
		upload, err := lease.Upload.RewriteRefs("upload", put)
		if err != nil {
			return lease, err
		}
		lease.Upload = &upload
	}
	return lease, nil
}
