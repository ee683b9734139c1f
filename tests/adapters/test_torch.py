"""Opacus: every target through its laws, planted bugs in it, its per-example gradients on models of one's
own, and the example in PyTorch.
"""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("opacus", reason='needs pip install ".[torch]"')
torch = pytest.importorskip("torch")

from dpverify.adapters import Target, opacus, select  # noqa: E402
from dpverify.adapters.opacus import (  # noqa: E402
    check_gradients,
    gradients,
    layers,
    optimizers,
)
from dpverify.auditing import Budget, audit  # noqa: E402
from dpverify.auditing.sampling import call  # noqa: E402
from dpverify.guarantees import PureDP  # noqa: E402
from dpverify.neighbours import Neighbours  # noqa: E402
from dpverify.properties import LAWS  # noqa: E402
from dpverify.properties.examination import examine  # noqa: E402
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED  # noqa: E402

ROOT = Path(__file__).parents[2]
NAMES = [target.name for target in opacus.TARGETS]
TRAINED = [target.name for target in opacus.TARGETS if target not in layers.TARGETS]


@pytest.mark.parametrize("name", NAMES)
def test_every_law_ends_as_known(name):
    assert examine(select(name)[0]).surprises == []


@pytest.mark.parametrize("name", ["opacus:ghost", "opacus:dpsgd"])
def test_an_audit_leaves_the_classes_of_opacus_as_they_are(name):
    from opacus import optimizers

    subject = select(name)[0](steps=1)
    audit(subject.mechanism, subject.neighbours, subject.claim, budget=Budget(runs=200))
    for kind in (optimizers.DPOptimizer, optimizers.DPOptimizerFastGradientClipping):
        assert not hasattr(kind.step, "hooked")


@pytest.mark.parametrize("mode", gradients.MODES)
def test_every_layer_ends_as_known(mode):
    (target,) = select(f"opacus:layers-{mode}")
    steps = LAWS["gradients"](target()).steps
    known = layers.expected(mode)
    ended = {step.statement: step.result.verdict for step in steps}
    assert {name: verdict for name, verdict in ended.items() if verdict is not SUPPORTED} == known


@pytest.mark.parametrize("name", TRAINED)
def test_same_seed_same_output_whatever_was_run_before(name):
    (target,) = select(name)
    once = {"steps": 1} if "steps" in target.settings else {}
    subject, again = target(**once), target(**once)
    seed = np.random.SeedSequence(3)
    first = call(subject.mechanism, subject.neighbours.data, seed)
    call(subject.mechanism, subject.neighbours.other, np.random.SeedSequence(4))
    assert np.array_equal(first, call(subject.mechanism, subject.neighbours.data, seed))
    assert np.array_equal(first, call(again.mechanism, subject.neighbours.data, seed))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("dpsgd", {"clip": -1.0}),
        ("ghost", {"noise": 0.0}),
        ("per-layer", {"steps": 0}),
        ("poisson", {"batch": -1}),
    ],
)
def test_bad_settings_are_named(name, settings):
    ((wrong, value),) = settings.items()
    with pytest.raises(ValueError, match=rf"{wrong}={value}"):
        select(f"opacus:{name}")[0](**settings)


def law(name, build=optimizers.dpsgd):
    """What a law says of DPOptimizer as it is now."""
    return LAWS[name](Target("opacus:planted", "", "", build, layers.PACKAGES)())


def test_a_forgotten_clip_is_caught(monkeypatch):
    from opacus.optimizers import DPOptimizer

    def sums(self):
        for p in self.params:
            p.summed_grad = p.grad_sample.sum(dim=0)

    monkeypatch.setattr(DPOptimizer, "clip_and_accumulate", sums)
    assert law("sensitivity").verdict is REFUTED


def test_a_clip_of_each_layer_for_the_whole_is_caught(monkeypatch):
    from opacus.optimizers import DPOptimizer

    def each(self):
        for p in self.params:
            rows = p.grad_sample.flatten(1)
            p.summed_grad = ((self.max_grad_norm / rows.norm(dim=1)).clamp(max=1.0) @ rows).view_as(p)

    monkeypatch.setattr(DPOptimizer, "clip_and_accumulate", each)
    assert law("sensitivity").verdict is REFUTED


def test_half_the_noise_is_caught(monkeypatch):
    import opacus.optimizers.optimizer as module

    real = module._generate_noise
    monkeypatch.setattr(module, "_generate_noise", lambda std, **rest: real(std=std / 2, **rest))
    assert law("noise").verdict is REFUTED


def test_the_same_generator_state_in_every_draw_is_caught(monkeypatch):
    import opacus.optimizers.optimizer as module

    real = module._generate_noise

    def stuck(std, reference, generator=None, **rest):
        state = generator.get_state()
        noise = real(std=std, reference=reference, generator=generator, **rest)
        generator.set_state(state)
        return noise

    monkeypatch.setattr(module, "_generate_noise", stuck)
    assert law("noise").verdict is REFUTED


def test_a_batch_that_is_not_cleared_is_caught(monkeypatch):
    from opacus.optimizers import DPOptimizer

    def keeps(self, set_to_none=False):
        for p in self.params:
            p.grad_sample = None
            if hasattr(p.summed_grad, "_processed"):
                p.summed_grad = p.summed_grad.clone()

    monkeypatch.setattr(DPOptimizer, "zero_grad", keeps)
    assert law("sensitivity").verdict is REFUTED


def test_an_adam_that_goes_on_with_the_gradient_before_noise_is_caught(monkeypatch):
    plain = torch.optim.Adam.step

    def peeks(self, *given, **named):
        for group in self.param_groups:
            for p in group["params"]:
                p.grad = p.summed_grad.clone()
        return plain(self, *given, **named)

    monkeypatch.setattr(torch.optim.Adam, "step", peeks)
    assert law("training", optimizers.adam).verdict is REFUTED


def test_skipped_empty_batches_are_caught(monkeypatch):
    from opacus.optimizers import DPOptimizer

    real = DPOptimizer.add_noise

    def skips(self):
        if len(self.params[0].grad_sample):
            real(self)
        else:
            for p in self.params:
                p.grad = p.summed_grad.clone()

    monkeypatch.setattr(DPOptimizer, "add_noise", skips)
    assert law("empty").verdict is REFUTED


# Per-example gradients of a model of one's own


class Network(torch.nn.Module):
    def __init__(self, middle=None):
        super().__init__()
        self.convolution = torch.nn.Conv2d(1, 4, 3, padding=1)
        self.middle = middle if middle is not None else torch.nn.GroupNorm(2, 4)
        self.out = torch.nn.Linear(4 * 5 * 5, 3)

    def forward(self, x):
        return self.out(torch.relu(self.middle(self.convolution(x))).flatten(1))


def of(model, mode="hooks", loss=None):
    generator = torch.Generator().manual_seed(0)
    inputs, labels = torch.randn(6, 1, 5, 5, generator=generator), torch.randint(3, (6,), generator=generator)
    return check_gradients(model, loss or torch.nn.CrossEntropyLoss(), inputs, labels, mode=mode)


@pytest.mark.parametrize("mode", gradients.MODES)
def test_a_network_of_ones_own_passes_and_is_left_as_it_was(mode):
    model = Network()
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    assert of(model, mode).verdict is SUPPORTED
    assert all(torch.equal(p, before[name]) and p.grad is None for name, p in model.named_parameters())
    assert of(model, mode, torch.nn.CrossEntropyLoss(reduction="sum")).verdict is SUPPORTED


def test_batch_normalisation_mixes_records():
    result = of(Network(torch.nn.BatchNorm2d(4, track_running_stats=False)))
    assert result.verdict is REFUTED and "on record" in result.because
    assert of(Network(torch.nn.BatchNorm2d(4))).verdict is UNDECIDED  # Opacus refuses running statistics


def test_a_layer_that_mixes_records_is_caught_in_every_mode():
    class Centred(torch.nn.Module):
        def forward(self, x):
            return x - x.mean(dim=0, keepdim=True)

    for mode in gradients.MODES:
        assert of(Network(Centred()), mode).verdict is REFUTED


def test_a_wrong_grad_sampler_is_named():
    from opacus.grad_sample import GradSampleModule, register_grad_sampler

    class Scale(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.factor = torch.nn.Parameter(torch.ones(4))

        def forward(self, x):
            return x * self.factor[:, None, None]

    def sampler(wrong):
        return lambda layer, activations, backprops: {
            layer.factor: (activations[0] * backprops).sum(dim=(2, 3)) * (0.5 if wrong else 1.0)
        }

    try:
        register_grad_sampler(Scale)(sampler(wrong=False))
        assert of(Network(Scale())).verdict is SUPPORTED
        register_grad_sampler(Scale)(sampler(wrong=True))
        result = of(Network(Scale()))
    finally:
        GradSampleModule.GRAD_SAMPLERS.pop(Scale)
    assert result.verdict is REFUTED
    assert result.evidence.certificate["parameter"] == "middle.factor"
    assert result.evidence.certificate["relative"] == pytest.approx(0.5, abs=1e-3)


def test_time_first_layers_are_caught():
    """Opacus takes the first axis of every layer for the records; a layer inside that has time there mixes
    them.
    """

    class Transposed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(3, 2)

        def forward(self, x):
            return self.inner(x.transpose(0, 1)).transpose(0, 1)

    x = torch.randn(4, 4, 3, generator=torch.Generator().manual_seed(0))
    assert check_gradients(Transposed(), torch.nn.MSELoss(), x, torch.zeros(4, 4, 2)).verdict is REFUTED


def test_a_parameter_that_is_not_used_has_no_gradient():
    model = Network()
    model.spare = torch.nn.Linear(2, 2)
    assert of(model).verdict is SUPPORTED


def test_bad_calls_are_named():
    with pytest.raises(ValueError, match="mode='none'"):
        of(Network(), "none")
    with pytest.raises(ValueError, match="3 and 2"):
        check_gradients(torch.nn.Linear(2, 1), torch.nn.MSELoss(), torch.zeros(3, 2), torch.zeros(2, 1))
    assert of(Network(), loss=lambda output, target: 1 / 0).verdict is UNDECIDED


@pytest.mark.parametrize(
    "name",
    [
        "Conv2d, circular",
        "EmbeddingBag, sum",
        "Embedding, padding_idx",
        "Embedding tied to functional.linear",
    ],
)
def test_the_wrong_gradients_do_not_even_add_up_to_that_of_the_batch(name):
    """A second look at what was found: PyTorch's own gradient of the batch is the mean of the gradients of
    its records.
    """
    from opacus import GradSampleModule

    from dpverify.adapters.torch_models import case

    for which, right in ((name, False), ("Conv2d, padding", True), ("Embedding", True)):
        model, loss, inputs, targets = case(which)
        with gradients.quietly():
            loss(GradSampleModule(model)(inputs), targets).backward()
        agree = [torch.allclose(p.grad_sample.mean(dim=0), p.grad) for p in model.parameters()]
        assert all(agree) is right


def test_tokens_of_a_bag_that_do_not_repeat_are_right():
    from dpverify.adapters.torch_models import case

    model, loss, inputs, targets = case("EmbeddingBag, sum")
    inputs = torch.stack(
        [torch.randperm(7, generator=torch.Generator().manual_seed(i))[:5] for i in range(len(inputs))]
    )
    assert check_gradients(model, loss, inputs, targets, mode="ghost").verdict is SUPPORTED


# The example


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    import sys

    for name in [name for name in sys.modules if name.partition(".")[0] == "examples"]:
        monkeypatch.delitem(sys.modules, name)  # Opacus installs a package of that name
    return import_module("examples.dpsgd_torch")


def test_the_bug_of_the_torch_example_is_found_and_its_twin_passes(example):
    result = audit(example.train, example.pair, example.CLAIM, budget=Budget(runs=2000), smaller=False)
    assert result.verdict is REFUTED and result.witness is not None
    mended = audit(
        lambda data, rng: example.train(data, rng, mended=True),
        example.pair,
        example.CLAIM,
        budget=Budget(runs=1000),
    )
    assert mended.verdict is SUPPORTED


def test_the_command_line_finds_it(monkeypatch, example):
    from typer.testing import CliRunner

    from dpverify.cli import application

    monkeypatch.chdir(ROOT)
    where = ["examples.dpsgd_torch:train", "--neighbours", "examples.dpsgd_torch:pair"]
    result = CliRunner().invoke(
        application(), ["audit", *where, "--epsilon", "1", "--delta", "0.04", "--runs", "2000"]
    )
    assert result.exit_code == 1 and "a contradiction" in result.output


OUTPUTS = {
    "module": lambda model: model,
    "state_dict": lambda model: model.state_dict(),
    "parameters": lambda model: list(model.parameters()),
    "bfloat16": lambda model: model.weight.bfloat16(),
    "sparse": lambda model: model.weight.to_sparse(),
}


@pytest.mark.parametrize("kind", OUTPUTS)
def test_what_torch_returns_is_an_outcome(kind):
    def respond(truth):
        def mechanism(data, rng):
            bit = data[0, 0] if rng.random() < truth else 1 - data[0, 0]
            model = torch.nn.Linear(2, 1, bias=False)
            with torch.no_grad():
                model.weight[:] = torch.tensor([[1.0, float(bit)]])
            return OUTPUTS[kind](model)

        return mechanism

    pair = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])
    budget = Budget(runs=1000, seed=2)
    for truth, verdict in ((0.95, REFUTED), (0.7, SUPPORTED)):
        result = audit(respond(truth), pair, PureDP(1.0), budget=budget, rungs=["statistics"], smaller=False)
        assert result.verdict is verdict, result.because
