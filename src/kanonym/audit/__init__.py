"""What a differentially private mechanism gives away, measured by canaries in one run."""

from kanonym.audit.policies import audit_policy
from kanonym.audit.run import Audit, audit_mechanism

__all__ = ["Audit", "audit_mechanism", "audit_policy"]
