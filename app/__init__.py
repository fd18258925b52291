"""Everything that touches the world: webhooks in, GitHub out, the store, the proxy, the command line.

`app` imports `policies` and `checks`; nothing there imports `app`. The gate's loop is in `app.gate`.
"""
