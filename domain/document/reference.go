package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Chapter is one chapter of the reference of the movie JSON.
type Chapter struct {
	Level int // level of the chapter's heading, 2 or 3
	Title string
	Doc   string
	Rows  []Property
}

// Chapters returns the table of properties in the order of the reference. Properties that several kinds share appear once.
func Chapters() []Chapter {
	n := len(elementProperties) - len(repeatedProperties)
	m := len(sceneProperties) - len(repeatedProperties)
	book := []Chapter{
		{2, "Movie", "The outermost object. It has at least one of scenes, elements, template and project.", movieProperties},
		{2, "Scene", "Scenes follow one another.", sceneProperties[:m]},
		{3, "Transition", "The object transition of a scene.", Lookup("transition")},
		{3, "Thumbnail", "The object thumbnail of a movie.", Lookup("thumbnail")},
		{2, "Scenes and elements", "What both understand. [templates.md](templates.md) says more.", repeatedProperties},
		{2, "Elements", "What every element understands but subtitles, which have no times of their own.", elementProperties[:n]},
		{3, "Elements with a picture", "Image, video, text, html, component and audiogram.", visualProperties},
		{3, "Elements with sound", "Video, audio and voice.", soundProperties},
	}
	for _, name := range []string{"crop", "rotate", "chroma-key", "correction", "scale"} {
		book = append(book, Chapter{3, camel(name), "The object " + name + " of an element.", Lookup(name)})
	}
	for _, name := range elementTypes {
		rows := slices.DeleteFunc(slices.Clone(Lookup(ElementKind(name))), func(p Property) bool {
			return slices.ContainsFunc(slices.Concat(elementProperties, visualProperties, soundProperties), p.same)
		})
		book = append(book, Chapter{2, "Element " + name, "What an element of type " + name + " has besides.", rows})
		switch name {
		case TypeText:
			book = append(book, Chapter{3, "Settings of texts", "In the notation of CSS; on the element itself they count " +
				"too, with a warning. " +
				"[text-styles.md](text-styles.md) describes the styles.", Lookup(SettingsKind(name))})
		case TypeHTML:
			book = append(book, Chapter{3, "Capture", "The object capture.", Lookup("capture")},
				Chapter{3, "Settings of pages", "Any property of CSS, on the body of the page; these for example.", pageProperties})
		case TypeSubtitles:
			book = append(book, Chapter{3, "Settings of subtitles", "How they look.", captionProperties})
		}
	}
	book = append(book,
		Chapter{2, "Components", "The settings of a component are groups, one for each of its parts. Every group understands " +
			"what stands here, " +
			"and text where its row says that it has one. [components.md](components.md) says how they come in.",
			append([]Property{textOfGroup}, styleProperties(ofComponent)...)},
		Chapter{3, "Motion", "Of groups that come in by a movement.", motionProperties},
		Chapter{3, "Animate", "The object animate of a shape or a textbox.", Lookup("animate")})
	for _, c := range components {
		book = append(book, c.chapter())
	}
	book = append(book,
		Chapter{2, "Preload", "An item of preload.", preloadProperties},
		Chapter{2, "Exports", "The object in exports.", exportProperties},
		Chapter{3, "Destination", "Where the finished movie goes.", destinationProperties})
	for i := range book {
		book[i] = book[i].evident()
	}
	return book
}

// evident completes the properties of the chapter, except for idle ones, which have no effect. It sets the picture that
// shows the property's effect, the test that measures it, and the remark which value is our own choice. Each is empty if
// there is none.
func (c Chapter) evident() Chapter {
	c.Rows = slices.Clone(c.Rows)
	for i := range c.Rows {
		p := &c.Rows[i]
		if p.Idle {
			continue
		}
		p.Picture = cmp.Or(chapterPictures[c.Title][p.Name], p.Picture)
		p.Measured = measured[c.Title][p.Name]
		p.Ours = ours[c.Title][p.Name]
		if i == 0 && strings.HasPrefix(c.Title, "Component moviola/") {
			p.Ours = ownLook
		}
	}
	return c
}

// chapter returns the component's chapter of the reference. It lists the groups of the component's settings. Under each
// group it lists the group's own properties, and animate where the group has it, but not the styles and motions that many
// groups share.
func (c componentRow) chapter() Chapter {
	ch := Chapter{3, "Component " + c.id, c.doc, nil}
	// The first group shows the component's own picture if there is one. All other rows prefer the component's sheet, a
	// picture that shows all its parts.
	picture := cmp.Or(c.picture, sheets[c.id])
	for _, g := range c.groups {
		doc := g.doc
		if g.parts&hasText != 0 {
			doc += " It has a text."
		}
		if g.parts&hasMotion != 0 {
			doc += " It comes in by a movement."
		}
		ch.Rows = append(ch.Rows, Property{Name: g.name, Type: ObjectType, Doc: doc, Picture: picture})
		picture = cmp.Or(sheets[c.id], c.picture)
		own := g.own
		if g.parts&isPlace != 0 {
			own = append(slices.Clip(own), animateProperty)
		}
		for _, p := range own {
			if !slices.ContainsFunc(motionProperties, p.same) {
				p.Name = g.name + " › " + p.Name
				p.Picture = cmp.Or(p.Picture, picture)
				ch.Rows = append(ch.Rows, p)
			}
		}
	}
	return ch
}

// TypeText describes the type of a property in words: "number, -10 to 10", "word: cover, fit".
func (p Property) TypeText() string {
	words := map[PropertyType]string{
		AddressType: "address", ColorType: "colour", ChoiceType: "word", DurationType: "seconds or word", LengthType: "length",
		CSSType: "CSS", DataType: "any",
	}
	name := func(t PropertyType) string {
		if word, ok := words[t]; ok {
			return word
		}
		return string(t)
	}
	text := name(p.Type)
	if p.Or != "" {
		text += " or " + name(p.Or)
	}
	switch {
	case p.Min != nil && p.Max != nil:
		text += fmt.Sprintf(", %s to %s", plainNumber(*p.Min), plainNumber(*p.Max))
	case p.Min != nil:
		text += ", at least " + plainNumber(*p.Min)
	}
	if p.Unit != "" {
		text += " (" + p.Unit + ")"
	}
	if len(p.Values) > 0 && len(p.Values) <= 50 {
		text += ": " + strings.Join(p.Values, ", ")
	}
	return text
}
