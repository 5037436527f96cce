"""A prediction sealed before anything is trained: the task, what is predicted, a time, a hash.

The hash is SHA-256 of everything else in the file, keys sorted, so that a prediction cannot be
mended after the fact without a trace. A seal is written once.
"""

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from infoflow.predict import Prediction
from infoflow.task import data


class Broken(ValueError):
    """A sealed file that is not as it was written: where, found, needed, what to do."""


def sealed(prediction: Prediction, now: datetime | None = None) -> dict[str, Any]:
    """The prediction as plain data with the task, the time (UTC) and the hash of all of it."""
    from importlib.metadata import PackageNotFoundError, version
    try:
        release = version("attnproof")
    except PackageNotFoundError:
        release = "not installed"
    time = (now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
    content = {"tool": "attnproof", "version": release, "sealed": time,
               "task": data(prediction.task), "prediction": prediction.data()}
    return {**content, "hash": digest(content)}


def digest(content: dict[str, Any]) -> str:
    """SHA-256 of plain data without its own hash, as sorted JSON."""
    plain = {k: v for k, v in content.items() if k != "hash"}
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def write(prediction: Prediction, path: Path) -> dict[str, Any]:
    """Seal a prediction into a new file; raises FileExistsError for one that is there."""
    content = sealed(prediction)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x") as file:   # never over another seal
        file.write(json.dumps(content, indent=2) + "\n")
    return content


def read(path: Path) -> dict[str, Any]:
    """The content of a sealed file; raises Broken where it is none or its hash does not fit."""
    try:
        content = json.loads(path.read_text())
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise Broken(f"{path}: found no JSON ({error}); needed a sealed prediction; write one by "
                     "attnproof predict --seal") from None
    keys = {"sealed", "task", "prediction", "hash"}
    if not isinstance(content, dict) or not keys <= content.keys():
        raise Broken(f"{path}: found no {', '.join(sorted(keys - set(content)))}; needed a sealed "
                     "prediction; write one by attnproof predict --seal")
    if content["hash"] != digest(content):
        raise Broken(f"{path}: found a content that does not fit its hash; needed the file as it "
                     "was sealed; take it from where it was stored first")
    return content
