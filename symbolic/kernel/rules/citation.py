"""A publication says so: granted modulo its key, which the verdict carries for ever.

Data: `key`. Nothing is checked but the points of the attack.
Falsehood it must reject: none by itself, which is why `rests_on` names the key.
"""

import re

from symbolic.kernel.rules import Granted, Refuse, left_open


def check(problem, data, prove) -> Granted:
    """Grants any statement, resting on the key."""
    key = data["key"]
    if not isinstance(key, str) or not re.fullmatch(r"[A-Za-z0-9_.:+-]{1,80}", key):
        raise Refuse("a citation needs a key")
    name = key if key.startswith("cite:") else f"cite:{key}"
    return Granted(where=left_open(problem), rests_on=frozenset({name}))
