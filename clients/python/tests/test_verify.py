import json

import pytest

from multimodal_retrieval import verify_export
from multimodal_retrieval.verify import _canonical


def test_exports_are_judged_as_by_the_service(vectors):
    folder, cases = vectors
    judged = 0
    for case in cases:
        files = [folder / case[name] for name in ("log", "checkpoint") if name in case]
        key = case.get("pubkey")
        # The command takes an empty log as one that nobody has written to.
        if not all(file.exists() for file in files) or case["log"] == "log.empty.ndjson":
            continue
        named = key is None or key.startswith("svc/") or not (folder / key).exists()
        keys = [key] if named else [one for one in (folder / key).read_text().split("\n") if one]
        log = files[0].read_bytes().decode(errors="replace")
        checkpoint = files[1].read_text() if len(files) > 1 else None
        verdicts = [verify_export(log, checkpoint, one) for one in keys]
        judged += 1
        assert any(verdict.ok for verdict in verdicts) == (case["exit"] == 0), (case, verdicts)
        if case["break_at"] is not None:
            assert verdicts[0].break_at == case["break_at"], (case, verdicts)
    assert judged > 25


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        ("1e21", "1e+21"),
        ("1e20", "100000000000000000000"),
        ("333333333.33333329", "333333333.3333333"),
        ("1e-7", "1e-7"),
        ("0.000001", "0.000001"),
        ("-0", "0"),
        ("4.50", "4.5"),
        ("2e-3", "0.002"),
        ("-12345.678", "-12345.678"),
        ("1.5e300", "1.5e+300"),
        ('{"\\ud83d\\ude00":1,"\\ufb33":2}', '{"\U0001f600":1,"\ufb33":2}'),
    ],
)
def test_numbers_and_names_are_canonical(sent, written):
    assert _canonical(json.loads(sent)) == written
