"""PyVacy and deepee: every target through its laws, and what was found in them a second time, by hand."""

import numpy as np
import pytest

pytest.importorskip("pyvacy", reason='needs pip install ".[legacy]"')
pytest.importorskip("deepee", reason='needs pip install ".[legacy]"')
torch = pytest.importorskip("torch")

from dpverify.adapters import Target, deepee, pyvacy, select  # noqa: E402
from dpverify.adapters.torch_models import halves  # noqa: E402
from dpverify.auditing import Budget, audit  # noqa: E402
from dpverify.auditing.replay import replay  # noqa: E402
from dpverify.auditing.sampling import call  # noqa: E402
from dpverify.neighbours import Neighbours  # noqa: E402
from dpverify.properties import LAWS  # noqa: E402
from dpverify.properties.examination import examine  # noqa: E402
from dpverify.verdicts import REFUTED, SUPPORTED  # noqa: E402

NAMES = [target.name for target in (*pyvacy.TARGETS, *deepee.TARGETS)]


@pytest.mark.parametrize("name", NAMES)
def test_every_law_ends_as_known(name):
    assert examine(select(name)[0]).surprises == []


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_output_and_no_generator_is_touched(name):
    subject = select(name)[0](steps=1)
    torch.manual_seed(1)
    np.random.seed(1)
    seed = np.random.SeedSequence(3)
    state = torch.get_rng_state()
    other = np.random.get_state()[1].copy()
    first = call(subject.mechanism, subject.neighbours.data, seed)
    call(subject.mechanism, subject.neighbours.other, np.random.SeedSequence(4))
    assert np.array_equal(first, call(subject.mechanism, subject.neighbours.data, seed))
    assert torch.equal(state, torch.get_rng_state()) and np.array_equal(other, np.random.get_state()[1])
    assert torch.get_default_dtype() is torch.float32


BAD = [
    ("pyvacy:dpsgd", {"groups": 3}),
    ("pyvacy:batches", {"batch": 0}),
    ("deepee:wrapper", {"batch": 5}),
    ("deepee:wrapper", {"noise": 0.0}),
]


@pytest.mark.parametrize(("name", "settings"), BAD)
def test_bad_settings_are_named(name, settings):
    ((wrong, value),) = settings.items()
    with pytest.raises(ValueError, match=rf"{wrong}={value}"):
        select(name)[0](**settings)


def planted(build, law):
    return LAWS[law](Target("legacy:planted", "", "", build, ("torch",))())


def test_less_noise_in_pyvacy_is_caught(monkeypatch):
    real = torch.distributions.normal.Normal.sample
    monkeypatch.setattr(
        torch.distributions.normal.Normal, "sample", lambda self, *rest: 0.7 * real(self, *rest)
    )
    assert planted(pyvacy.dpsgd, "noise").verdict is REFUTED


def test_no_clip_in_deepee_is_caught(monkeypatch):
    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", lambda parameters, clip: None)
    assert planted(deepee.wrapper, "sensitivity").verdict is REFUTED


def test_pyvacy_clips_the_mean_of_the_batch():
    """One record among nine takes the whole clip norm, and the noise is a third of it."""
    from pyvacy import optim

    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = optim.DPSGD(params=[weight], lr=1.0, l2_norm_clip=1.0, noise_multiplier=1.0, batch_size=9)
    assert float(optimizer.noise.scale) == pytest.approx(1 / 3)
    optimizer.noise.scale.fill_(1e-30)
    for record, moved in ((1000.0, 1.0), (0.0, 0.0)):
        weight.grad = None
        (weight * torch.tensor([record, *[0.0] * 8])).mean().backward()
        optimizer.step()
        assert float(weight.grad) == pytest.approx(moved, abs=1e-6)


def test_pyvacy_takes_the_root_of_the_norm_after_each_group():
    from pyvacy import optim

    first, second = torch.nn.Parameter(torch.zeros(1)), torch.nn.Parameter(torch.zeros(1))
    optimizer = optim.DPSGD(
        params=[{"params": [first]}, {"params": [second]}],
        lr=1.0,
        l2_norm_clip=1.0,
        noise_multiplier=1e-30,
        batch_size=1,
    )
    first.grad, second.grad = torch.tensor([10_000.0]), torch.tensor([0.0])
    optimizer.step()
    assert float(first.grad) == pytest.approx(100.0, rel=1e-3)


def documented_loop(batches, clip=1.0, noise=1e-30):
    """The gradients that the loop of deepee's documentation takes steps with, batch by batch."""
    wrapped = deepee._deepee().PrivacyWrapper(halves(4), len(batches[0]), clip, noise)
    optimizer = torch.optim.SGD(wrapped.wrapped_model.parameters(), lr=0.1)
    steps = []
    for batch in batches:
        optimizer.zero_grad()
        with deepee._one_after_the_other():
            wrapped(torch.tensor(batch, dtype=torch.float64)).sum().backward()
        wrapped.clip_and_accumulate()
        wrapped.noise_gradient()
        steps.append(torch.cat([p.grad.ravel() for p in wrapped.wrapped_model.parameters()]).numpy())
        optimizer.step()
        wrapped.prepare_next_batch()
    return steps


def test_deepee_keeps_the_gradients_of_earlier_batches():
    zero, record = [0.0] * 4, [1.0, 0.0, 0.0, 0.0]
    first, second, third = documented_loop([[record, zero], [zero, zero], [zero, record]])
    assert first == pytest.approx([0.5, 0, 0, 0])
    assert second == pytest.approx([0.5, 0, 0, 0], abs=1e-5)  # the batch is zero
    assert third == pytest.approx([1.0, 0, 0, 0], abs=1e-5)  # the mean of two gradients of which one is zero


def test_deepee_charges_replaced_records_less_than_they_cost():
    subject = deepee.wrapper(steps=1)
    pair = Neighbours.replace(np.array([[3.0, 0.0, 4.0, 0.0], [0.0] * 4]), 0, [-3.0, 0.0, -4.0, 0.0])
    assert replay(subject.mechanism, pair).verdict is SUPPORTED
    assert (
        audit(subject.mechanism, pair, subject.claim, budget=Budget(runs=1000), rungs=["accountant"]).verdict
        is REFUTED
    )


def test_the_central_limit_of_deepee_says_too_little():
    """One step that draws one of ten records: (1-q) N(0, 1) + q N(1/noise, 1) against N(0, 1), whose delta is
    exact.
    """
    from scipy.special import ndtr

    q = 0.1
    noise = 0.6
    epsilon = 2.0
    at = noise * np.log((np.exp(epsilon) - 1 + q) / q) + 0.5 / noise
    exact = (1 - q) * ndtr(-at) + q * ndtr(1 / noise - at) - np.exp(epsilon) * ndtr(-at)
    assert exact == pytest.approx(0.002, rel=0.05)
    assert deepee._claim(noise, 1, 10, 1).delta_at(epsilon) < exact / 20
