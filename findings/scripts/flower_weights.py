"""Central privacy: clients are weighed by their examples, the noise is for equal weights.

library: flwr 1.41.0
met by: DifferentialPrivacyServerSideFixedClipping (or ...ClientSide..., ...Adaptive...) around FedAvg without
    an accountant, where clients have different numbers of examples
severity: breaks for an ordinary user
claim: noise_multiplier, that of the Gaussian mechanism for model updates (docstring of
    DifferentialPrivacyServerSideFixedClipping; the same strategy in flwr.server names McMahan et al. 2018)
shown: 4 clients at clip 1: charged 0.25, a client with 97 of 100 examples moves the average by 0.97
cause: FedAvg.aggregate_train weighs by num-examples, compute_stdv divides by the number of clients; equal
    weights are asked for where an accountant is given, and the older flwr.server.strategy.DPFedAvgFixed
    forces them
remedy: refuse unequal weights without an accountant too, or weigh all clients alike
upstream: no public thread found (searched 2026-11-17)
targets: flower:weighted
"""

import logging

import numpy as np
from flwr.app import Array, ArrayRecord, Message, MetricRecord, RecordDict
from flwr.serverapp.strategy import DifferentialPrivacyServerSideFixedClipping, FedAvg
from flwr.supercore.task_identity import TaskIdentity

logging.getLogger("flwr").setLevel(logging.ERROR)
TaskIdentity.run_id = TaskIdentity.node_id = TaskIdentity.task_id = 1  # a message belongs to a run


def reply(update, examples):
    arrays = ArrayRecord({"w": Array(np.array([update]))})
    content = {"arrays": arrays, "metrics": MetricRecord({"num-examples": examples})}
    return Message(RecordDict(content), dst_node_id=1, message_type="train")


def average(update):
    strategy = DifferentialPrivacyServerSideFixedClipping(FedAvg(), 0.0, 1.0, 4)  # noise 0: the query
    strategy.current_arrays = ArrayRecord({"w": Array(np.zeros(1))})
    replies = [reply(update, 97), *[reply(1e-9, 1) for _ in range(3)]]
    return strategy.aggregate_train(1, replies)[0]["w"].numpy()[0]


moved = average(5.0) - average(1e-9)
print(f"clip 1, 4 clients: charged {1 / 4}, moved {moved:.2f}")
raise SystemExit(0 if moved > 0.26 else "mended")
