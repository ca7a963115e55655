"""What the options of the command line ask for."""

from __future__ import annotations

import pytest

from kanonym.cli.policy_options import PolicyOptions

POLICY = """
version: 1
attributes: {{age: {{role: quasi-identifier}}}}
others: insensitive
models: [{{type: k-anonymity, k: 2}}]
algorithm: {algorithm}
"""


@pytest.mark.parametrize(
    ("algorithm", "expected"), [("segmentation", "segmentation"), ("mdav", "mondrian")]
)
def test_a_parameter_goes_to_the_algorithm_that_has_it(tmp_path, algorithm, expected):
    """A parameter alone is one of the policy's algorithm where that has it, else of mondrian."""
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY.format(algorithm=algorithm))
    policy = PolicyOptions(file, {}, {"target": "note"}).policy()
    assert (policy.algorithm.type, policy.algorithm.target) == (expected, "note")
