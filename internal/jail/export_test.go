package jail

// Called are the system calls that the programs of a list may make.
func Called(c Calls) ([]uintptr, error) {
	rules, err := c.rules(1, true)
	var calls []uintptr
	for _, r := range rules {
		calls = append(calls, r.call)
	}
	return calls, err
}
