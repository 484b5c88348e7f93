// Package css parses the values of CSS-like settings: lengths, colours, gradients, shadows, borders, backgrounds and fonts.
// Texts, components and captions all use it, so that a value has the same meaning in each of them. The package has no list
// of the settings.
//
// Names and units may be in any case. For a value that cannot be parsed, ok is false, and the returned value has no meaning
// unless the function says otherwise.
package css
