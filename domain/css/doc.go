// Package css parses the values of CSS-like settings: lengths, colours, gradients, shadows, borders, backgrounds and fonts.
// Texts, components and captions all use it, so that a value means the same in each. It does not know which settings exist.
//
// Names and units may be in any case. A value that cannot be parsed is reported by ok = false; the returned value means nothing
// then.
package css
