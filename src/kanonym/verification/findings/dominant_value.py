"""Find classes that are nearly all one value."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import NEARLY_ALL


@finding_kind(
    "dominant-value",
    "attributes",
    "In {classes} of the classes, with {records} of the records, nearly all records share one "
    "value of “{columns}”, up to {share}: there it is as good as known.",
)
def dominant_value(view: ReleaseView) -> Evidence:
    for name in view.sensitive:
        shares, sizes, n_classes = view.dominated_classes(name)
        if not len(shares):
            continue
        classes, records, share = len(shares), int(sizes.sum()), float(shares.max())
        percent = "100 %" if share == 1 else f"{min(100 * share, 99.9):.1f} %"
        message = (
            f"{name}: in {classes:,} of {n_classes:,} classes ({records:,} {view.unit}) "
            f"at least {NEARLY_ALL:.0%} share one value, up to {percent}: it is "
            "practically known for everybody there. Require entropy l-diversity, a higher "
            "l, or t-closeness of it"
        )
        yield [name], message, {"share": share, "classes": classes, "records": records}
