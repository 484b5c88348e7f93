package previews

import "moviola/domain"

// Waiting returns the number of waiting requests of an account: 0 or 1.
func (h *Handler) Waiting(account domain.AccountID) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting[account] == nil {
		return 0
	}
	return 1
}
