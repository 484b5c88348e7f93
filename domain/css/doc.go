// Package css reads the values of CSS-like settings: lengths, colours, gradients, shadows, borders, backgrounds and fonts. Texts, components
// and captions all read them here, so that a value means the same in each. It holds no rule about which setting there is.
//
// Names and units may be written in any case. What cannot be read is told by ok, never by a value that looks like one.
package css
