"""Many processes on one database: killed, stopped, upgraded and given new secrets while work comes in."""
