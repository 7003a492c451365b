"""Ask a served world whatever its own OpenAPI document allows, and hold every answer against that document."""

import json
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

CHECKS = "status_code_conformance,content_type_conformance,response_schema_conformance"


def main() -> int:
    command = [sys.executable, "-m", "skyfall_crl.cli.main", "morpheus", "serve", "--port", "0"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        body = json.dumps({"name": "asked", "layout": None, "chaos": {"processChaosEnabled": True}}).encode()
        request = urllib.request.Request(f"{url}/world", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            world = json.load(answer)["world"]["_id"]
        Path(folder, "schemathesis.toml").write_text(f'[parameters]\nworldId = "{world}"\n', encoding="utf-8")
        program = Path(sys.executable).with_name("schemathesis")
        asking = [
            program,
            "run",
            f"{url}/docs/swagger.json",
            "--checks",
            CHECKS,
            "--exclude-path",
            "/world/{worldId}",
        ]
        asked = subprocess.run(
            [*asking, "--phases", "fuzzing", "--generation-deterministic", "--no-color", *sys.argv[1:]],
            cwd=folder,
        )
        server.terminate()
    return asked.returncode


if __name__ == "__main__":
    sys.exit(main())
