"""Each proved step changed a little: the verdict falls, or the mutant withstands every doubt."""

from tests import material, soundness


def test_mutants():
    """No mutant of a proved step is proved while a point or the modular test speaks against it."""
    proofs = material.proved(material.QUICK_PAGES[1:3], ("real_steps.json",))
    counts, bad = soundness.mutated(list(proofs), 300)
    assert not bad, bad[:3]
    assert counts["not proved"] > counts["proved, survives"] > 0


def test_modular_test_agrees():
    """The differently built zero test contradicts no normal form."""
    counts, bad = soundness.doubted(material.proved(material.QUICK_PAGES[:2], ("steps.json",)))
    assert not bad
    assert counts["True"] > counts["None"]
