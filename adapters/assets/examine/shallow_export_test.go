package examine

// What makes pictures of 16 bits a channel ones of 8.
var (
	ShallowPNG = shallowPNG
	Shallow    = shallow

	ShallowTIFF     = shallowTIFF
	ErrOtherPicture = errOtherPicture
)
