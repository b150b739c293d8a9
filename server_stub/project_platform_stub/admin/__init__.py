"""The routes under `/_stub/`: a JSON API that creates and changes worlds, and HTML pages that show them.

A request passes the gate, which refuses other web sites, and is then routed to a function of `api` or `page`.
"""
