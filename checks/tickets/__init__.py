"""Tickets as people write them: an issue's body is read by its headings, made canonical, and looked through for what
would make an agent ask back. All pure; what becomes of a ticket is the app's affair.
"""
