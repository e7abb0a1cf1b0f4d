package launcher

// administrators are the groups whose members may do what root may: root's own.
var administrators = []int{0}
