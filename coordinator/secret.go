package coordinator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"overcrank/coordinator/schedule"
	"overcrank/coordinator/seal"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/names"
	"overcrank/farm/redact"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// Bounds of secrets.
const (
	MaxSecretName  = 100     // characters of a name
	MaxSecretValue = 8 << 10 // bytes of a value
	maxSecrets     = 1000    // of one team
	maxMachineTags = 50      // of one secret
)

// secretKeyFile is the file of the data folder with the keys that seal secrets.
const secretKeyFile = "secrets.key"

// ValidSecretName tells whether a name may be given to a secret: letters, digits, '_', '-' and '.'.
func ValidSecretName(name string) bool {
	return name != "" && len(name) <= MaxSecretName && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == ""
}

// Secrets lists the secrets of the caller's team, without their values.
func (c *Coordinator) Secrets(_ context.Context, p farm.Principal) ([]farm.Secret, error) {
	if err := p.May(farm.ActViewSecrets); err != nil {
		return nil, err
	}
	var list []farm.Secret
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.Secrets(p.Team)
		return err
	})
	for i := range list {
		list[i].Sealed = nil
	}
	return list, err
}

// PutSecret adds a secret to the caller's team; CodeConflict when it has one of that name. The value stays nowhere but in
// its sealed form. machineTags bound which machines get it, see farm.Secret.
func (c *Coordinator) PutSecret(ctx context.Context, p farm.Principal, name string, value farm.Confidential, machineTags []string) (farm.Secret, error) {
	if err := p.May(farm.ActChangeSecrets); err != nil {
		return farm.Secret{}, err
	}
	switch {
	case !ValidSecretName(name):
		return farm.Secret{}, farm.Invalid("the secret cannot be kept", farm.FieldError{
			Field: "name", Message: fmt.Sprintf("may hold letters, digits, '_', '-' and '.', %d of them at most", MaxSecretName)})
	case value.Reveal() == "" || len(value.Reveal()) > MaxSecretValue:
		return farm.Secret{}, farm.Invalid("the secret cannot be kept", farm.FieldError{
			Field: "value", Message: fmt.Sprintf("has to have 1 to %d bytes", MaxSecretValue)})
	}
	if err := checkMachineTags(machineTags); err != nil {
		return farm.Secret{}, err
	}
	id, err := c.state.NewID()
	if err != nil {
		return farm.Secret{}, err
	}
	if err := c.roomForSecret(p.Team); err != nil {
		return farm.Secret{}, err
	}
	secret := farm.Secret{ID: id, Team: p.Team, Name: name, CreatedAt: c.cfg.Now(), MachineTags: tagSet(machineTags)}
	c.sealing.RLock() // a change of keys must not miss it
	defer c.sealing.RUnlock()
	if secret.Key, secret.Sealed, err = c.ring.Seal(ownerOf(secret), value.Reveal()); err != nil {
		return farm.Secret{}, fmt.Errorf("sealing a secret: %w", err)
	}
	if _, err := c.state.Apply(ctx, raftstore.PutSecret{Secret: secret}); err != nil {
		return farm.Secret{}, err
	}
	return secret, nil
}

// RestrictSecret changes which machines get a secret of the caller's team: those that have one of the tags from the farm's people; no
// tags for every machine. It holds for what is leased from then on.
func (c *Coordinator) RestrictSecret(ctx context.Context, p farm.Principal, id string, machineTags []string) (secret farm.Secret, err error) {
	if err := p.May(farm.ActChangeSecrets); err != nil {
		return farm.Secret{}, err
	}
	if err := checkMachineTags(machineTags); err != nil {
		return farm.Secret{}, err
	}
	if _, err := c.secretOf(p.Team, id); err != nil {
		return farm.Secret{}, err
	}
	_, err = c.state.Apply(ctx, raftstore.ChangeSecret{Team: p.Team, ID: id, MachineTags: tagSet(machineTags)})
	switch farm.CodeOf(err) {
	case farm.CodeNotFound:
		return farm.Secret{}, noSecret(id)
	case farm.CodeConflict: // with the farm's level: some coordinator does not know of this yet
		return farm.Secret{}, farm.Errorf(farm.CodeUnavailable, "%w", err)
	}
	if err != nil {
		return farm.Secret{}, err
	}
	secret, err = c.secretOf(p.Team, id)
	secret.Sealed = nil
	return secret, err
}

// secretOf is a secret of a team; CodeNotFound when the team has none with this id.
func (c *Coordinator) secretOf(team, id string) (secret farm.Secret, err error) {
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		secret, err = tx.Secret(id)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && secret.Team != team {
		return farm.Secret{}, noSecret(id)
	}
	return secret, err
}

func noSecret(id string) error { return farm.Errorf(farm.CodeNotFound, "there is no secret %q", id) }

// checkMachineTags refuses tags that no machine has.
func checkMachineTags(tags []string) error {
	if len(tags) > maxMachineTags {
		return farm.Invalid("the secret cannot go to such machines", farm.FieldError{
			Field: "machineTags", Message: fmt.Sprintf("holds %d tags; %d are allowed", len(tags), maxMachineTags)})
	}
	for i, tag := range tags {
		if !names.IsLabel(tag) || len(tag) > maxName {
			return farm.Invalid("the secret cannot go to such machines", farm.FieldError{Field: fmt.Sprintf("machineTags[%d]", i), Message: labelWords})
		}
	}
	return nil
}

// tagSet is tags in order, each once; nil for none.
func tagSet(tags []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(tags)))
}

func (c *Coordinator) roomForSecret(team string) error {
	return c.store.View(func(tx *raftstore.Tx) error {
		list, err := tx.Secrets(team)
		if err == nil && len(list) >= maxSecrets {
			err = farm.Errorf(farm.CodeConflict, "the team has %d secrets, which is as many as it may have; delete those that are no longer used", len(list))
		}
		return err
	})
}

// DeleteSecret removes a secret of the caller's team. Jobs that refer to it and have not rendered will fail and say so.
func (c *Coordinator) DeleteSecret(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActChangeSecrets); err != nil {
		return err
	}
	_, err := c.state.Apply(ctx, raftstore.DeleteSecret{Team: p.Team, ID: id})
	if farm.CodeOf(err) == farm.CodeNotFound {
		return noSecret(id)
	}
	return err
}

// ownerOf is whom a secret's value is sealed for: under another team or name it does not open.
func ownerOf(s farm.Secret) string { return "overcrank secret\x00" + s.Team + "\x00" + s.Name }

// revealNamed opens the secret of a team with that name.
func (c *Coordinator) revealNamed(tx *raftstore.Tx, team, name string) (string, error) {
	secret, err := tx.SecretNamed(team, name)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return "", farm.Errorf(farm.CodeInvalid, "Secret '%.*s' does not exist any more", MaxSecretName, name)
	}
	if err != nil {
		return "", err
	}
	value, err := c.ring.Open(secret.Key, secret.Sealed, ownerOf(secret))
	if err != nil {
		return "", farm.Errorf(farm.CodeInvalid, "Secret '%s' cannot be opened; put it again: %w", name, err)
	}
	return value, nil
}

// revealing gives what puts the values of a team's secrets in the place of references, and what then conceals all that it
// has put in.
func (c *Coordinator) revealing(tx *raftstore.Tx, team string) (put func(field, s string) (string, error), concealing func() *redact.Redactor) {
	var values []string
	value := func(name string) (string, error) {
		v, err := c.revealNamed(tx, team, name)
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

// RevealWebhook gives a job's webhook with the values of secrets in it, and what conceals them in everything that is then
// said about it.
func (h hooks) RevealWebhook(job farm.Job) (hook farm.Webhook, secrets *redact.Redactor, err error) {
	if job.Webhook == nil {
		return hook, nil, nil
	}
	err = h.c.store.View(func(tx *raftstore.Tx) (err error) {
		put, concealing := h.c.revealing(tx, job.Team)
		hook, err = job.Webhook.RewriteRefs("webhook", put)
		secrets = concealing()
		return err
	})
	return hook, secrets, err
}

// revealUpload does for a job's upload what RevealWebhook does for its webhook.
func (c *Coordinator) revealUpload(job farm.Job) (upload farm.Upload, secrets *redact.Redactor, err error) {
	if job.Upload == nil {
		return upload, nil, nil
	}
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		put, concealing := c.revealing(tx, job.Team)
		upload, err = job.Upload.RewriteRefs("upload", put)
		secrets = concealing()
		return err
	})
	return upload, secrets, err
}

// errSecretElsewhere is a lease for a machine that may not get a secret of the job. The machine lost its tag, or the secret got one,
// after the machine was chosen: another is to be.
var errSecretElsewhere = errors.New("the machine may not get a secret of the job")

// leaseSecrets opens what the references in a job's project, assets and upload name, for a machine that may get it.
func (c *Coordinator) leaseSecrets(tx *raftstore.Tx, job farm.Job, agent string) (wire.Secrets, error) {
	secrets := wire.Secrets{}
	err := eachReference(job, false, func(_, name string) error {
		if _, known := secrets[name]; known {
			return nil
		}
		if err := maySend(tx, job, name, agent); err != nil {
			return err
		}
		value, err := c.revealNamed(tx, job.Team, name)
		secrets[name] = value
		return err
	})
	if err != nil || len(secrets) == 0 {
		return nil, err
	}
	return secrets, nil
}

// maySend refuses to give the value of a secret to a machine that may not get it. This is what keeps it from there: the queue, which
// chooses machines, may know less.
func maySend(tx *raftstore.Tx, job farm.Job, name, agent string) error {
	secret, err := tx.SecretNamed(job.Team, name)
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && len(secret.MachineTags) == 0 {
		return nil // one that is gone is told of where its value is opened
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
			name, strings.Join(secret.MachineTags, ", "))
	}
	return fmt.Errorf("%w: '%s' goes only to those with one of the tags %s", errSecretElsewhere, name, strings.Join(secret.MachineTags, ", "))
}

// usesSecrets are the names of the secrets that a job's machines get, in order.
func usesSecrets(job farm.Job) []string {
	var names []string
	_ = eachReference(job, false, func(_, name string) error {
		names = append(names, name)
		return nil
	})
	return tagSet(names)
}

// loadSecretTags reads which secrets go to some machines only.
func (l *leader) loadSecretTags() error {
	tags := map[string][]string{}
	var index uint64
	err := l.c.store.View(func(tx *raftstore.Tx) error {
		index = tx.Index()
		secrets, err := tx.AllSecrets()
		for _, s := range secrets {
			if len(s.MachineTags) > 0 {
				tags[schedule.SecretKey(s.Team, s.Name)] = s.MachineTags
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("reading which machines get secrets: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if index >= l.secretsIndex {
		l.secretsIndex = index
		l.queue.SetSecretTags(tags)
		l.wake()
	}
	return nil
}

// maxReferenceProblems bounds how many unknown names one answer lists.
const maxReferenceProblems = 100

// checkSecrets lists the fields of a job that refer to secrets which its team does not have, and notes which the job uses.
func (c *Coordinator) checkSecrets(team string, job *farm.Job) []farm.FieldError {
	job.UsesSecrets = nil
	if !mayRefer(job) {
		return nil
	}
	if c.level() >= raftstore.SecretTagsLevel {
		job.UsesSecrets = usesSecrets(*job)
	}
	var wrong []farm.FieldError
	var names []string // beside wrong
	_ = eachReference(*job, true, func(field, name string) error {
		wrong = append(wrong, farm.FieldError{Field: field})
		names = append(names, name)
		return nil
	})
	if len(names) == 0 {
		return nil
	}
	known := map[string]bool{}
	_ = c.store.View(func(tx *raftstore.Tx) error {
		for _, name := range names {
			known[name] = tx.HasSecret(team, name)
		}
		return nil
	})
	unknown := wrong[:0]
	for i, w := range wrong {
		if !known[names[i]] && len(unknown) < maxReferenceProblems {
			w.Message = fmt.Sprintf("names the secret %.100q, which does not exist", names[i])
			unknown = append(unknown, w)
		}
	}
	return unknown
}

// mayRefer says whether a job may refer to secrets. Most refer to none, and are looked through no further.
func mayRefer(job *farm.Job) bool {
	return job.Upload != nil || job.Webhook != nil || len(farm.SecretRefs(job.Template.Src)) > 0 || slices.ContainsFunc(job.Assets, farm.Asset.MayRefer)
}

// eachReference visits the references to secrets of a job, in its own order; those of its webhook only when asked to.
func eachReference(job farm.Job, webhook bool, visit func(field, name string) error) error {
	see := func(field, s string) (string, error) {
		for _, name := range farm.SecretRefs(s) {
			if err := visit(field, name); err != nil {
				return "", err
			}
		}
		return s, nil
	}
	if _, err := see("template.src", job.Template.Src); err != nil {
		return err
	}
	for i, a := range job.Assets {
		if !a.MayRefer() {
			continue
		}
		if _, err := a.RewriteRefs(fmt.Sprintf("assets[%d]", i), see); err != nil {
			return err
		}
	}
	if job.Upload != nil {
		if _, err := job.Upload.RewriteRefs("upload", see); err != nil {
			return err
		}
	}
	if webhook && job.Webhook != nil {
		if _, err := job.Webhook.RewriteRefs("webhook", see); err != nil {
			return err
		}
	}
	return nil
}

// checkRing makes sure that what is sealed in the state can be opened, and makes the key file of a farm that has sealed
// nothing yet.
func (c *Coordinator) checkRing() error {
	var secrets []farm.Secret
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		secrets, err = tx.AllSecrets()
		return err
	})
	if err != nil {
		return fmt.Errorf("looking for secrets: %w", err)
	}
	if len(c.ring.IDs()) == 0 && len(secrets) == 0 {
		_, err := c.ring.Add()
		return err
	}
	lost := map[string]int{}
	for _, s := range secrets {
		if _, err := c.ring.Open(s.Key, s.Sealed, ownerOf(s)); errors.Is(err, seal.ErrNoKey) {
			lost[s.Key]++
		} else if err != nil {
			return fmt.Errorf("%s does not fit the farm's state: its key %s does not open the secret '%s'; put back the file that belongs to this farm", c.ring.Path(), s.Key, s.Name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(lost)) {
		return fmt.Errorf("%s lacks the key %s, with which %d secrets are sealed: put the file, or that line of it, back from a backup; without it their values are lost", c.ring.Path(), key, lost[key])
	}
	return nil
}
