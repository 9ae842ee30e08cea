"""Every answer can be seen, changed and taken back; nothing is silently dropped."""
