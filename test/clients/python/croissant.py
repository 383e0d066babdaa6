"""Reads the JSON-LD of a dataset and prints the findings of mlcroissant as JSON.

It reads no records. Only reading records needs the libraries that are mocked here, which would be 90 percent of the
installation.
"""

import json
import sys
from unittest.mock import MagicMock

for name in ("fsspec", "jsonpath_rw", "jsonpath_rw.lexer", "numpy", "pandas", "scipy"):
    sys.modules[name] = MagicMock()

import mlcroissant  # noqa: E402

try:
    metadata = mlcroissant.Dataset(jsonld=json.load(sys.stdin)).metadata
    issues = metadata.ctx.issues
    files = [file.content_url for file in metadata.distribution]
    told = {"errors": sorted(issues.errors), "warnings": sorted(issues.warnings), "files": files}
except mlcroissant.ValidationError as error:
    told = {"errors": [str(error)], "warnings": [], "files": []}
print(json.dumps(told))
