package launcher

// administrators are the groups whose members may do what root may: wheel and admin.
var administrators = []int{0, 80}
