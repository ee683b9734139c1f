"""The proof-check report: one folder that opens from disk, needs no network and no JavaScript.

collect   claims checked, algorithms run, planted bugs audited: one JSON document (its schema is published
beside it)
write     pages, pictures, and the same results as JSON, Markdown, JUnit XML and SARIF, all rendered from that
document
"""

from dpverify.reporting.collecting import collect
from dpverify.reporting.document import ReportError, findings, load
from dpverify.reporting.writing import write

__all__ = ["ReportError", "collect", "findings", "load", "write"]
