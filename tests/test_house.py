"""The house itself: arrows point down, the kernel stands alone, nothing is evaluated from text."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("symbolic", "numeric", "infoflow", "proofs")
FORBIDDEN = {  # package -> what it may not import
    "symbolic": {"numeric", "infoflow", "proofs", "tests"},
    "numeric": {"infoflow", "proofs", "tests"},
    "infoflow": {"numeric", "proofs", "tests"},
    "proofs": {"tests"},
}
EVALUATING = {"eval", "exec", "sympify", "parse_expr", "parse_latex", "parse_mathematica",
              "lambdastr"}
HEAVY = {"cvxpy", "torch", "jax", "matplotlib", "sympy", "scipy", "networkx", "ot"}
SOURCES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
KERNEL = [path for path in SOURCES if path.is_relative_to(ROOT / "symbolic" / "kernel")]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imports(path: Path) -> set[str]:
    """Dotted names of every module a file imports, wherever the import stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write imports in full"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def last_name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_arrows_point_down(path):
    package = path.relative_to(ROOT).parts[0]
    up = {name for name in imports(path) if name.split(".")[0] in FORBIDDEN[package]}
    assert not up, f"{name_of(path)} imports {up}: arrows point down"


@pytest.mark.parametrize("path", KERNEL, ids=name_of)
def test_the_kernel_stands_alone(path):
    for name in imports(path):
        top = name.split(".")[0]
        ours = name == "symbolic.kernel" or name.startswith("symbolic.kernel.")
        flint = top == "flint" and path.name == "ball.py"
        assert ours or flint or top in sys.stdlib_module_names, f"{name_of(path)}: {name}"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_text_is_ever_evaluated(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Name | ast.Attribute):
            assert last_name(node) not in EVALUATING, f"{name_of(path)}:{node.lineno}"
    evaluated = {n for n in imports(path) if n.split(".")[-1] in EVALUATING}
    assert not evaluated, f"{name_of(path)}: {evaluated}"


@pytest.mark.parametrize("path", [p for p in SOURCES if p not in KERNEL], ids=name_of)
def test_only_the_kernel_makes_a_verdict_above_unknown(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        where = f"{name_of(path)}:{node.lineno}"
        if last_name(node.func) == "Verdict":
            level = node.args[0] if node.args else next(
                (k.value for k in node.keywords if k.arg == "level"), None)
            assert level is not None and ast.unparse(level).endswith("Level.UNKNOWN"), where
        if last_name(node.func) in ("replace", "_replace", "__replace__", "setattr",
                                    "__setattr__"):
            # A finding takes its level from a verdict, or one that numbers may give.
            levels = {ast.unparse(k.value) for k in node.keywords if k.arg == "level"}
            assert levels <= {"verdict.level.value", "'unknown'", "'tested'"}, where
            assert "Level." not in ast.unparse(node).replace("Level.UNKNOWN", ""), where


def test_heavy_libraries_are_imported_where_they_are_used():
    code = f"""
import sys, proofs.cli, proofs.check, proofs.recheck, symbolic.claim
print(sorted(m for m in {HEAVY!r} if m in sys.modules))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.stdout.strip() == "[]", run.stdout + run.stderr


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_rooms_keep_their_measure(path):
    lines = path.read_text().splitlines()
    assert not re.search(r"utils|helpers|common|misc|manager|(^|_)base", path.stem)
    assert not lines or ast.get_docstring(ast.parse("\n".join(lines))), "first line: what it shows"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_module_state_but_tables(path):
    for node in ast.walk(ast.parse(path.read_text())):
        assert not isinstance(node, ast.Global), f"{name_of(path)}:{node.lineno}"


def test_versions_are_held_without_naming_a_host():
    text = (ROOT / "constraints.txt").read_text()
    assert "://" not in text and " @ " not in text
    assert all(re.match(r"[\w.-]+==[\w.]+( ;.*)?$", line) for line in text.splitlines())


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_carries_its_marker(package):
    module = __import__(package)
    assert package == module.ATTNPROOF
    assert Path(module.__file__).is_relative_to(ROOT)


@pytest.mark.parametrize("name", sorted(p.stem for p in KERNEL if p.parent.name == "kernel"))
def test_every_kernel_module_can_be_imported_first(name):
    """The kernel's modules call each other; none may depend on which of them is loaded first."""
    subprocess.run([sys.executable, "-c", f"import symbolic.kernel.{name}"], cwd=ROOT, check=True)
