"""What a differentially private mechanism gives away, measured by canaries in one run."""

from kanonym.audit.policies import audit_policy
from kanonym.audit.result import Audit
from kanonym.audit.run import audit_mechanism

__all__ = ["Audit", "audit_mechanism", "audit_policy"]
