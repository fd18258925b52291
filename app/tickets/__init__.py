"""Tickets at work: issues become tickets, people's commands are carried out, agents claim and are stopped.

`reconcile` looks at one issue until nothing of it changes any more; `commands` carries out what people wrote; `claims`
hands a ticket to an agent; `stopping` takes its power away and confirms that. What may happen is told by
`policies.tickets`, and every change goes through `changing`.
"""
