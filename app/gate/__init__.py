"""The loop: observe a key, evaluate it, plan the effects that make GitHub agree, apply them, record the decision.

`observe` and its parts only read, `apply` only writes, `plan` and `effects` are pure. `reconcile` joins them for one
key; the worker in `app.store` gives it keys, `resync` marks every key there is, so that nothing depends on a webhook.
"""
