"""Define what servers must answer: the HTTP contract, its requests, and the hosts' abilities."""
