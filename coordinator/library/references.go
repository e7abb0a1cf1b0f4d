package library

import (
	"fmt"
	"slices"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// maxReferenceProblems bounds how many unknown names one answer lists.
const maxReferenceProblems = 100

// Check notes which secrets a job uses, and lists the fields that refer to secrets which its team does not have.
func (s *Secrets) Check(team string, job *farm.Job) []farm.FieldError {
	job.UsesSecrets = nil
	if !mayRefer(job) {
		return nil
	}
	var unknown []farm.FieldError
	_ = s.state.View(func(tx *raftstore.Tx) error {
		if level, _, err := tx.Level(); err == nil && level >= command.SecretTagsLevel {
			job.UsesSecrets = secretsUsed(*job)
		}
		return eachReference(*job, true, func(field, name string) error {
			if len(unknown) < maxReferenceProblems && !tx.HasSecret(team, name) {
				unknown = append(unknown, farm.Field(field, "names the secret %.100q, which does not exist", name))
			}
			return nil
		})
	})
	return unknown
}

// secretsUsed are the names of the secrets that a job's machines get, in order.
func secretsUsed(job farm.Job) []string {
	var names []string
	_ = eachReference(job, false, func(_, name string) error {
		names = append(names, name)
		return nil
	})
	return sortedSet(names)
}

// mayRefer tells whether a job may refer to secrets. Most refer to none, and are searched no further.
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
