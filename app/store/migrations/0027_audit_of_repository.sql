create index audit_log_of_repository on audit_log (repository_id, seq desc) where kind <> 'anchor';
