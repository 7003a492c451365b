"""The section `export` of a run document."""

from pydantic import Field, StrictBool

from skyfall_crl.config.schema import Section


class ExportSection(Section):
    """Whether a run leaves a bundle, in the folder `bundle` of its directory.

    With `external_checkpoint` the weights go to that folder instead, and the bundle names it.
    """

    bundle: StrictBool = False
    external_checkpoint: str | None = Field(default=None, min_length=1)
