-- Digest of the bundle that stood when the gate first looked at the review: the body's, or that of a comment over it.
-- Empty: none stood. Null: not looked at yet. Any other text: it is not known what the reviewer saw.
alter table reviews add column shown text;
