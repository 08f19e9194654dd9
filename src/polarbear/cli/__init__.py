"""The command line: parsing and printing only. Nothing heavy is imported before a command needs it."""
