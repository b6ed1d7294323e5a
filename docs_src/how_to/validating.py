import sys

from paddock import validate

validation = validate(sys.argv[1])
for finding in validation.findings:
    print(finding.severity, finding.code, finding.place, finding.message, sep=": ")
print("valid" if validation.is_valid else "invalid", *validation.servers)
