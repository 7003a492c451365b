"""The reward specs this adapter ships; their weights are ours, as the paper's own are not public."""

from skyfall_crl.reward import RewardSpec, RewardTerm

REWARD_SIGNALS: tuple[str, ...] = ("remediation", "financial", "throughput")
"""What a world reports of each step alone: faults mended, money not lost, units delivered, each in [0, 1]."""


PAPER = RewardSpec(
    "paper",
    1,
    (RewardTerm("remediation", 0.5), RewardTerm("financial", 0.3), RewardTerm("throughput", 0.2)),
)
"""Half for mended faults, the rest for the flow of money and of units."""
