package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

const (
	maxMessage  = 128 << 20 // largest message of the browser in bytes; a 36-megapixel PNG in base64 fits if it compresses
	outstanding = 64        // largest number of messages that wait to be written
)

// conn speaks the DevTools protocol over the browser's pipe: JSON messages that each end with a zero byte.
type conn struct {
	out     chan []byte
	done    chan struct{} // closed when the pipe has ended
	onEvent func(event)   // called for each event by the goroutine that reads the pipe: it must not block

	mu      sync.Mutex
	err     error // why the pipe ended
	last    int64
	pending map[int64]chan reply
}

var errPipe = errors.New("the browser's pipe has ended")

type reply struct {
	result  json.RawMessage
	picture []byte // result of beginFrame: a PNG
	err     error
}

// event is a message that the browser sends on its own.
type event struct {
	Session string
	Method  string
	Params  json.RawMessage
}

// protocolError is the browser's error for a call.
type protocolError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *protocolError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// newConn starts to read, until the pipe in ends, and to write, until either pipe ends. A pipe that is not used any more is
// closed.
func newConn(in io.ReadCloser, out io.WriteCloser, onEvent func(event)) *conn {
	c := &conn{
		out: make(chan []byte, outstanding), done: make(chan struct{}), onEvent: onEvent, pending: map[int64]chan reply{},
	}
	go c.write(out)
	go c.read(in)
	return c
}

func (c *conn) write(out io.WriteCloser) {
	defer out.Close()
	for {
		select {
		case message := <-c.out:
			if _, err := out.Write(message); err != nil {
				return // the browser has ended, which the reader notices as well
			}
		case <-c.done:
			return
		}
	}
}

func (c *conn) read(in io.ReadCloser) {
	defer in.Close()
	r := bufio.NewReaderSize(in, 1<<20)
	var err error
	for err == nil {
		var message []byte
		if message, err = readMessage(r); err == nil {
			err = c.dispatch(message)
		}
	}
	c.mu.Lock()
	c.err = fmt.Errorf("%w: %w", errPipe, err)
	pending := c.pending
	c.pending = nil
	c.mu.Unlock()
	for _, waiting := range pending {
		waiting <- reply{err: c.err}
	}
	close(c.done)
}

// readMessage returns the bytes up to the next zero byte. They are valid until the next call.
func readMessage(r *bufio.Reader) ([]byte, error) {
	message, err := r.ReadSlice(0)
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(message)
		for errors.Is(err, bufio.ErrBufferFull) {
			message, err = r.ReadSlice(0)
			if long = append(long, message...); len(long) > maxMessage {
				return nil, errors.New("message too long")
			}
		}
		message = long
	}
	if err != nil {
		return nil, err
	}
	return message[:len(message)-1], nil
}

func (c *conn) dispatch(raw []byte) error {
	raw, picture, err := cutPicture(raw)
	if err != nil {
		return err
	}
	var message struct {
		ID      int64
		Method  string
		Session string `json:"sessionId"`
		Params  json.RawMessage
		Result  json.RawMessage
		Error   *protocolError
	}
	if err := json.Unmarshal(raw, &message); err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	if message.ID == 0 {
		c.onEvent(event{Session: message.Session, Method: message.Method, Params: message.Params})
		return nil
	}
	c.mu.Lock()
	waiting := c.pending[message.ID]
	delete(c.pending, message.ID)
	c.mu.Unlock()
	if waiting == nil {
		return nil
	}
	answer := reply{result: message.Result, picture: picture}
	if message.Error != nil {
		answer.err = message.Error
	}
	waiting <- answer
	return nil
}

var pictureField = []byte(`"screenshotData":"`)

// cutPicture cuts the picture out of a message before the message is parsed: parsing megabytes as JSON would cost more than
// drawing them. Base64 has no quotes and no escapes.
func cutPicture(raw []byte) (rest, picture []byte, err error) {
	if !bytes.HasPrefix(raw, []byte(`{"id":`)) {
		return raw, nil, nil
	}
	at := bytes.Index(raw[:min(len(raw), 512)], pictureField)
	if at < 0 {
		return raw, nil, nil
	}
	at += len(pictureField)
	size := bytes.IndexByte(raw[at:], '"')
	if size < 0 {
		return nil, nil, errors.New("picture without an end")
	}
	picture = make([]byte, base64.StdEncoding.DecodedLen(size))
	n, err := base64.StdEncoding.Decode(picture, raw[at:at+size])
	if err != nil {
		return nil, nil, fmt.Errorf("read picture: %w", err)
	}
	rest = append(raw[:at:at], raw[at+size:]...)
	return rest, picture[:n], nil
}

// call sends a command to a session ("": the browser itself) and waits for the answer, which is decoded into result unless that
// is nil.
func (c *conn) call(ctx context.Context, session, method string, params, result any) error {
	answer, err := c.exchange(ctx, session, method, params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(answer.result, result); err != nil {
		return fmt.Errorf("%s: read answer: %w", method, err)
	}
	return nil
}

func (c *conn) exchange(ctx context.Context, session, method string, params any) (reply, error) {
	waiting := make(chan reply, 1)
	id, err := c.expect(waiting)
	if err != nil {
		return reply{}, err
	}
	message, err := encode(id, session, method, params)
	if err != nil {
		return reply{}, err
	}
	select {
	case c.out <- message:
	case <-c.done:
	case <-ctx.Done():
	}
	select {
	case answer := <-waiting:
		return answer, answer.err
	case <-ctx.Done():
		c.forget(id)
		return reply{}, context.Cause(ctx)
	}
}

// tell sends a command without waiting for the answer. It does not block: if too many messages wait, the command is dropped.
func (c *conn) tell(session, method string, params any) {
	c.mu.Lock()
	c.last++
	id := c.last
	c.mu.Unlock()
	message, err := encode(id, session, method, params)
	if err != nil {
		return
	}
	select {
	case c.out <- message:
	default:
	}
}

func (c *conn) expect(waiting chan reply) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending == nil {
		return 0, c.err
	}
	c.last++
	c.pending[c.last] = waiting
	return c.last, nil
}

func (c *conn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

func encode(id int64, session, method string, params any) ([]byte, error) {
	message, err := json.Marshal(struct {
		ID      int64  `json:"id"`
		Session string `json:"sessionId,omitempty"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{id, session, method, params})
	if err != nil {
		return nil, fmt.Errorf("write message: %w", err)
	}
	return append(message, 0), nil
}
