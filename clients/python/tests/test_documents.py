import re
from pathlib import Path

import pytest

folder = Path(__file__).parents[3] / "docs/connect"
text = "The notice period is three months."


@pytest.mark.parametrize("page", ["python", "langchain", "llamaindex", "haystack", "../openai"])
def test_the_example_of_a_page_runs(page, service, tmp_path, monkeypatch, capsys):
    base, token = service
    monkeypatch.chdir(tmp_path)
    (tmp_path / "handbook.md").write_text(text)
    [example] = re.findall(r"```python\n(.*?)```", (folder / f"{page}.md").read_text(), re.S)
    assert len(example.strip().splitlines()) <= 10
    example = example.replace("http://127.0.0.1:8787", base).replace("svc_sk_…", token)
    exec(compile(example.replace('"handbook"', f'"{Path(page).name}-page"'), page, "exec"), {})
    assert text in capsys.readouterr().out
