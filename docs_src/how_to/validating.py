import sys

from paddock import validate

found = validate(sys.argv[1])
for finding in found.findings:
    print(finding.severity, finding.code, finding.place, finding.message, sep=": ")
print("valid" if found.is_valid else "invalid", *found.servers)
