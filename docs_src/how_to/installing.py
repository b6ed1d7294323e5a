import paddock

plan = paddock.install("claude-code", "Demo", env={"CITY": "Rome"}, dry_run=True)
print(plan.diff())

plan = paddock.install("claude-code", "Demo", env={"CITY": "Rome"})
for note in plan.notes:
    print(note)

for finding in paddock.doctor("claude-code"):
    print(finding.level, finding.message, finding.remedy)

for outcome in paddock.uninstall("claude-code", "Demo"):
    print(outcome.client, outcome.error or "removed")
