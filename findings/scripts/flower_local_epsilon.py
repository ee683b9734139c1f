"""The mod for local privacy uses a formula that holds for epsilon up to 1 at every epsilon.

library: flwr 1.41.0
met by: LocalDpMod with a large epsilon: at delta 1e-5 from about 9 on
severity: breaks for a documented option
claim: epsilon is the privacy budget, delta the failure probability (docstring of LocalDpMod)
shown: delta 1e-5 asked: 2.4e-5 at epsilon 10, 1.6e-3 at 20, 0.58 at 50
cause: noise sensitivity sqrt(2 ln(1.25/delta))/epsilon is proved for epsilon <= 1 (Dwork and Roth 2014,
    Theorem A.1)
remedy: the exact calibration of Balle and Wang (2018), or refuse epsilon > 1
upstream: no public thread found (searched 2026-11-17)
targets: flower:local-large
"""

import logging
from math import erfc, exp, log, sqrt

import numpy as np
from flwr.app import Array, ArrayRecord, Message, MetricRecord, RecordDict
from flwr.clientapp.mod import LocalDpMod
from flwr.supercore.task_identity import TaskIdentity

logging.getLogger("flwr").setLevel(logging.ERROR)
TaskIdentity.run_id = TaskIdentity.node_id = TaskIdentity.task_id = 1  # a message belongs to a run
np.random.seed(0)


def message(update):
    content = {"arrays": ArrayRecord({"w": Array(update)}), "metrics": MetricRecord({"num-examples": 1})}
    return Message(RecordDict(content), dst_node_id=1, message_type="train")


def noise(epsilon):
    mod, update = LocalDpMod(1.0, 2.0, epsilon, 1e-5), np.full(100_000, 1.0)
    out = mod(message(np.zeros(100_000)), None, lambda *_: message(update))
    return out.content["arrays"]["w"].numpy().std()


def normal(x):
    return erfc(-x / sqrt(2)) / 2


for epsilon in (10.0, 20.0, 50.0):
    mu = 2.0 / noise(epsilon)  # two clipped updates are 2 apart
    tail = normal(-epsilon / mu - mu / 2)
    true = normal(mu / 2 - epsilon / mu) - (exp(epsilon + log(tail)) if tail else 0.0)
    print(f"epsilon {epsilon}: delta 1e-5 asked, {true:.1e} true")
raise SystemExit(0 if true > 1e-4 else "mended")
