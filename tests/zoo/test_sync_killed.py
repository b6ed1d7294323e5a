"""A sync that is killed leaves whole files, and the next one brings both sides in step."""

import random
import re
import subprocess
import sys
from pathlib import Path

from paddock.zoo.opening import open_zoo
from paddock.zoo.sync.sync_runner import SyncOptions, sync_project

KILLS = 8
AGENTS = 5
PROGRAM = """
import sys
from pathlib import Path
from paddock.zoo.opening import open_zoo
from paddock.zoo.sync.sync_runner import SyncOptions, sync_project

folder, place, first = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
files = [folder / f".claude/agents/a{n}.md" for n in range(5)]
with open_zoo(place) as zoo:
    for turn in range(first, first + 10_000):
        for n in (0, 1, 2):
            zoo.agents.update(f"a{n}", {"systemPrompt": f"Turn {turn} of the zoo. " * 200})
        for n in (3, 4):
            text = files[n].read_text(encoding="utf-8")
            files[n].with_suffix(".new").write_text(
                text.partition("Turn")[0] + f"Turn {turn} of the file. " * 200, encoding="utf-8"
            )
            files[n].with_suffix(".new").replace(files[n])
        print("begun", flush=True)
        sync_project(zoo, folder, SyncOptions(agents=[f"a{n}" for n in range(5)]))
"""


def test_a_sync_that_is_killed_leaves_whole_files_and_can_go_on(tmp_path: Path) -> None:
    folder, place = tmp_path / "project", str(tmp_path / "zoo.db")
    wishes = SyncOptions(agents=[f"a{n}" for n in range(AGENTS)])
    with open_zoo(place) as zoo:
        for name in wishes.agents:
            zoo.agents.create({"name": name, "description": "d", "systemPrompt": "Turn 0. " * 200})
        folder.mkdir()
        assert sync_project(zoo, folder, wishes).is_settled
        chance = random.Random(8)  # noqa: S311 - no secret
        for number in range(KILLS):
            command = [sys.executable, "-c", PROGRAM, str(folder), place, str(number * 10_000)]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
                assert child.stdout is not None
                for _ in range(chance.randint(1, 4)):
                    assert child.stdout.readline() == b"begun\n"
                child.kill()
            for file in (folder / ".claude" / "agents").glob("a?.md"):
                turns = set(re.findall(r"Turn \d+", file.read_text(encoding="utf-8")))
                assert len(turns) == 1
            report = sync_project(zoo, folder, wishes)
            assert [(item.path, item.error) for item in report.items if item.error] == []
            assert [item.path for item in report.items if item.step == "conflict"] == []
            assert len(report.items) == AGENTS
            assert all(item.step == "in-step" for item in sync_project(zoo, folder, wishes).items)
