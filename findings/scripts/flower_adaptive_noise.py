"""Adaptive clipping: what was clipped at this round's norm gets the noise of the next one's.

library: flwr 1.41.0
met by: DifferentialPrivacyServerSideAdaptiveClipping (and ClientSide) as they come, in every round in which
    more than the target share of clients is clipped
severity: breaks for an ordinary user
claim: noise_multiplier, that of the Gaussian mechanism for model updates (docstring of
    DifferentialPrivacyClientSideAdaptiveClipping; the same strategy in flwr.server names Andrew et al. 2021)
shown: all of 100 clients clipped at 0.1: noise for a norm of 0.089 at the default learning rate 0.2, for
    0.057 at 1
cause: aggregate_train updates clipping_norm before it adds noise for clipping_norm
remedy: add the noise first, or keep the norm of the round
upstream: no public thread found (searched 2026-11-17)
targets: flower:adaptive
"""

import logging

import numpy as np
from flwr.app import Array, ArrayRecord, Message, MetricRecord, RecordDict
from flwr.serverapp.strategy import DifferentialPrivacyServerSideAdaptiveClipping, FedAvg
from flwr.supercore.task_identity import TaskIdentity

logging.getLogger("flwr").setLevel(logging.ERROR)
TaskIdentity.run_id = TaskIdentity.node_id = TaskIdentity.task_id = 1  # a message belongs to a run
np.random.seed(0)
size, clients = 100_000, 100


def reply():
    arrays = ArrayRecord({"w": Array(np.full(size, 1.0))})
    content = {"arrays": arrays, "metrics": MetricRecord({"num-examples": 1})}
    return Message(RecordDict(content), dst_node_id=1, message_type="train")


for rate in (0.2, 1.0):
    strategy = DifferentialPrivacyServerSideAdaptiveClipping(FedAvg(), 1.0, clients, clip_norm_lr=rate)
    strategy.current_arrays = ArrayRecord({"w": Array(np.zeros(size))})
    norm = strategy.clipping_norm
    released = strategy.aggregate_train(1, [reply() for _ in range(clients)])[0]["w"].numpy()
    charged, added = strategy.noise_multiplier * norm / clients, released.std()
    print(f"learning rate {rate}: clipped at {norm}, noise for a norm of {norm * added / charged:.3f}")
raise SystemExit(0 if added < 0.9 * charged else "mended")
