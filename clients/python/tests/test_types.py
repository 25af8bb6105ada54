import subprocess
import sys
from pathlib import Path

import typed.program as program

from multimodal_retrieval import AsyncClient, Hit
from multimodal_retrieval.models import Document


def test_mypy_accepts_a_program_of_a_user(tmp_path):
    folder = Path(__file__).parent / "typed"
    strict = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, "--config-file", "/dev/null"]
    good = subprocess.run([*strict, folder / "program.py"], capture_output=True, text=True)
    assert good.returncode == 0, good.stdout
    wrong = tmp_path / "wrong.py"
    wrong.write_text((folder / "program.py").read_text().replace("citation.quote", "citation.quoted"))
    bad = subprocess.run([*strict, wrong], capture_output=True, text=True)
    assert 'has no attribute "quoted"' in bad.stdout


async def test_the_program_runs(service, client):
    client.units.ingest(
        [{"text": "The typed lamp is lit at noon.", "external_id": "typed", "metadata": {"year": 1907}}]
    )
    assert program.answered(client, "When is the typed lamp lit?") == ["The typed lamp is lit at noon."]
    assert "typed/sub" in program.registered(client)
    async with AsyncClient(*service, scope="python") as other:
        assert [hit.external_id for hit in await program.searched(other, "typed lamp")]


def test_fields_of_a_later_version_are_kept(client):
    [hit] = client.search("typed lamp", top_k=1).hits
    later = Hit.model_validate({**hit.model_dump(by_alias=True), "mood": "calm"})
    assert later["mood"] == "calm" and later["text"] == hit.text
    assert "status" in Document.model_fields
