package dom

import (
	"github.com/dop251/goja"

	"overcrank/aep"
)

// defineColor defines how a project understands colours.
func (s *session) defineColor(c *class) {
	attr(c, "linearBlending", func(p *aep.Project) any { return p.Color.LinearBlending },
		func(p *aep.Project, v goja.Value) { p.Color.LinearBlending = v.ToBoolean() })
	attr(c, "linearizeWorkingSpace", func(p *aep.Project) any { return p.Color.LinearWorkSpace },
		func(p *aep.Project, v goja.Value) { p.Color.LinearWorkSpace = v.ToBoolean() })
	attr(c, "workingSpace", func(p *aep.Project) any { return p.Color.WorkingSpace.Name },
		func(p *aep.Project, v goja.Value) {
			if name := v.String(); name != p.Color.WorkingSpace.Name {
				p.Color.WorkingSpace = aep.ColorProfile{Name: name}
			}
		})
	attr(c, "workingGamma", func(p *aep.Project) any { return p.Color.Gamma }, func(p *aep.Project, v goja.Value) {
		n := s.number(v, "workingGamma")
		if n != 2.2 && n != 2.4 {
			s.throw(`After Effects error: Unable to set "workingGamma": it is 2.2 or 2.4`)
		}
		p.Color.Gamma = n
	})
}
