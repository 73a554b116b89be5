"""Reads metrics (Prometheus text format) from standard input with the parser of Prometheus' client library.

Prints a JSON line for each sample: the type of its family, its name, labels and value. Ends with an error if the
text does not have this format."""

import json
import sys

from prometheus_client.parser import text_string_to_metric_families

for family in text_string_to_metric_families(sys.stdin.read()):
    if not family.documentation:
        sys.exit(f"{family.name} says nothing of itself")
    for sample in family.samples:
        print(json.dumps({"kind": family.type, "name": sample.name, "labels": sample.labels, "value": sample.value}))
