// Package timeline lays a movie out in frames and pixels. In the same look (document.Look), the same document and facts give
// the same timeline; nothing here fetches, draws or encodes.
//
// A timeline is a list of windows. Each window shows layers, and only this package cuts a movie into windows. What a layer
// shows at a frame does not depend on its window, so the places of the cuts do not change the picture. Layer.Canonical has
// everything in a timeline that determines how a layer looks.
//
// Where neither the format nor a decision has a rule, these rules apply:
//
//   - With a zoom, a pan moves the view in its direction: a pan to the right moves the picture to the left. Without a zoom, a pan
//     moves the picture in its direction (in the first look, the view). The picture is enlarged just enough to fill its box,
//     unless pan-crop forbids it.
//   - Zoom, pan and masks stay inside the element's box. A rotated picture may extend beyond it.
//   - A rotation that takes time stops at its angle. A full turn is repeated.
//   - A video mask plays once. An animated image is repeated as long as it is shown; its length never determines that time.
//   - A transition is shortened when a scene is too short for it. A scene between two transitions gives each the time that the
//     other one leaves, and at least half of the scene's length.
//   - A text animation that is longer than its element: one of our own styles is sped up, one of a documented style is cut.
//   - Pages, components and audiograms without a size are as large as the canvas.
package timeline
