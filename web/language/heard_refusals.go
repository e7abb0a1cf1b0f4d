package language

import "overcrank/farm"

// refused are why the farm has refused something to somebody, as the audit log keeps it in English, with the actions and roles that stand in it.
var refused = append([]string{
	// farm
	"%q may not %s: that needs the role %s, and %q has the role %s",
	"%q may not %s: that needs the role %s or higher, and %q has the role %s",
	"%q may not %s: that concerns all teams, and needs the role %s in the farm's first team",
	"%q may not %s: that concerns all teams, and needs the role %s or higher in the farm's first team",

	// coordinator/audit
	"the name, password or secret is wrong, or there were too many tries",
}, actionsAndRoles()...)

func actionsAndRoles() (words []string) {
	for _, grant := range farm.Grants() {
		words = append(words, string(grant.Action))
	}
	for _, role := range farm.Roles() {
		words = append(words, string(role))
	}
	return words
}
