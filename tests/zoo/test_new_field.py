"""A new field of an agent needs changes in two files: the model and a migration."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import paddock
from paddock.zoo.opening import open_zoo

SOURCE = Path(paddock.__file__).parent
DECLARATION = 'class Agent(Struct, rename="camel", kw_only=True):'
FIELD = '    tagline: str = ""\n'
MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("agents", sa.Column("tagline", sa.Text(), nullable=False, server_default=""))
"""
USES = """
import json
import subprocess
import sys

import msgspec

from paddock import connect, get_server
from paddock.zoo.errors import InvalidAgentError
from paddock.zoo.exporter import collect_export
from paddock.zoo.formats.converter import import_files
from paddock.zoo.opening import open_zoo
from paddock.zoo.rest.request_bodies import AgentChanges, NewAgentBody, get_changes
from paddock.zoo.toml_form import format_agent, parse_changes

seen = {}
with open_zoo(sys.argv[1]) as zoo:
    seen["existing"] = zoo.agents.get("sage").tagline
    body = msgspec.json.decode('{"name": "Ada", "tagline": "Counts twice"}', type=NewAgentBody)
    ada = zoo.agents.create(get_changes(body))
    seen["created"] = zoo.agents.get(ada.id).tagline
    body = msgspec.json.decode('{"tagline": "Counts"}', type=AgentChanges)
    zoo.agents.update(ada.id, get_changes(body))
    seen["history"] = [change.field for change in zoo.history.diff_versions(ada.id, 1, 2)]
    text = format_agent(zoo.agents.get(ada.id)).replace('"Counts"', '"Counts thrice"')
    changed = zoo.agents.update(ada.id, parse_changes(text, "text"))
    seen["text"] = changed.tagline
    seen["copied"] = zoo.agents.duplicate(ada.id).tagline
    bundle = collect_export(zoo, [ada.id], ["bundle"])
    seen["bundle"] = import_files(bundle.files).agents[0].tagline
    remarks = collect_export(zoo, [ada.id], ["cursor"]).report
    seen["remark"] = [remark.message for remark in remarks if remark.field == "tagline"]
    try:
        zoo.agents.update(ada.id, {"tagline": "x" * 1_000_000})
    except InvalidAgentError as error:
        seen["limited"] = [issue.path for issue in error.details]
with connect(get_server("AgentZoo").load()) as peer:
    seen["tool"] = peer.call("agent_zoo_get_agent", agentId="ada").structured["tagline"]
command = [sys.executable, "-m", "paddock", "zoo", "show", "ada"]
lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\\n")
seen["shown"] = [line.split(maxsplit=1) for line in lines if "tagline" in line]
print(json.dumps(seen))
"""


def copy_source(folder: Path) -> Path:
    """A copy of the package in which `zoo` can be changed; the rest are links."""
    copy = folder / "paddock"
    copy.mkdir(parents=True)
    for entry in SOURCE.iterdir():
        if entry.name == "zoo":
            shutil.copytree(entry, copy / "zoo", ignore=shutil.ignore_patterns("__pycache__"))
        elif entry.name != "__pycache__":
            (copy / entry.name).symlink_to(entry)
    return copy


def test_a_field_is_added_in_the_model_and_a_migration(tmp_path: Path) -> None:
    copy = copy_source(tmp_path / "source")
    model = copy / "zoo" / "model.py"
    before, declaration, after = model.read_text(encoding="utf-8").partition(DECLARATION)
    assert declaration
    first, mark, rest = after.partition('    description: str = ""\n')
    model.write_text(f"{before}{declaration}{first}{mark}{FIELD}{rest}", encoding="utf-8")
    migrations = copy / "zoo" / "store" / "migrations"
    (migrations / "r0003_tagline.py").write_text(MIGRATION, encoding="utf-8")
    address = tmp_path / "zoo.db"
    with open_zoo(str(address)) as zoo:
        zoo.agents.create({"name": "Sage"})
    done = subprocess.run(
        [sys.executable, "-c", USES, str(address)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(copy.parent),
            "PADDOCK_ZOO_DATABASE": str(address),
            "PADDOCK_DATA_DIR": str(tmp_path / "data"),
        },
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "existing": "",
        "created": "Counts twice",
        "history": ["tagline"],
        "text": "Counts thrice",
        "copied": "Counts thrice",
        "bundle": "Counts thrice",
        "remark": ["not written: Counts thrice"],
        "limited": ["tagline"],
        "tool": "Counts thrice",
        "shown": [["tagline", "Counts thrice"]],
    }
