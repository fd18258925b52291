"""What tickets may do, as tables: their states, the commands that move them, and the limits that hold them. All pure.

A ticket is an issue that an agent works on. The store keeps where each one is, `app.tickets` moves it; both ask here
what is allowed.
"""
