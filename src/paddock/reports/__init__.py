"""Reports on tests and on inspected code, as markdown, whatever language the code is in.

Where results come from is the business of those who have them.
"""
