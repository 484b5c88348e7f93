// Package timeline lays a movie out in frames and pixels. It is pure: the same document and facts give the same plan, and
// nothing here fetches, draws or encodes.
//
// A plan is a list of windows. Each window shows layers, and only this package cuts a movie into windows. What a layer shows
// at a frame depends only on the frame of its element's life, so the places of the cuts do not change the picture.
// Layer.Canonical has everything that determines how a layer looks.
//
// Where neither the format nor a decision has a rule, these rules apply:
//
//   - A pan is the way of the view: to the right means that the picture moves to the left. With a zoom it is where the zoom leads
//     to, without one the picture is enlarged as far as it needs to be, unless pan-crop forbids it.
//   - Zoom, pan and masks stay inside of the element's box; what is turned may reach over it.
//   - A turn that takes time ends at its angle; a turn all around goes on.
//   - A video mask plays once. Animated images repeat as long as they are shown, and never decide how long that is.
//   - A transition is shortened when a scene is too short for it; a scene between two of them gives each what the other
//     leaves, and half of itself at least.
//   - The animation of a text that would not end within its element runs faster.
//   - Pages, components and audiograms are as large as the canvas where no size is given.
package timeline
