"""The resumable map: stopped, restarted, spread over processes, on a full disk; always the same results."""

import dataclasses
import functools
import gc
import importlib.util
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from refused import refused
from shard_functions import ITEMS, die, len_of, lengths, slow

from nbhelpers.base import shards
from nbhelpers.base.errors import InputError
from nbhelpers.base.paths import ROOT
from nbhelpers.base.shards import WorkerError


def files(folder: Path) -> dict[str, bytes]:
    """Files of a folder, without the processor time that their results took."""
    return {path.name: re.sub(rb'"seconds": [\d.]+', b'"seconds": 0', path.read_bytes()) for path in folder.iterdir()}


def recording(calls: list):
    def function(items):
        calls.append(list(items))
        return lengths(items)

    return function


# -------------------------------------------------------------------------------------------------------------- results


def test_results_come_in_the_order_of_the_items_and_from_whole_shards(tmp_path):
    results = shards.map(lengths, ITEMS, out=tmp_path, signature="a", shard_size=5)
    expected = [each for first in range(0, 23, 5) for each in lengths(ITEMS[first : first + 5])]
    assert results == expected and [each["text"] for each in results] == ITEMS
    assert len(files(tmp_path)) == 5


def test_results_are_what_json_gives_back_on_the_first_call_too(tmp_path):
    def function(items):
        return [(item, {1: None}) for item in items]

    for _ in range(2):
        assert shards.map(function, [7], out=tmp_path, signature="a") == [[7, {"1": None}]]


def test_the_cost_of_results_is_known_when_they_are_read_again_too(tmp_path):
    def busy(items):
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass
        return items

    spent = [shards.spent()]
    for _ in range(2):
        shards.map(busy, [1, 2], out=tmp_path, signature="a", shard_size=1)
        spent.append(shards.spent())
    assert spent[1] - spent[0] >= 0.04 and spent[2] - spent[1] == pytest.approx(spent[1] - spent[0], abs=0.02)


# ---------------------------------------------------------------------------------------------- what a shard belongs to


def test_a_changed_signature_item_size_or_function_never_meets_an_old_shard(tmp_path):
    calls = []
    function = recording(calls)

    def other(items):
        calls.append(list(items))
        return [0 for _ in items]

    def computed(function, items, signature, shard_size=5):
        before = len(calls)
        shards.map(function, items, out=tmp_path, signature=signature, shard_size=shard_size)
        return len(calls) - before

    assert computed(function, ITEMS, "mu:0.9") == 5
    assert computed(function, ITEMS, "mu:0.8") == 5
    assert computed(function, [*ITEMS[:7], "changed", *ITEMS[8:]], "mu:0.9") == 1
    assert computed(function, ITEMS, "mu:0.9", shard_size=6) == 4
    assert computed(other, ITEMS, "mu:0.9") == 5
    assert computed(function, ITEMS, "mu:0.9") == 0  # and going back finds the first ones


def test_a_function_is_known_by_its_source_and_its_bound_and_default_arguments(tmp_path):
    def identity(body, **bound):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.py"
        path.write_text(f"def f(items, scale=1, *, shift=0):\n    return {body}\n")
        specification = importlib.util.spec_from_file_location("functions", path)
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        return shards._identity(functools.partial(module.f, **bound))

    product = "[scale * x for x in items]"
    assert identity(product) == identity(product)
    others = [identity(product), identity("[scale + x for x in items]")]
    others += [identity(product, scale=scale) for scale in (2, 3)]
    assert len({str(each) for each in others}) == 4
    assert shards._identity(sorted) != shards._identity(list)


def test_dataclasses_are_items(tmp_path):
    @dataclasses.dataclass(frozen=True)
    class Pair:
        left: str
        right: list[str]

    calls = []

    def function(items):
        calls.append(items)
        return [item.left + item.right[0] for item in items]

    for last in ("b", "b", "c"):
        assert shards.map(function, [Pair("a", [last])], out=tmp_path, signature="a") == [f"a{last}"]
    assert len(calls) == 2


# ----------------------------------------------------------------------------------------------- what is wrong is named


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda items: [float("nan") for _ in items], "the result of item 10 is not JSON"),
        (lambda items: [{(1, 2): 3} for _ in items], "the result of item 10 is not JSON"),
        (lambda items: items[1:], "for 5 items from item 10 on it returned 4 results"),
        (lambda items: "abcde", "returned a str"),
        (lambda items: [1 // 0], "division"),  # an error of the function itself passes through
    ],
)
def test_wrong_results_are_named_and_what_was_finished_is_kept(tmp_path, function, message):
    def from_ten(items):
        return function(items) if items[0] == 10 else list(items)

    with pytest.raises((InputError, ZeroDivisionError), match=message):
        shards.map(from_ten, list(range(20)), out=tmp_path, signature="a", shard_size=5)
    assert len(files(tmp_path)) == 2


test_wrong_arguments_are_named = refused(
    (lambda out: shards.map(lengths, "a text", out=out, signature="a"), "items must be a list"),
    (lambda out: shards.map(lengths, [1, object()], out=out, signature="a"), "item 1 is not JSON"),
    (lambda out: shards.map(lengths, [1, float("inf")], out=out, signature="a"), "item 1 is not JSON"),
    (lambda out: shards.map(lengths, [1], out=out, signature=" "), "signature"),
    (lambda out: shards.map(lengths, [1], out=out, signature="a", shard_size=0), "shard_size"),
    (lambda out: shards.map(lengths, [1], out=out, signature="a", workers=0), "workers"),
    given="tmp_path",
)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-7],
        lambda content: content[: content.rindex(b"\n", 0, -1) + 1],  # ends with a whole line, one too few
        lambda content: b"",
        lambda content: content.replace(b'"of": 5', b'"of": 6', 1),
        lambda content: content + content.split(b"\n")[-2] + b"\n",
    ],
)
def test_a_damaged_shard_is_found_and_computed_again(tmp_path, damage, caplog):
    calls = []
    function = recording(calls)
    expected = shards.map(function, ITEMS, out=tmp_path, signature="a", shard_size=5)
    whole = files(tmp_path)
    victim = sorted(whole)[2]
    (tmp_path / victim).write_bytes(damage(whole[victim]))
    assert shards.map(function, ITEMS, out=tmp_path, signature="a", shard_size=5) == expected
    assert calls[5:] == [ITEMS[10:15]]
    assert victim in caplog.text and "computed again" in caplog.text
    assert files(tmp_path) == whole


# -------------------------------------------------------------------------------------------- stopped and started again


def _start(code: str, *arguments: str | Path, **options) -> subprocess.Popen:
    """A process that runs code with the functions of this file."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{Path(__file__).parent}"}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, **options)


_RUN = """
import functools, json, sys
from shard_functions import ITEMS, slow

from nbhelpers.base import shards
folder, log, workers = sys.argv[1:]
function = functools.partial(slow, log=log, seconds=0.02)
print(json.dumps(shards.map(function, ITEMS * 2, out=folder, signature="a", shard_size=1, workers=int(workers))))
"""


def _finished(folder: Path) -> int:
    return len(list(folder.glob("0*.jsonl")))


def test_killed_at_three_random_points_and_resumed_it_gives_the_bytes_of_an_unbroken_run(tmp_path):
    total, choose = len(ITEMS) * 2, random.Random(20)
    log, whole, broken = (tmp_path / name for name in ("log", "whole", "broken"))
    expected, _ = _start(_RUN, whole, log, 1).communicate(timeout=60)
    assert len(json.loads(expected)) == len(log.read_text().splitlines()) == total
    log.unlink()
    for _ in range(3):
        target = _finished(broken) + choose.randint(2, 10)
        process = _start(_RUN, broken, log, 1)
        while _finished(broken) < target:
            assert process.poll() is None
            time.sleep(0.001)
        time.sleep(choose.uniform(0, 0.02))
        process.kill()
        assert process.wait() == -signal.SIGKILL
        assert 0 < _finished(broken) < total
    assert _start(_RUN, broken, log, 1).communicate(timeout=60)[0] == expected
    # The log may know of shards that were computed and not yet written: at most the one in hand at each kill.
    assert total <= len(log.read_text().splitlines()) <= total + 3
    assert files(broken).items() >= files(whole).items()  # beside them at most a part of a file


def test_processes_give_the_same_and_end_with_a_killed_run(tmp_path):
    import psutil

    log, two, one = (tmp_path / name for name in ("log", "two", "one"))
    process = _start(_RUN, two, log, 2)
    while _finished(two) < 4:
        assert process.poll() is None
        time.sleep(0.005)
    children = psutil.Process(process.pid).children(recursive=True)
    assert len(children) >= 2
    process.kill()
    process.wait()
    alive = psutil.wait_procs(children, timeout=10)[1]
    assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []
    expected, _ = _start(_RUN, one, log, 1).communicate(timeout=60)
    assert _start(_RUN, two, log, 2).communicate(timeout=60)[0] == expected != ""
    assert files(two).items() >= files(one).items()


_FILL = """
import sys
from nbhelpers.base import shards
try:
    shards.map(lambda items: ["x" * 200 * item for item in items], range(1, 60), out=sys.argv[1], signature="a",
               shard_size=4)
except shards.ShardWriteError as error:
    assert isinstance(error, OSError)
    print(error)
"""


def test_a_full_disk_ends_in_one_error_and_leaves_the_shards_before(tmp_path):
    full = _start(_FILL, tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)))
    text = full.communicate(timeout=60)[0]
    assert text.count("\n") == 1 and "results cannot be written" in text
    left = files(tmp_path)
    assert len(left) >= 3 and not any(name.endswith(".part") for name in left)
    for content in left.values():
        head, _, body = content.partition(b"\n")
        assert json.loads(head)["sha256"] == shards._digest(body.decode())


# ------------------------------------------------------------------------------------------------- processes, a cluster


def test_a_dead_worker_process_is_one_clear_error_and_the_next_call_goes_on(tmp_path):
    function, options = functools.partial(die, log=str(tmp_path / "died")), {"signature": "a", "shard_size": 2}
    with pytest.raises(WorkerError, match="worker processes died"):
        shards.map(function, ITEMS, out=tmp_path / "out", **options, workers=2)
    results = shards.map(function, ITEMS, out=tmp_path / "out", **options, workers=2)
    assert results == shards.map(function, ITEMS, out=tmp_path / "alone", **options)


def test_a_cluster_survives_the_death_of_a_worker(tmp_path):
    from distributed import LocalCluster

    function, died = functools.partial(die, log=str(tmp_path / "died")), tmp_path / "died"
    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0") as cluster:
        options = {"signature": "a", "shard_size": 2, "dask": cluster.scheduler_address}
        results = shards.map(function, ITEMS, out=tmp_path / "out", **options)
    assert died.exists()
    assert results == shards.map(function, ITEMS, out=tmp_path / "alone", signature="a", shard_size=2)


def test_the_address_of_the_cluster_comes_from_caller_or_environment_and_a_failure_leaves_no_client(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(shards, "_CONNECT", 0.5)
    monkeypatch.setenv("NBHELPERS_DASK", "tcp://127.0.0.1:9")
    before = sum(type(one).__name__ == "Client" for one in gc.get_objects())
    for address, port in ((None, 9), ("tcp://127.0.0.1:8", 8)):
        with pytest.raises(WorkerError, match=f"no Dask scheduler answers at tcp://127.0.0.1:{port}"):
            shards.map(len_of, ["a"], out=tmp_path, signature="a", dask=address)
    assert sum(type(one).__name__ == "Client" for one in gc.get_objects()) <= before
    assert shards.map(len_of, ["a"], out=tmp_path, signature="a", dask="") == [1]


# ------------------------------------------------------------------------------------------------------------- progress


def test_progress_is_shown_now_and_then_where_there_is_no_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("nbhelpers.base.progress.LINE_EVERY", 0.05)
    monkeypatch.setenv("NBHELPERS_HEADLESS", "1")
    function = functools.partial(slow, log=str(tmp_path / "log"), seconds=0.03)
    shards.map(function, ITEMS, out=tmp_path / "out", signature="a", shard_size=5, description="NDD")
    shards.map(len_of, ITEMS, out=tmp_path / "out", signature="b", description="short")
    shown = capsys.readouterr().err.split()
    lines = re.findall(r"NDD: \d+ of 23, \S+ passed, \S+ left", " ".join(shown))
    assert 1 <= len(lines) <= 6 and len(" ".join(lines).split()) == len(shown)
