package artwork

import (
	"context"
	"errors"
	"fmt"
	"image"
	"testing"

	"moviola/commands"
)

// TestPageFlights_room: pictures of movies that have given their slot away are kept as far as there is room for them, and taken once more by
// the movies' next turns. Others are drawn again.
func TestPageFlights_room(t *testing.T) {
	t.Parallel()
	const side = 100
	p := &PageFlights{most: 2 * 4 * side * side}
	lapsed := make(chan struct{})
	close(lapsed)
	loads := map[string]int{}
	take := func(key string) {
		t.Helper()
		begun, end := make(chan struct{}, 1), make(chan struct{})
		load := func(context.Context) (any, error) {
			loads[key]++
			begun <- struct{}{}
			<-end
			return image.NewNRGBA(image.Rect(0, 0, side, side)), nil
		}
		if _, err := p.join(t.Context(), key, lapsed, load); !errors.Is(err, commands.ErrGiveWay) {
			t.Fatalf("the slot was not given up: %v", err)
		}
		<-begun
		p.mu.Lock()
		f := p.all[key]
		p.mu.Unlock()
		close(end)
		<-f.done
	}
	for i := range 3 {
		take(fmt.Sprint(i))
	}
	for i := range 3 {
		key := fmt.Sprint(i)
		if _, err := p.join(t.Context(), key, nil, func(context.Context) (any, error) {
			loads[key]++
			return image.NewNRGBA(image.Rect(0, 0, side, side)), nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if loads["0"] != 1 || loads["1"] != 1 || loads["2"] != 2 {
		t.Errorf("loaded %v times", loads)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept != 2*4*side*side || p.left != 2 {
		t.Errorf("%d bytes of %d pages are kept", p.kept, p.left)
	}
}
