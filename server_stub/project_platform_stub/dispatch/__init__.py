"""Request dispatch: authentication, rate limit, faults, validation, and the operation's handler."""
