package previews

import "moviola/domain"

// Waiting is how many requests of an account wait.
func (h *Handler) Waiting(account domain.AccountID) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting[account] == nil {
		return 0
	}
	return 1
}
