package timeline

// Canonical returns the layer without its place in the movie and in the element's life, as far as the layer's picture does
// not depend on that place. Layers with equal canonical forms look the same. So a logo that is shown all the time without
// moving has the same canonical form in all windows of equal length.
func (l Layer) Canonical() Layer {
	l.Ref = Ref{}
	if !l.Fades() {
		l.FadeIn, l.FadeOut = 0, 0
	}
	if l.Text != nil && l.Text.Animation != nil && l.Phase >= l.Text.Animation.Intro {
		text := *l.Text
		if text.Animation.Leaves {
			text = Text{Settings: TextSettings{FontSize: smallest}}
		}
		text.Animation = nil
		l.Text = &text
	}
	if l.Still() {
		l.Phase = 0
	}
	if l.FadeOut == 0 && (l.Effects == nil || l.Effects.Motion == nil) {
		l.Life = l.Phase + l.To - l.From
	}
	return l
}

// Fades reports whether the layer fades in or out within its window.
func (l Layer) Fades() bool {
	in := l.FadeIn > 0 && l.Phase < l.FadeIn
	out := l.FadeOut > 0 && l.Phase+l.To-l.From > l.Life-l.FadeOut
	return in || out
}

// Still reports whether it is certain that all frames of the window that show the layer show the same picture. It is false
// for layers whose movement only the drawing code knows, such as components, even if they do not move.
func (l Layer) Still() bool {
	return !l.Fades() && l.Effects.still() && l.contentStill()
}

func (l Layer) contentStill() bool {
	switch l.Kind {
	case ColorLayer:
		return true
	case ImageLayer:
		return !l.Animated
	case TextLayer:
		return l.Text == nil || l.Text.Animation == nil || l.Phase >= l.Text.Animation.Intro
	case HTMLLayer:
		return l.Page == nil || l.Page.Capture == 0
	}
	return false
}

func (f *Effects) still() bool {
	if f == nil {
		return true
	}
	turns := f.Rotation != nil && f.Rotation.Frames > 0
	plays := f.Mask != nil && f.Mask.Video
	return f.Motion == nil && !turns && !plays
}
