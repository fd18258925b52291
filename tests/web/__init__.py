"""The pages for people: signing in, who may see what, what a page says, and how it looks."""
