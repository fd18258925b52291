"""The section of the policy file about independent judges: which commands of the server give an opinion, and when."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from checks.opinions import JUDGE
from checks.snapshot import Risk
from policies.fields import Section

JudgeName = Annotated[str, Field(pattern=JUDGE)]
Judges = Annotated[tuple[JudgeName, ...], Field(max_length=3)]


class JudgeRules(Section):
    """Judges by risk, by the names that the server gives them. What they say can only send a change to a person.

    They are asked about agents' work whose evidence is complete; none of them sees what another one said.
    """

    low: Judges = Field(description="Judges of a change of low risk.")
    medium: Judges = Field(description="Judges of a change of medium risk.")
    high: Judges = Field(description="Judges of a change of high risk.")
    critical: Judges = Field(description="Judges of a change of critical risk, a second one for example.")
    calls: Annotated[int, Field(ge=1, le=100_000)] = Field(
        description="Calls of judges on one day of UTC; after that a person is asked instead."
    )
    cost: Annotated[float, Field(gt=0, le=1_000_000)] = Field(
        description="US dollars of one day, as the judges tell them; once they are spent a person is asked instead."
    )

    def at(self, risk: Risk) -> tuple[str, ...]:
        """Each once, in the order in which they are shown."""
        judges = {Risk.LOW: self.low, Risk.MEDIUM: self.medium, Risk.HIGH: self.high, Risk.CRITICAL: self.critical}
        return tuple(dict.fromkeys(judges[risk]))
