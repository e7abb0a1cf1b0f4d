package language

import (
	"context"
	"slices"

	"overcrank/farm"
	"overcrank/farm/wording"
)

// fieldNames are what forms call the fields that refusals name as the interface does.
var fieldNames = map[string]string{
	"about": Text("Comment"), "at": Text("Go to date"), "budget.hours": Text("Budget"), "displayName": Text("Name"), "familyName": Text("Name"),
	"file": Text("File"), "files": Text("Files"), "font": Text("Font"), "from": Text("From"), "level": Text("Level"), "name": Text("Name"),
	"notBefore": Text("Not before"), "password": Text("Password"), "picture": Text("Picture"), "prefix": Text("Folder"), "priority": Text("Priority"),
	"project": Text("Project"), "q": Text("Words"), "quietHours.hours": Text("Quiet hours"), "quietHours.timeZone": Text("Time zone"),
	"requireTags": Text("Machines with all of these tags"), "role": Text("Role"), "settings.codec": Text("Result"), "settings.frames": Text("Frames"),
	"settings.missingFootage": Text("Missing footage"), "settings.quality": Text("Quality"), "sort": Text("Sort by"), "tags": Text("Tags"),
	"template": Text("Template"), "template.composition": Text("Composition"), "template.id": Text("Template"), "template.version": Text("Version"),
	"to": Text("To"), "upload.params.accessKeyId": Text("Secret with the access key’s id"),
	"upload.params.accessKeySecret": Text("Secret with the access key"), "upload.params.region": Text("Region"), "upload.prefix": Text("Folder"),
	"webhook": Text("Webhook"), "webhook.url": Text("Webhook"), "word": Text("Tag"), "zone": Text("Time zone"),
}

// FieldName is what forms call a field of the interface, in the language of a context; its own name where no form has it.
func FieldName(ctx context.Context, field string) string {
	if words, known := fieldNames[field]; known {
		return Say(ctx, words)
	}
	if n, ok := farm.AssetOf(field); ok {
		return Say(ctx, "Change %d to the template", n+1)
	}
	return field
}

// named is a text with the names of fields and roles in it as forms have them.
func named(ctx context.Context, t farm.Text) farm.Text {
	if field, ok := t.Field(); ok {
		return farm.AsIs(FieldName(ctx, field))
	}
	if slices.Contains(farm.Roles(), farm.Role(t.Key)) {
		return farm.AsIs(wording.Title(Say(ctx, t.Key)))
	}
	args := make([]any, len(t.Args))
	for i, arg := range t.Args {
		args[i] = arg
		if inner, ok := arg.(farm.Text); ok {
			args[i] = named(ctx, inner)
		}
	}
	t.Args = args
	return t
}
