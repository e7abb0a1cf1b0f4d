package farm

// Definition is what a caller sends to submit the job, and the jobs nested in it, again: without a hold, and without
// what the farm added. The job has to be complete, with its nested jobs in its assets.
func (j Job) Definition() Job {
	out := Job{
		Name: j.Name, Tags: j.Tags, Priority: j.Priority, Level: j.Level, NotBefore: j.NotBefore, Sequential: j.Sequential,
		RequireTags: j.RequireTags, AnyTags: j.AnyTags, NoTags: j.NoTags, MinMemory: j.MinMemory, OS: j.OS, Limits: j.Limits,
		MaxMachines: j.MaxMachines, MaxAttempts: j.MaxAttempts, PreviewFirst: j.PreviewFirst, Approve: j.Approve,
		Template: j.Template, ProjectID: j.ProjectID, Preview: j.Preview, Fonts: j.Fonts, Settings: j.Settings, Upload: j.Upload, Webhook: j.Webhook, Join: j.Join,
	}
	for _, a := range j.Assets {
		a.Child = ""
		if a.Nested != nil {
			nested := a.Nested.Definition()
			a.Nested = &nested
		}
		out.Assets = append(out.Assets, a)
	}
	return out
}

// Forgotten tells whether part of what the job was made of has been erased.
func (j Job) Forgotten() bool { return j.Private || !j.RedactedAt.IsZero() || !j.ErasedAt.IsZero() }
