package web_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/handlers/http/web"
)

type question struct {
	Account string    `json:"a"`
	From    time.Time `json:"f"`
	Kind    string    `json:"k,omitempty"`
	Limit   int       `json:"l"`
	After   *spot     `json:"e"`
	Page    int       `json:"-"`
}

type spot struct {
	At time.Time `json:"at"`
}

// A newer version has a filter more.
type newer struct {
	question
	Status string `json:"s,omitempty"`
}

func TestLists(t *testing.T) {
	const label = "questions"
	key := []byte("0123456789abcdef")
	lists := web.NewLists[question](key, label)
	day := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	asked := question{Account: "alice", From: day, Kind: "image", Limit: 7, After: &spot{day.Add(time.Hour)}}
	token, err := lists.Next(asked)
	if err != nil {
		t.Fatal(err)
	}
	filtered, err := web.NewLists[newer](key, label).Next(newer{asked, "done"})
	if err != nil {
		t.Fatal(err)
	}
	unfiltered, err := web.NewLists[newer](key, label).Next(newer{question: asked})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		token string
		sent  question
		ok    bool
	}{
		{"nothing beside it", *token, question{Account: "alice"}, true},
		{"the same beside it", *token, question{Account: "alice", From: day.In(time.FixedZone("", 3600)), Kind: "image", Limit: 7}, true},
		{"another account", *token, question{Account: "bob"}, false},
		{"another day", *token, question{Account: "alice", From: day.AddDate(0, 0, 1)}, false},
		{"another kind", *token, question{Account: "alice", Kind: "video"}, false},
		{"another limit", *token, question{Account: "alice", Limit: 8}, false},
		{"a filter that is not known here", *filtered, question{Account: "alice"}, false},
		{"of a newer version, without its filter", *unfiltered, question{Account: "alice"}, true},
		{"no cursor", "x", question{Account: "alice"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := lists.Resume(tt.token, tt.sent)
			if tt.ok {
				if diff := cmp.Diff(asked, got); diff != "" || err != nil {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
			} else if !errors.Is(err, web.ErrCursor) {
				t.Errorf("error is %v, want %v", err, web.ErrCursor)
			}
		})
	}
	got, err := lists.Resume(*token, question{Account: "alice", Page: 3})
	if err != nil || got.Page != 3 {
		t.Errorf("what the cursor does not carry is %d (%v), want what was sent", got.Page, err)
	}
	if _, err := web.NewLists[question](key, "others").Resume(*token, question{Account: "alice"}); !errors.Is(err, web.ErrCursor) {
		t.Errorf("the cursor of another list is taken: %v", err)
	}
}
