"""Other tools' configurations as policies of ours: policy-bot, Mergify, CODEOWNERS with required reviewers.

What cannot be carried over is listed, and where that leaves a doubt the imported policy is the stricter one.
"""
