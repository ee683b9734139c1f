"""Adaptive clipping moves the norm away from its target.

library: flwr 1.41.0
met by: DifferentialPrivacyServerSideAdaptiveClipping (and ClientSide) as they come
severity: accuracy only
claim: target_clipped_quantile is the desired quantile of updates which should be clipped (docstring of
    the strategy)
shown: all clients clipped, target one half: the norm goes from 0.1 to 0.034 in ten rounds, where it
    should grow
cause: the share of clipped clients stands where Andrew et al. (2021) have the share of those that are not
remedy: turn the sign of the exponent, or count the clients that are not clipped
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


def reply():
    arrays = ArrayRecord({"w": Array(np.array([5.0]))})
    content = {"arrays": arrays, "metrics": MetricRecord({"num-examples": 1})}
    return Message(RecordDict(content), dst_node_id=1, message_type="train")


strategy = DifferentialPrivacyServerSideAdaptiveClipping(FedAvg(), 1.0, 100)
norms = [strategy.clipping_norm]
for turn in range(10):
    strategy.current_arrays = ArrayRecord({"w": Array(np.zeros(1))})
    strategy.aggregate_train(turn, [reply() for _ in range(100)])
    norms.append(strategy.clipping_norm)
print("updates of norm 5, target one half clipped; the norm by rounds:", *(f"{norm:.3f}" for norm in norms))
raise SystemExit(0 if norms[-1] < norms[0] else "mended")
