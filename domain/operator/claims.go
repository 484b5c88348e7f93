package operator

import (
	"fmt"
	"strings"
)

// ClaimRoles maps the values of one claim of an identity provider's ID token, such as groups, to roles of operators.
type ClaimRoles struct {
	Claim string
	Of    map[string]Role // roles by the values of the token's claim
}

// ParseClaimRoles reads a mapping of a claim's values to roles, such as groups=video-ops:operator,video-admins:owner.
func ParseClaimRoles(text string) (ClaimRoles, error) {
	claim, list, ok := strings.Cut(text, "=")
	if !ok || claim == "" || claim != strings.TrimSpace(claim) {
		return ClaimRoles{}, fmt.Errorf("%q: give CLAIM=VALUE:ROLE,…, such as groups=video-ops:operator,video-admins:owner", text)
	}
	roles := ClaimRoles{Claim: claim, Of: map[string]Role{}}
	for one := range strings.SplitSeq(list, ",") {
		one = strings.TrimSpace(one)
		at := strings.LastIndex(one, ":") // the last colon is used, because values may contain colons
		if at < 1 {
			return ClaimRoles{}, fmt.Errorf("%q: give VALUE:ROLE, such as video-ops:operator", one)
		}
		value, role := one[:at], Role(one[at+1:])
		if !role.AtLeast(Observer) {
			return ClaimRoles{}, fmt.Errorf("%q: the role is observer, operator or owner", one)
		}
		if _, twice := roles.Of[value]; twice {
			return ClaimRoles{}, fmt.Errorf("%q: this value has a role already", one)
		}
		roles.Of[value] = role
	}
	return roles, nil
}

// Given returns the highest role that the values of a token's claim give; empty: no role. claim is a text, or a list of texts.
func (r ClaimRoles) Given(claim any) Role {
	values, ok := claim.([]any)
	if !ok {
		values = []any{claim}
	}
	var highest Role
	for _, value := range values {
		text, isText := value.(string)
		role, mapped := r.Of[text]
		if isText && mapped && (highest == "" || role.AtLeast(highest)) {
			highest = role
		}
	}
	return highest
}
