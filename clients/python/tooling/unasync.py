"""Writes `_sync.py` from `_async.py`; with `--check` it only says whether they fit."""

import re
import sys
from pathlib import Path

folder = Path(__file__).parent.parent / "src" / "multimodal_retrieval"
words = [
    (r"import asyncio\n", ""),
    (r"import uuid\n", "import time\nimport uuid\n"),
    (r"asyncio\.sleep", "time.sleep"),
    (r"\bAsync(?=[A-Z])(?!Iterator)", ""),
    (r"httpx\.AsyncClient", "httpx.Client"),
    (r"AsyncIterator", "Iterator"),
    (r"\basync (def|for|with) ", r"\1 "),
    (r"\bawait ", ""),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"\baclose\b", "close"),
    (r"\baread\b", "read"),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"The client\. `_sync\.py` is made of this file by", "Made of `_async.py` by"),
]
text = (folder / "_async.py").read_text()
for pattern, replacement in words:
    text = re.sub(pattern, replacement, text)
target = folder / "_sync.py"
if "--check" in sys.argv:
    sys.exit(0 if target.read_text() == text else "_sync.py is outdated: python tooling/unasync.py")
target.write_text(text)
