package aep
func displayName(match string, e *effectDefinition) string { if d:=e.param(match); d!=nil && d.name!="" {return d.name}; return match }
