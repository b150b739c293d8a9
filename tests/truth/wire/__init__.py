"""Trials of the promise about writes over sockets: a faulty server, faulty proxies, and a judge.

Nothing here uses the stub server or private names of the SDK. `service.py` knows the specification, `plans.py` the faults,
`http1.py`, `http2.py` and `proxies.py` carry them out, `actions.py` calls the SDK, `judge.py` compares what the SDK
reported with what happened, and `runs.py` combines them.
"""
