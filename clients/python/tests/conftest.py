import json
import os
import socket
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from multimodal_retrieval import Client

root = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def service(tmp_path_factory):
    """The real service with the demo data; its address and an admin's token."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {
        **{name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TMPDIR")},
        **{"HOST": "127.0.0.1", "PORT": str(port), "METRICS_PORT": "0", "INFERENCE": "builtin", "LOG_LEVEL": "error"},
        "DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "INGEST_WAIT_MS": "60000",
        "MODELS_DIR": str(tmp_path_factory.mktemp("models")),
    }
    node = root / "node_modules/node/bin/node"
    process = subprocess.Popen([node, "src/main.ts", "serve"], cwd=root, env=env)
    base = f"http://127.0.0.1:{port}"
    try:
        for _ in range(1_800):
            assert process.poll() is None, "the service ended"
            try:
                if httpx.get(f"{base}/readyz").status_code == 200:
                    break
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        seeded = httpx.post(f"{base}/v1/admin/seed", timeout=180).json()
        yield base, seeded["tokens"]["admin"]
    finally:
        process.terminate()
        process.wait(180)


@pytest.fixture
def client(service):
    base, token = service
    with Client(base, token, scope="python") as made:
        yield made


@pytest.fixture(scope="session")
def vectors():
    folder = root / "test/vectors/audit"
    return folder, json.loads((folder / "manifest.json").read_text())
