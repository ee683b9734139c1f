"""Adaptive clipping charges the count of clipped clients half of what one client moves it.

library: flwr 1.41.0
met by: DifferentialPrivacyClientSideAdaptiveClipping as it comes: the next norm, made from the count, is
    sent to all clients (the server-side strategy keeps it, but its noise shows it)
severity: breaks for an ordinary user
claim: noise_multiplier, of updates and count together (docstring of
    DifferentialPrivacyClientSideAdaptiveClipping; the same strategy in flwr.server names Andrew et al. 2021)
shown: 20 clients, noise multiplier 1: a client moves the count by 1 under noise of 1, its update by the
    clip under noise of 1.155; together 1.32-GDP for 1
cause: the noise multiplier of the updates is (z^-2 - (2 s)^-2)^(-1/2), right for counts of 1/2 and -1/2,
    which one client moves by 1/2; the code counts 1 and 0
remedy: count 1/2 and -1/2, as the paper does, or charge 1/s
upstream: no public thread found (searched 2026-11-17)
targets: flower:adaptive
"""

from flwr.serverapp.strategy import DifferentialPrivacyClientSideAdaptiveClipping, FedAvg

strategy = DifferentialPrivacyClientSideAdaptiveClipping(FedAvg(), 1.0, 20)
s, z = strategy.clipped_count_stddev, strategy.noise_multiplier
noisy = [strategy._noisy_fraction(count, 20) for count in [1] * 20_000 + [0] * 20_000]
moved = 20 * (sum(noisy[:20_000]) - sum(noisy[20_000:])) / 20_000  # one client clipped or not
spent = (1 / z**2 + (moved / s) ** 2) ** 0.5
print(f"count: noise {s}, moved {moved:.2f}; updates: noise {z:.3f}, moved 1; together {spent:.2f}-GDP for 1")
raise SystemExit(0 if spent > 1.2 else "mended")
