package embedded

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// allStream is the name of the whole log where streams are named.
const allStream = "$all"

// right is what a caller wants to do with a stream, by its key in a stream's $acl.
type right string

const (
	rightRead      right = "$r"
	rightWrite     right = "$w"
	rightDelete    right = "$d"
	rightMetaRead  right = "$mr"
	rightMetaWrite right = "$mw"
)

// Groups that an $acl can name besides users.
const (
	everybody = "$all"
	admins    = "$admins"
)

// callerKey finds the user that makes a call in its context.
type callerKey struct{}

func withCaller(ctx context.Context, caller user) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// authorize refuses a call that the stream's $acl does not allow its user. Users of the role full belong to $admins and may do all. Where a
// stream says nothing, what the stream $settings says of all streams counts, then what EventStoreDB does without either: everybody
// may use a user's stream, $admins a system stream; a read-only user may read that, too. Metadata has rights of its own.
func (s *service) authorize(ctx context.Context, stream string, wanted right) error {
	err := s.denied(ctx, stream, wanted)
	if status.Code(err) == codes.PermissionDenied {
		return refuse(ctx, codes.PermissionDenied, status.Convert(err).Message(), "access-denied")
	}
	return err
}

// denied is why a stream's $acl does not allow the user of a call something. It says nothing on the call: one may go on without it.
func (s *service) denied(ctx context.Context, stream string, wanted right) error {
	caller, known := ctx.Value(callerKey{}).(user)
	if !known || caller.role == RoleFull {
		return nil
	}
	if described, isMeta := strings.CutPrefix(stream, metaPrefix); isMeta {
		stream = described
		wanted = map[right]right{rightRead: rightMetaRead, rightWrite: rightMetaWrite, rightDelete: rightMetaWrite}[wanted]
	}
	allowed, err := s.allowed(ctx, stream, wanted)
	if err != nil {
		return failed(err)
	}
	if allowed == nil {
		system := strings.HasPrefix(stream, "$")
		reads := wanted == rightRead || wanted == rightMetaRead
		if allowed = []string{everybody}; system && !(reads && caller.role == RoleReadOnly) {
			allowed = []string{admins}
		}
	}
	if slices.Contains(allowed, everybody) || slices.Contains(allowed, caller.name) {
		return nil
	}
	return status.Errorf(codes.PermissionDenied, "Access Denied: user %s lacks the right %s on %s.", caller.name, wanted, stream)
}

// allowed is who has a right on a stream by its own $acl or by that of all streams; nil when neither says so.
func (s *service) allowed(ctx context.Context, stream string, wanted right) ([]string, error) {
	newest, err := newestOf(ctx, s.log, metaPrefix+stream)
	if err != nil {
		return nil, err
	}
	if newest != nil {
		meta := map[string]json.RawMessage{}
		_ = json.Unmarshal(newest.data, &meta) // metadata that is no object sets nothing
		own := acl{}
		if stated, ok := meta["$acl"]; ok && json.Unmarshal(stated, &own) != nil {
			return []string{admins}, nil // what was to be kept from somebody is kept from all others
		}
		if own[wanted] != nil {
			return own[wanted], nil
		}
	}
	settings, err := newestOf(ctx, s.log, "$settings")
	if err != nil || settings == nil {
		return nil, err
	}
	var defaults struct {
		User   acl `json:"$userStreamAcl"`
		System acl `json:"$systemStreamAcl"`
	}
	if json.Unmarshal(settings.data, &defaults) != nil {
		return []string{admins}, nil
	}
	if strings.HasPrefix(stream, "$") {
		return defaults.System[wanted], nil
	}
	return defaults.User[wanted], nil
}

// acl says for each right who has it.
type acl map[right]names

// names is one name or a list of them.
type names []string

// UnmarshalJSON implements json.Unmarshaler.
func (n *names) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*n = names{one}
		return nil
	}
	many := []string{}
	err := json.Unmarshal(data, &many)
	*n = many
	return err
}
