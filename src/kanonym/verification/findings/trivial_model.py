"""Find models that require nothing: classes of a single record would satisfy them."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind


@finding_kind(
    "trivial-model",
    "identity",
    "Some requirements are always met ({models} of {requirements}): every record could have "
    "been released unchanged.",
)
def trivial_model(view: ReleaseView) -> Evidence:
    pairs = zip(view.models, view.checked.checks, strict=True)
    trivial = [
        model
        for model, check in pairs
        if check.trivial or len(check.protects) < len(model.protects)
    ]
    if trivial:
        named = ", ".join(
            f"{one.type} {one.required:g}" + (f" of {one.attribute}" if one.attribute else "")
            for one in trivial
        )
        message = (
            f"{named}: requires nothing, because in this table even classes of one record "
            "satisfy it. Require more, or remove it"
        )
        columns = dict.fromkeys(one.attribute for one in trivial if one.attribute)
        yield tuple(columns), message, {"models": len(trivial), "requirements": len(view.models)}
