"""The agent zoo: agents with a soul, skills and a brain, kept, served and written to files."""
