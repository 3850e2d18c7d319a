"""What the benchmarks share: the mark that makes them opt-in, texts, and the times of several ways side by side.

Run all of them with ``make benchmark``, one with ``make benchmark ARGS="-k engine"``.
"""

import os
import time

import numpy as np
import pytest

opt_in = pytest.mark.skipif(not os.environ.get("NBHELPERS_BENCHMARKS"), reason="opt-in: NBHELPERS_BENCHMARKS=1")

SENTENCES = [
    "The council approved a new budget for schools on Tuesday after a long and heated debate in the town hall .",
    "Heavy snow closed two mountain roads and left hundreds of drivers waiting for several hours on Sunday night .",
    "A small company from the north of the country has won the contract to build the bridge across the river next "
    "year , its owner said .",
    "Doctors at the university say that walking for half an hour every day lowers the risk of heart disease .",
    "Two men were arrested early on Monday after police found stolen paintings worth several million euros in a "
    "barn near the border .",
    "The museum will open its doors to visitors again in the spring .",
]


def seconds_of(function, clock=time.perf_counter) -> float:
    """Seconds of one call."""
    begin = clock()
    function()
    return clock() - begin


def median_seconds(ways: dict, rounds: int = 3, clock=time.perf_counter) -> dict[str, float]:
    """Median seconds of each way by name; they take turns, so that all meet the same load of the machine."""
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, function in ways.items():
            times[name].append(seconds_of(function, clock))
    return {name: float(np.median(values)) for name, values in times.items()}


def show(result: dict) -> None:
    """Print results by name."""
    for name, value in result.items():
        print(f"{name:55} {value if isinstance(value, str) else f'{value:14,.6g}'}", flush=True)
