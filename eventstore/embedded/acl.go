package embedded

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded/entry"
	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/embedded/wire"
)

// right is a kind of access to a stream (read, write, delete, ...), named by its key in the stream's $acl.
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

// authorize refuses a call when its user is known and the stream's $acl does not give the user the right. Users of the role
// full belong to $admins and may do everything. When the $acl does not name the right, the defaults in the stream $settings
// decide. When these do not name it either, EventStoreDB's defaults hold: everybody may use user streams, and only $admins
// may use system streams, which read-only users may read as well. An $acl or $settings that cannot be read lets in only
// $admins. The metadata of streams has rights of its own.
func (s *service) authorize(ctx context.Context, stream string, wanted right) error {
	err := s.denied(ctx, stream, wanted)
	if status.Code(err) == codes.PermissionDenied {
		return wire.Refuse(ctx, codes.PermissionDenied, status.Convert(err).Message(), "access-denied")
	}
	return err
}

// denied returns an error when a stream's $acl does not give the calling user a right, and nil when it does or when no user
// is known. Unlike authorize, it sets no trailers on the call, so the call can continue after a refusal.
func (s *service) denied(ctx context.Context, stream string, wanted right) error {
	caller, known := entry.CallerOf(ctx)
	if !known || caller.Role == entry.RoleFull {
		return nil
	}
	if described, isMeta := strings.CutPrefix(stream, logfile.MetaPrefix); isMeta {
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
		if allowed = []string{everybody}; system && !(reads && caller.Role == entry.RoleReadOnly) {
			allowed = []string{admins}
		}
	}
	if slices.Contains(allowed, everybody) || slices.Contains(allowed, caller.Name) {
		return nil
	}
	return status.Errorf(codes.PermissionDenied, "Access Denied: user %s lacks the right %s on %s.", caller.Name, wanted, stream)
}

// allowed returns who has a right on a stream, by its own $acl or by the defaults in $settings; nil when neither names the right.
func (s *service) allowed(ctx context.Context, stream string, wanted right) ([]string, error) {
	newest, err := logfile.NewestOf(ctx, s.log, logfile.MetaPrefix+stream)
	if err != nil {
		return nil, err
	}
	if newest != nil {
		meta := map[string]json.RawMessage{}
		_ = json.Unmarshal(newest.Data, &meta) // metadata that is not a JSON object counts as empty
		own := acl{}
		if stated, ok := meta["$acl"]; ok && json.Unmarshal(stated, &own) != nil {
			return []string{admins}, nil // an $acl that cannot be read allows nobody but admins
		}
		if own[wanted] != nil {
			return own[wanted], nil
		}
	}
	settings, err := logfile.NewestOf(ctx, s.log, "$settings")
	if err != nil || settings == nil {
		return nil, err
	}
	var defaults struct {
		User   acl `json:"$userStreamAcl"`
		System acl `json:"$systemStreamAcl"`
	}
	if json.Unmarshal(settings.Data, &defaults) != nil {
		return []string{admins}, nil
	}
	if strings.HasPrefix(stream, "$") {
		return defaults.System[wanted], nil
	}
	return defaults.User[wanted], nil
}

// acl maps each right to the users and groups that have it.
type acl map[right]names

// names is a list of names. In JSON, a list of one name may be written as a plain string.
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
