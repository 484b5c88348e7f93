package media_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"moviola/domain"
	domainmedia "moviola/domain/media"
	"moviola/handlers/http/media"
	"moviola/internal/fair"
)

// sender sends bytes at a rate, and is cut off at a deadline, as a connection is.
type sender struct {
	every    time.Duration
	deadline time.Time
	left     int
}

func (s *sender) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	timer := time.NewTimer(s.every)
	<-timer.C
	if !time.Now().Before(s.deadline) {
		return 0, os.ErrDeadlineExceeded
	}
	n := min(len(p), 1024, s.left)
	s.left -= n
	return n, nil
}

func (s *sender) extend(deadline time.Time) error {
	s.deadline = deadline
	return nil
}

// A body is read as long as bytes flow, however long it takes; one that trickles is cut off. Decision 45; reliability §7b.
func TestSteady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &sender{every: 5 * time.Second, left: 1 << 20} // 200 bytes a second, for more than an hour
		began := time.Now()
		if n, err := io.Copy(io.Discard, media.Steady(slow, slow.extend)); err != nil || n != 1<<20 {
			t.Errorf("a slow body: %d bytes, %v", n, err)
		}
		if took := time.Since(began); took < time.Hour {
			t.Errorf("it took %s", took)
		}
		if !slow.deadline.IsZero() { // it would end the request while its bytes are being stored
			t.Errorf("the connection has a deadline after the body: %s", slow.deadline)
		}
		trickle := &sender{every: time.Second, left: 1 << 20}
		began = time.Now()
		one := media.Steady(io.MultiReader(&oneByOne{trickle}), trickle.extend)
		if _, err := io.Copy(io.Discard, one); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a byte a second: %v", err)
		}
		if took := time.Since(began); took > 2*media.LongestPause {
			t.Errorf("it was cut off after %s", took)
		}
		silent := &sender{every: media.LongestPause, left: 1}
		if _, err := io.Copy(io.Discard, media.Steady(silent, silent.extend)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a pause: %v", err)
		}
	})
}

// oneByOne yields one byte at a time.
type oneByOne struct{ r io.Reader }

func (o *oneByOne) Read(p []byte) (int, error) { return o.r.Read(p[:1]) }

// A fast body moves the deadline once a second, not with every read.
func TestSteady_fast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // whose clock stands
		calls := 0
		body := media.Steady(bytes.NewReader(make([]byte, 100*media.LeastBytes)), func(time.Time) error { calls++; return nil })
		if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{body}, make([]byte, 512)); err != nil || calls > 5 {
			t.Errorf("%d calls, %v", calls, err)
		}
		broken := errors.New("no deadlines here")
		if _, err := media.Steady(bytes.NewReader(nil), func(time.Time) error { return broken }).Read(make([]byte, 1)); !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
	})
}

// held is a body of one byte that says when it is read, and yields its byte when it is told to.
type held struct {
	account domain.AccountID
	begun   chan<- domain.AccountID
	next    <-chan struct{}
	told    bool
}

func (h *held) Read(p []byte) (int, error) {
	if h.told {
		return 0, io.EOF
	}
	h.begun <- h.account
	<-h.next
	h.told = true
	return copy(p, "x"), nil
}

// TestUpload_Turns: behind fifty uploads of one account that never end by themselves another account's upload is the next that is taken; one
// that waits for too long is told to come again.
func TestUpload_Turns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorldOf(t, media.Config{Library: &shelves{}, Uploads: fair.New(fair.Limits{Total: media.LeastUpload, Wait: time.Minute})})
		begun, next, statuses := make(chan domain.AccountID, 100), make(chan struct{}), make(chan *httptest.ResponseRecorder, 100)
		send := func(account domain.AccountID, name string) {
			path, err := w.registerAs(account, name, 1)
			if err != nil {
				t.Fatal(err)
			}
			request := httptest.NewRequest(http.MethodPut, path, &held{account: account, begun: begun, next: next})
			request.ContentLength = 1
			go func() {
				answer := httptest.NewRecorder()
				w.ServeHTTP(answer, request)
				statuses <- answer
			}()
			synctest.Wait()
		}
		for i := range 50 {
			send(alice, fmt.Sprint(i))
		}
		send(bob, "his")
		if first := <-begun; first != alice || len(begun) > 0 {
			t.Fatalf("the first upload is of %s, and %d others were begun", first, len(begun))
		}
		next <- struct{}{}
		if second := <-begun; second != bob {
			t.Errorf("the next upload is of %s", second)
		}
		for range 2 { // of those that wait, the others are refused in a minute
			next <- struct{}{}
			synctest.Wait()
		}
		time.Sleep(2 * time.Minute)
		close(next) // what is refused reads a little more of its body
		counts := map[int]int{}
		for range 51 {
			answer := <-statuses
			counts[answer.Code]++
			if answer.Code == http.StatusServiceUnavailable && answer.Header().Get("Retry-After") == "" {
				t.Error("a refusal says nothing of when to come again")
			}
		}
		if counts[http.StatusOK] != 4 || counts[http.StatusServiceUnavailable] != 47 {
			t.Errorf("statuses: %v", counts)
		}
	})
}

// TestRegister_withoutAddress: a registration for which no upload address could be made leaves the name free.
func TestRegister_withoutAddress(t *testing.T) {
	t.Parallel()
	away := errors.New("the storage is away")
	w := newWorldOf(t, media.Config{Library: &shelves{}, Presign: func(context.Context, string, domainmedia.File, time.Duration) (string, error) {
		return "", away
	}})
	body := `{"name":"a.png","contentType":"image/png","size":3}`
	if err := w.call("POST", "/v2/media/file", "", body, new(struct{})); !errors.Is(err, away) {
		t.Errorf("without an address: %v", err)
	}
	away = nil
	var got struct{ UploadURL string }
	if err := w.call("POST", "/v2/media/file", "", body, &got); err != nil {
		t.Errorf("once more: %v", err)
	}
}
