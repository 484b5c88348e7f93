package web_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"moviola/handlers/http/web"
)

const rightToken = "a-token-of-24-characters"

func checkToken(ctx context.Context, token *web.OperatorToken, sent ...string) (allowed bool, took time.Duration) {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/admin/accounts", nil)
	r.Header[web.OperatorTokenHeader] = sent
	began := time.Now()
	err := token.Check(r)
	return err == nil, time.Since(began)
}

// TestOperatorToken_delay: a wrong token waits for its refusal, the right one and none do not.
func TestOperatorToken_delay(t *testing.T) {
	tests := []struct {
		name    string
		token   *web.OperatorToken
		sent    []string
		allowed bool
		took    time.Duration
	}{
		{"the right one", web.NewOperatorToken(rightToken, time.Second, nil), []string{rightToken}, true, 0},
		{"none", web.NewOperatorToken(rightToken, time.Second, nil), nil, false, 0},
		{"a wrong one", web.NewOperatorToken(rightToken, time.Second, nil), []string{rightToken + "x"}, false, time.Second},
		{"an empty one", web.NewOperatorToken(rightToken, time.Second, nil), []string{""}, false, time.Second},
		{"the right one twice", web.NewOperatorToken(rightToken, time.Second, nil), []string{rightToken, rightToken}, false, time.Second},
		{"one where none is set", web.NewOperatorToken("", time.Second, nil), []string{""}, false, time.Second},
		{"nobody is let in", nil, []string{rightToken}, false, 0},
		{"a wrong one without delay", web.NewOperatorToken(rightToken, 0, nil), []string{"guess"}, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if allowed, took := checkToken(t.Context(), tt.token, tt.sent...); allowed != tt.allowed || took != tt.took {
					t.Errorf("let in: %v after %v, want %v after %v", allowed, took, tt.allowed, tt.took)
				}
			})
		})
	}
}

// TestOperatorToken_bounded guesses many at once: a bounded number waits, and the right token is let in among them at once. Who leaves does not wait.
func TestOperatorToken_bounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		token := web.NewOperatorToken(rightToken, time.Second, nil)
		left, leave := context.WithCancel(t.Context())
		guesses := make(chan time.Duration, 100)
		for range cap(guesses) {
			go func() {
				_, took := checkToken(left, token, "guess")
				guesses <- took
			}()
		}
		synctest.Wait()
		if atOnce := len(guesses); atOnce != cap(guesses)-32 {
			t.Errorf("%d of %d guesses are refused at once, want all but 32", atOnce, cap(guesses))
		}
		if allowed, took := checkToken(t.Context(), token, rightToken); !allowed || took != 0 {
			t.Errorf("the right token among guesses: %v after %v", allowed, took)
		}
		leave()
		synctest.Wait()
		if len(guesses) != cap(guesses) {
			t.Errorf("%d of %d guesses have ended after their clients left", len(guesses), cap(guesses))
		}
	})
}

// TestCursors_long: a cursor has the filters of its list, however long they may be, and Decode takes what Encode makes.
func TestCursors_long(t *testing.T) {
	t.Parallel()
	cursors := web.NewCursors([]byte("0123456789abcdef"), "list")
	filter := strings.Repeat("<", 5*1024)
	token, err := cursors.Encode(map[string]string{"q": filter})
	var got map[string]string
	if err = errors.Join(err, cursors.Decode(token, &got)); err != nil || got["q"] != filter {
		t.Errorf("a cursor of %d bytes: %v", len(token), err)
	}
}
