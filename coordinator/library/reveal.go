package library

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/redact"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// ErrMachine is a lease for a machine that may not get a secret of the job. The machine lost its tag, or the secret got one, after the
// machine was chosen: another one has to be.
var ErrMachine = errors.New("the machine may not get a secret of the job")

// ownerOf is what a secret's value is bound to: under another team or name it does not open.
func ownerOf(s farm.Secret) string { return "overcrank secret\x00" + s.Team + "\x00" + s.Name }

// open opens the secret of a team with a name.
func (s *Secrets) open(tx *raftstore.Tx, team, name string) (string, error) {
	secret, err := tx.SecretNamed(team, name)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return "", farm.Errorf(farm.CodeInvalid, "Secret '%.*s' does not exist any more", MaxSecretName, name).OfCause(farm.CauseSecret, name)
	}
	if err != nil {
		return "", err
	}
	value, err := s.ring.Open(secret.Key, secret.Sealed, ownerOf(secret))
	if err != nil {
		return "", farm.Errorf(farm.CodeInvalid, "Secret '%s' cannot be opened; put it again: %w", name, err).OfCause(farm.CauseSecret, name)
	}
	return value, nil
}

// revealing gives a function that replaces references by the values of a team's secrets, and what conceals all values that it has
// put in.
func (s *Secrets) revealing(tx *raftstore.Tx, team string) (put func(field, s string) (string, error), concealing func() *redact.Redactor) {
	var values []string
	value := func(name string) (string, error) {
		v, err := s.open(tx, team, name)
		values = append(values, v)
		return v, err
	}
	put = func(field, s string) (string, error) {
		if field == "webhook.url" {
			return address.PutSecrets(s, value)
		}
		return farm.ReplaceSecrets(s, value)
	}
	return put, func() *redact.Redactor { return redact.New(values...) }
}

// RevealWebhook gives a job's webhook with the values of its secrets, and what conceals them in everything that is then said of it.
func (s *Secrets) RevealWebhook(job farm.Job) (hook farm.Webhook, secrets *redact.Redactor, err error) {
	if job.Webhook == nil {
		return hook, nil, nil
	}
	err = s.state.View(func(tx *raftstore.Tx) (err error) {
		put, concealing := s.revealing(tx, job.Team)
		hook, err = job.Webhook.RewriteRefs("webhook", put)
		secrets = concealing()
		return err
	})
	return hook, secrets, err
}

// RevealUpload does for a job's upload what RevealWebhook does for its webhook.
func (s *Secrets) RevealUpload(job farm.Job) (upload farm.Upload, secrets *redact.Redactor, err error) {
	if job.Upload == nil {
		return upload, nil, nil
	}
	err = s.state.View(func(tx *raftstore.Tx) (err error) {
		put, concealing := s.revealing(tx, job.Team)
		upload, err = job.Upload.RewriteRefs("upload", put)
		secrets = concealing()
		return err
	})
	return upload, secrets, err
}

// For gives the values of the secrets to which a job's project, assets and upload refer, for a machine. ErrMachine when it may not get
// one of them.
func (s *Secrets) For(tx *raftstore.Tx, job farm.Job, agent string) (wire.Secrets, error) {
	secrets := wire.Secrets{}
	err := eachReference(job, false, func(_, name string) error {
		if _, known := secrets[name]; known {
			return nil
		}
		if err := maySend(tx, job, name, agent); err != nil {
			return err
		}
		value, err := s.open(tx, job.Team, name)
		secrets[name] = value
		return err
	})
	if err != nil || len(secrets) == 0 {
		return nil, err
	}
	return secrets, nil
}

// maySend refuses to give the value of a secret to a machine that may not get it. This check keeps it from there: the queue, which
// chooses machines, may know less.
func maySend(tx *raftstore.Tx, job farm.Job, name, agent string) error {
	secret, err := tx.SecretNamed(job.Team, name)
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && len(secret.MachineTags) == 0 {
		return nil // that it is gone is said where its value is opened
	}
	if err != nil {
		return err
	}
	machine, err := tx.Agent(agent)
	if err != nil {
		return err
	}
	switch {
	case secret.GoesTo(machine):
		return nil
	case !slices.Contains(job.UsesSecrets, name):
		return farm.Errorf(farm.CodeInvalid, "Secret '%s' goes only to machines with one of the tags %s, which this job does not ask for since it was submitted before: submit it again",
			name, strings.Join(secret.MachineTags, ", ")).OfCause(farm.CauseSecret, name)
	}
	return fmt.Errorf("%w: '%s' goes only to those with one of the tags %s", ErrMachine, name, strings.Join(secret.MachineTags, ", "))
}
