"""What an audit could have shown is computed at the level at which it is tested."""

from scipy.special import bdtrik

from dpverify.auditing.events import BESIDE
from dpverify.auditing.exact import point_curve, refutes
from dpverify.auditing.power import ASTRAY, smallest_seen
from dpverify.guarantees import PureDP


def test_what_the_exact_test_shows_is_shown_beside_a_second_event():
    alpha = 1e-3
    for epsilon in (4.0, 4.285, 4.57):
        for event in smallest_seen(PureDP(epsilon), 2000, alpha):
            seen = int(bdtrik(0.2, 1500, event.seen))
            curve, slope = point_curve(epsilon, 0.0), 2.718281828459045**epsilon
            assert refutes(seen, 1500, ASTRAY, 1500, curve, slope, (1 - BESIDE) * alpha / 2)
