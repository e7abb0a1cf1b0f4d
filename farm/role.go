package farm

import "slices"

// Roles are all roles, from the least to the most powerful.
func Roles() []Role {
	return []Role{RoleViewer, RoleArtist, RoleProducer, RoleOperator, RoleAdmin}
}

// Known says whether r is one of the roles.
func (r Role) Known() bool { return slices.Contains(Roles(), r) }

// Allows says whether r includes the role needed. Neither an unknown role nor an unknown need is ever allowed.
func (r Role) Allows(needed Role) bool {
	have, need := slices.Index(Roles(), r), slices.Index(Roles(), needed)
	return have >= 0 && need >= 0 && have >= need
}
