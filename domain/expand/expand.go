package expand

import (
	"cmp"
	"errors"
	"slices"

	"moviola/domain"
	"moviola/domain/expr"
)

// The bounds of one expansion. Decisions 24 and 57 name some; the others bound the cost of hostile documents.
const (
	MaxElements    = 5000
	maxDepth       = 64
	maxNodes       = 250_000  // maximum number of values in scenes and elements, repetitions included
	nodesOfOne     = 10       // number of values that a scene or element counts for, besides the values in its properties
	maxBytes       = 16 << 20 // maximum bytes of text in scenes and elements. Decision 57
	bytesOfValue   = 150      // approximate memory of a value besides its text, in bytes
	maxSteps       = 1_500_000
	maxExpressions = 20_000 // maximum number of different expressions
	maxNesting     = 64     // maximum depth of variables that are defined by other variables
)

// Known holds facts that are not in the movie's own JSON.
type Known struct {
	// Values are variables of the whole movie from outside of it, such as the results of preloads. The movie's own variables
	// override them. The value expr.Pending means that the variable is not known yet.
	Values map[string]any
	// Times are the times of elements; nil: no times are known yet, and expressions that use times are pending.
	Times *Times
}

// Place names a scene or element of the expanded movie by number, from 1. Scene 0 is the movie, Element 0 the scene itself.
type Place struct{ Scene, Element int }

// Problem is a mistake in an expression, or a warning about one. A movie with a mistake cannot be rendered.
type Problem struct {
	Place Place
	Path  string // JSON pointer of the property with the expression, below the place
	// From is the object of the input from which the scene or element was made; nil: the movie itself.
	From map[string]any
	Text string
}

// Result is an expanded movie.
type Result struct {
	Tree     map[string]any
	Problems []Problem
	Warnings []Problem // warnings about expressions; of equal texts only the first one
	// From maps scenes and elements to the objects of the input from which they were made.
	From map[Place]map[string]any
	// Open are the scenes and elements that lack a property whose value is not known yet.
	Open map[Place]bool
	// Dropped are the JSON pointers of the members of exports that are left out, because their value is not known yet.
	Dropped []string
	// Asked are the ids of the elements whose times expressions have used.
	Asked map[string]bool
	// Size is the approximate memory of the result, in bytes.
	Size int64
}

// Budget bounds the cost of all expansions of one movie together.
type Budget struct{ expr.Budget }

// NewBudget returns the budget of one movie.
func NewBudget() *Budget { return &Budget{expr.Budget{Steps: maxSteps, Bytes: maxBytes}} }

// expansion is the state of one expansion.
type expansion struct {
	known    Known
	budget   *Budget
	texts    map[string]expr.Template
	ids      map[string]bool // ids of the elements, as written in the document; nil: not collected yet
	scenes   []any           // scenes of the movie before expansion; the property import copies elements of one of them
	own      any             // elements of the movie itself before expansion
	out      Result
	place    Place          // the scene or element that is being expanded; the zero Place: the movie
	from     map[string]any // object of the input from which the scene or element in place is made; nil: place is the movie
	property string         // name of the property whose expression is computed now; inside is the path in that property
	inside   []step
	nodes    int
	bytes    int
	elements int
	stack    []pending // variables that are being computed
	warned   map[string]bool
}

// verbatim are properties of a movie whose texts are not expanded, because a client gets its own data back unchanged.
var verbatim = map[string]bool{
	"client-data": true, "client_data": true, "comment": true, "id": true, "template": true, "project": true,
}

// Expand computes a movie's expressions and repetitions. An error is a *domain.Error: a bound was exceeded. Mistakes in
// expressions are Problems of the result.
func Expand(movie map[string]any, known Known, budget *Budget) (Result, error) {
	x := &expansion{
		known: known, budget: budget, texts: map[string]expr.Template{}, warned: map[string]bool{},
		out: Result{Open: map[Place]bool{}, Asked: map[string]bool{}, From: map[Place]map[string]any{}},
	}
	x.scenes, _ = movie["scenes"].([]any)
	x.own = movie["elements"]
	x.out.Tree = make(map[string]any, len(movie))
	err := x.movie(movie)
	x.sort()
	x.out.Size = int64(x.bytes + x.nodes*bytesOfValue)
	var spent *expr.BudgetError
	if errors.As(err, &spent) {
		err = tooMuch(spent.Error())
	}
	return x.out, err
}

// sort orders problems and warnings, which are found in the random order of maps.
func (x *expansion) sort() {
	slices.SortFunc(x.out.Warnings, func(a, b Problem) int { return cmp.Compare(a.Text, b.Text) })
	slices.SortFunc(x.out.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Place.Scene, b.Place.Scene), cmp.Compare(a.Place.Element, b.Place.Element),
			cmp.Compare(a.Text, b.Text), cmp.Compare(a.Path, b.Path))
	})
}

func tooMuch(what string) error {
	return domain.Errorf(domain.Invalid, "movie_expansion_too_large", "The movie is too large once its variables are "+
		"filled in: %s", what)
}

func (x *expansion) movie(movie map[string]any) error {
	top := x.scope(nil, movie)
	for name, value := range movie {
		var err error
		switch {
		case name == "variables" || name == "scenes" || name == "elements":
		case verbatim[name]:
			x.out.Tree[name] = value
		default:
			err = x.property1(x.out.Tree, name, value, top)
		}
		if err != nil {
			return err
		}
	}
	if scenes, ok := movie["scenes"]; ok {
		expanded, err := x.list(scenes, top, func(n int) Place { return Place{Scene: n} }, x.scene)
		if err != nil {
			return err
		}
		x.out.Tree["scenes"] = expanded
	}
	if elements, ok := movie["elements"]; ok {
		expanded, err := x.elementsOf(elements, 0, top)
		if err != nil {
			return err
		}
		x.out.Tree["elements"] = expanded
	}
	return nil
}

// item expands one scene or element, and returns out with the results appended.
type item func(out []any, props map[string]any, s *scope) ([]any, error)

// list expands a list of scenes or elements; place returns the place of item n. Values that are not lists or objects are kept,
// because the code that reads the movie reports them.
func (x *expansion) list(value any, s *scope, place func(n int) Place, one item) (any, error) {
	items, ok := value.([]any)
	if !ok {
		return value, nil
	}
	out := make([]any, 0, len(items))
	for _, v := range items {
		props, ok := v.(map[string]any)
		if !ok {
			out = append(out, v)
			continue
		}
		var err error
		x.at(place(len(out)+1), props)
		if out, err = x.repeat(out, props, s, func(out []any, props map[string]any, s *scope) ([]any, error) {
			x.at(place(len(out)+1), props)
			if x.nodes += nodesOfOne; x.nodes > maxNodes {
				return nil, tooManyValues()
			}
			return one(out, props, s)
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// control are the properties that the expansion evaluates and removes.
var control = map[string]bool{
	"variables": true, "condition": true, "iterate": true, "iterate-as": true, "iterate-from": true, "iterate-to": true,
	"iterate-step": true,
	"iterate_as":   true, "iterate_from": true, "iterate_to": true, "iterate_step": true, "comment": true, "import": true,
}

// scene expands one scene. It drops the scene if the scene's condition is false.
func (x *expansion) scene(out []any, props map[string]any, s *scope) ([]any, error) {
	s = x.scope(s, props)
	if shown, err := x.condition(props, s); err != nil || !shown {
		return out, err
	}
	scene, err := x.properties(props, s, "elements")
	if err != nil {
		return nil, err
	}
	number := x.place.Scene
	elements := props["elements"]
	if imported, err := x.imported(props, s); err != nil {
		return nil, err
	} else if own, ok := elements.([]any); imported != nil && (ok || elements == nil) {
		elements = slices.Concat(own, imported)
	}
	if elements != nil {
		if scene["elements"], err = x.elementsOf(elements, number, s); err != nil {
			return nil, err
		}
	}
	x.at(Place{Scene: number}, props)
	return append(out, scene), nil
}

// at sets which scene or element is being expanded: its Place in the result, and the object of the input from which it is
// made.
func (x *expansion) at(place Place, from map[string]any) {
	x.place, x.from = place, from
	x.out.From[place] = from
}

// imported returns the elements of the scene that props imports. When props imports no scene, it returns no elements.
func (x *expansion) imported(props map[string]any, s *scope) ([]any, error) {
	value, present := props["import"]
	if !present || value == nil {
		return nil, nil
	}
	id, err := x.value(value, s)
	if err != nil || x.await(id) || brief(id) == "" {
		return nil, err
	}
	for _, v := range x.scenes {
		if scene, ok := v.(map[string]any); ok && !isContainer(id) && scene["id"] == id {
			elements, _ := scene["elements"].([]any)
			return elements, nil
		}
	}
	x.problem("The scene '%s' that is imported does not exist", brief(id))
	return nil, nil
}

// elementsOf expands the elements of a scene, or of the movie when scene is 0.
func (x *expansion) elementsOf(value any, scene int, s *scope) (any, error) {
	place := func(n int) Place { return Place{Scene: scene, Element: n} }
	return x.list(value, s, place, func(out []any, props map[string]any, s *scope) ([]any, error) {
		s = x.scope(s, props)
		shown, err := x.condition(props, s)
		if err != nil || !shown {
			return out, err
		}
		if x.elements++; x.elements > MaxElements {
			return nil, domain.Errorf(domain.Invalid, "movie_too_many_elements", "Movie has more than the %d elements allowed",
				MaxElements)
		}
		element, err := x.properties(props, s, "")
		return append(out, element), err
	})
}

// properties expands all properties of a scene or element, except the control properties (such as iterate) and the property
// whose name is in the parameter `but`.
func (x *expansion) properties(props map[string]any, s *scope, but string) (map[string]any, error) {
	out := make(map[string]any, len(props))
	for name, value := range props {
		if control[name] || name == but {
			continue
		}
		if err := x.property1(out, name, value, s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// property1 expands one property and adds it to out. A property whose value is not known yet, such as one that depends on
// the length of a source, is left out.
func (x *expansion) property1(out map[string]any, name string, value any, s *scope) error {
	x.property = name
	expanded, err := x.deep(value, s, 3) // depth 3, because movie, list and item are above the property
	if err != nil {
		return err
	}
	if expanded == any(expr.Pending{}) {
		x.out.Open[x.place] = true
		return nil
	}
	out[name] = expanded
	return nil
}
