package wording

import "overcrank/farm"

// Counted is a text about an amount, for one thing and for any other number of them. The amount is its first verb; Args are for those
// behind it.
type Counted struct {
	One, Many string
	Args      []any
}

func counted(one, many string) Counted { return Counted{One: one, Many: many} }

// causes are the texts of kinds of causes: alone, and with what more is known of the cause, for those of which more can be.
var causes = map[farm.CauseKind]struct{ alone, of Counted }{
	farm.CauseFootage: {
		counted("%d job lacks a file of the project", "%d jobs lack a file of the project"),
		counted("%d job lacks the file %s", "%d jobs lack the file %s"),
	},
	farm.CauseFont: {
		counted("%d job needs a font", "%d jobs need a font"),
		counted("%d job needs the font “%s”", "%d jobs need the font “%s”"),
	},
	farm.CauseComposition: {
		counted("%d job names a composition that the project does not have", "%d jobs name a composition that the project does not have"),
		counted("%d job names a composition that the project does not have: %s", "%d jobs name a composition that the project does not have: %s"),
	},
	farm.CauseLayer: {
		counted("%d job names a layer that the composition does not have", "%d jobs name a layer that the composition does not have"),
		counted("%d job names a layer that the composition does not have: %s", "%d jobs name a layer that the composition does not have: %s"),
	},
	farm.CauseExpression: {
		counted("%d job has an expression or script that fails", "%d jobs have an expression or script that fails"),
		counted("%d job has an expression or script that fails: %s", "%d jobs have an expression or script that fails: %s"),
	},
	farm.CauseAsset: {
		counted("%d job brings something that cannot be used", "%d jobs bring something that cannot be used"),
		counted("%d job brings something that cannot be used: %s", "%d jobs bring something that cannot be used: %s"),
	},
	farm.CauseSecret: {
		counted("%d job needs a secret", "%d jobs need a secret"),
		counted("%d job needs the secret “%s”", "%d jobs need the secret “%s”"),
	},
	farm.CauseTemplate: {
		counted("%d job uses a project that cannot be read", "%d jobs use a project that cannot be read"),
		counted("%d job uses a project that cannot be read: %s", "%d jobs use a project that cannot be read: %s"),
	},
	farm.CauseEffect: {
		counted("%d job needs a plug-in that no machine has", "%d jobs need a plug-in that no machine has"),
		counted("%d job needs a plug-in that no machine has: %s", "%d jobs need a plug-in that no machine has: %s"),
	},
	farm.CauseLicence: {
		counted("%d job got no licence of After Effects or a plug-in", "%d jobs got no licence of After Effects or a plug-in"),
		Counted{},
	},
	farm.CauseMachine: {
		counted("%d job failed because of a machine", "%d jobs failed because of a machine"),
		counted("%d job failed because of a machine: %s", "%d jobs failed because of a machine: %s"),
	},
	farm.CauseTime: {
		counted("%d job took longer than a render may", "%d jobs took longer than a render may"),
		Counted{},
	},
	farm.CauseEngine: {
		counted("The engine stopped while it rendered %d job", "The engine stopped while it rendered %d jobs"),
		counted("The engine stopped while it rendered %d job: %s", "The engine stopped while it rendered %d jobs: %s"),
	},
	farm.CauseMemory: {
		counted("Not enough memory for %d job", "Not enough memory for %d jobs"),
		counted("Not enough memory for %d job on %s", "Not enough memory for %d jobs on %s"),
	},
	farm.CauseDisk: {
		counted("No room on the disk for %d job", "No room on the disk for %d jobs"),
		counted("No room on the disk for %d job on %s", "No room on the disk for %d jobs on %s"),
	},
	farm.CauseFrames: {
		counted("Frames of %d job came out missing or damaged", "Frames of %d jobs came out missing or damaged"),
		Counted{},
	},
	farm.CauseDelivery: {
		counted("The results of %d job could not be delivered", "The results of %d jobs could not be delivered"),
		counted("The results of %d job could not be delivered to %s", "The results of %d jobs could not be delivered to %s"),
	},
}

// Cause says why some jobs failed: "3 jobs lack the file nm.png". name is what people call the machine or template that the subject of the
// cause is the id of, "" when nobody knows.
func Cause(c farm.Cause, name string) Counted {
	detail := c.Subject
	if c.Kind == farm.CauseTemplate || c.Kind.OfMachine() {
		detail = name
	}
	texts, known := causes[c.Kind]
	if !known {
		texts.alone = counted("%d job failed for a reason of its own", "%d jobs failed for reasons of their own")
		texts.of = counted("%d job failed: %s", "%d jobs failed: %s")
	}
	if detail == "" || texts.of.Many == "" {
		return texts.alone
	}
	texts.of.Args = []any{detail}
	return texts.of
}

// CauseKind is a kind of cause in a word or two, for a column or a chart.
func CauseKind(k farm.CauseKind) string {
	switch k {
	case farm.CauseFootage:
		return "missing footage"
	case farm.CauseFont:
		return "missing font"
	case farm.CauseComposition:
		return "unknown composition"
	case farm.CauseLayer:
		return "unknown layer"
	case farm.CauseExpression:
		return "expression or script"
	case farm.CauseAsset:
		return "unusable asset"
	case farm.CauseSecret:
		return "unknown secret"
	case farm.CauseTemplate:
		return "unreadable project"
	case farm.CauseEffect:
		return "missing plug-in"
	case farm.CauseLicence:
		return "no licence"
	case farm.CauseEngine:
		return "engine stopped"
	case farm.CauseMemory:
		return "memory full"
	case farm.CauseDisk:
		return "disk full"
	case farm.CauseMachine:
		return "machine"
	case farm.CauseFrames:
		return "damaged frames"
	case farm.CauseDelivery:
		return "not delivered"
	case farm.CauseTime:
		return "too long"
	}
	return "other"
}
