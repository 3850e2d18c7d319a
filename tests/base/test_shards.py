"""The resumable map: stopped, restarted, spread over processes, on a full disk; always the same results."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import importlib.util
import inspect
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nbhelpers.base import shards
from nbhelpers.base.errors import InputError
from nbhelpers.base.paths import ROOT
from nbhelpers.base.shards import WorkerError

ITEMS = [f"sentence {number} – ünïcödé" for number in range(23)]


def lengths(items):
    """A batch function: one result per item, and every result knows the shard it was computed in."""
    return [{"text": item, "length": len(item) / 3, "of": len(items)} for item in items]


def slow(items, *, log, seconds):
    """As `lengths`, slowly; says which process computed what."""
    time.sleep(seconds)
    with open(log, "a") as stream:
        stream.write(json.dumps([os.getpid(), items]) + "\n")
    return lengths(items)


def die(items, *, log):
    """Kills its process on the shard that holds "sentence 8", the first time only."""
    if any(item.startswith("sentence 8 ") for item in items) and not Path(log).exists():
        Path(log).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return lengths(items)


def len_of(items):
    return [len(item) for item in items]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def recording(calls: list):
    def function(items):
        calls.append(list(items))
        return lengths(items)

    return function


# -------------------------------------------------------------------------------------------------------------- results


def test_results_come_in_the_order_of_the_items_and_from_whole_shards(tmp_path):
    results = shards.map(lengths, ITEMS, out=tmp_path, signature="a", shard_size=5)
    assert [each["text"] for each in results] == ITEMS
    assert [each["length"] for each in results] == [len(item) / 3 for item in ITEMS]
    assert [each["of"] for each in results] == [5] * 20 + [3] * 3
    assert len(files(tmp_path)) == 5


def test_results_are_what_json_gives_back_on_the_first_call_too(tmp_path):
    def function(items):
        return [(item, {1: None}) for item in items]

    for _ in range(2):
        assert shards.map(function, [7], out=tmp_path, signature="a") == [[7, {"1": None}]]


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

    plain = identity("[scale * x for x in items]")
    assert plain == identity("[scale * x for x in items]")
    others = [
        identity("[scale + x for x in items]"),
        *(identity("[scale * x for x in items]", scale=n) for n in (2, 3)),
    ]
    assert len({str(each) for each in [plain, *others]}) == 4
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
        result = shards.map(function, [Pair("a", [last])], out=tmp_path, signature="a")
        assert result == [f"a{last}"]
    assert len(calls) == 2


# -------------------------------------------------------------------------------------------------------- bad arguments


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda items: [float("nan") for _ in items], "the result of item 10 is not JSON"),
        (lambda items: [{(1, 2): 3} for _ in items], "the result of item 10 is not JSON"),
        (lambda items: items[1:], "for 5 items from item 10 on it returned 4 results"),
        (lambda items: "abcde", "returned a str"),
    ],
)
def test_wrong_results_are_named(tmp_path, function, message):
    def from_ten(items):
        return function(items) if items[0] == 10 else list(items)

    with pytest.raises(InputError, match=message):
        shards.map(from_ten, list(range(20)), out=tmp_path, signature="a", shard_size=5)
    assert len(files(tmp_path)) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"items": "a text"}, "items must be a list"),
        ({"items": [1, object()]}, "item 1 is not JSON"),
        ({"items": [1, float("inf")]}, "item 1 is not JSON"),
        ({"signature": " "}, "signature"),
        ({"shard_size": 0}, "shard_size"),
        ({"workers": 0}, "workers"),
    ],
)
def test_wrong_arguments_are_named(tmp_path, change, message):
    arguments = {"function": lengths, "items": [1], "signature": "a", **change}
    with pytest.raises(InputError, match=message):
        shards.map(arguments.pop("function"), arguments.pop("items"), out=tmp_path / "out", **arguments)


def test_an_error_of_the_function_passes_through_and_keeps_what_was_finished(tmp_path):
    def function(items):
        if 7 in items:
            raise ZeroDivisionError("seven")
        return items

    with pytest.raises(ZeroDivisionError, match="seven"):
        shards.map(function, list(range(20)), out=tmp_path, signature="a", shard_size=5)
    assert len(files(tmp_path)) == 1


# -------------------------------------------------------------------------------------------------------- damaged files


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-7],
        lambda content: content[: content.rindex(b"\n", 0, -1) + 1],  # ends with a whole line, one too few
        lambda content: content[:30],
        lambda content: b"",
        lambda content: content.replace(b'"of": 5', b'"of": 6', 1),
        lambda content: b"\0" * len(content),
        lambda content: content + content.split(b"\n")[-2] + b"\n",
    ],
)
def test_a_damaged_shard_is_found_and_computed_again(tmp_path, damage, caplog):
    calls = []
    function = recording(calls)
    expected = shards.map(function, ITEMS, out=tmp_path, signature="a", shard_size=5)
    whole = files(tmp_path)
    victim = sorted(whole)[2]
    damaged = damage(whole[victim])
    assert damaged != whole[victim]
    (tmp_path / victim).write_bytes(damaged)
    assert shards.map(function, ITEMS, out=tmp_path, signature="a", shard_size=5) == expected
    assert calls[5:] == [ITEMS[10:15]]
    assert victim in caplog.text and "computed again" in caplog.text
    assert files(tmp_path) == whole


# ---------------------------------------------------------------------------------------------------------- a full disk

_FILLING = """
import resource, sys
from nbhelpers.base import shards
if sys.argv[2] == "limit":
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    shards.map(lambda items: ["x" * 200 * item for item in items], list(range(1, 60)), out=sys.argv[1],
               signature="a", shard_size=4)
except shards.ShardWriteError as error:
    assert isinstance(error, OSError)
    print(error)
    sys.exit(7)
"""


def _fill(folder: Path, how: str) -> None:
    done = subprocess.run([sys.executable, "-c", _FILLING, str(folder), how], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 7, done.stderr
    assert done.stdout.count("\n") == 1 and "results cannot be written" in done.stdout
    left = files(folder)
    assert len(left) >= 3 and not any(name.endswith(".part") for name in left)
    for content in left.values():
        head, _, body = content.partition(b"\n")
        assert json.loads(head)["sha256"] == hashlib.sha256(body).hexdigest()


def test_a_full_disk_ends_in_one_error_and_leaves_the_shards_before(tmp_path):
    _fill(tmp_path / "limit", "limit")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(tmp_path)], capture_output=True)
    if mounted.returncode:
        pytest.skip("a small disk can be mounted by root only")
    try:
        _fill(tmp_path, "disk")
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


# -------------------------------------------------------------------------------------------- stopped and started again

# The functions of this file in a script of their own, so that the processes need not import the testing tools.
_RUN = "\n\n".join(
    [
        "import functools, hashlib, json, os, sys, time",
        f"ITEMS = {ITEMS!r}",
        inspect.getsource(lengths),
        inspect.getsource(slow),
        """
if __name__ == "__main__":
    from nbhelpers.base import shards
    results = shards.map(functools.partial(slow, log=sys.argv[2], seconds=0.02), ITEMS * 2, out=sys.argv[1],
                         signature="a", shard_size=1, workers=int(sys.argv[3]))
    print(hashlib.sha256(json.dumps(results).encode()).hexdigest())
""",
    ]
)


def _start(folder: Path, log: Path, workers: int = 1) -> subprocess.Popen:
    script = folder.parent / "script.py"
    if not script.exists():  # a process that was started before may be about to read it
        script.write_text(_RUN)
    return subprocess.Popen(
        [sys.executable, str(script), str(folder), str(log), str(workers)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_killed_at_three_random_points_and_resumed_it_gives_the_bytes_of_an_unbroken_run(tmp_path):
    total, choose = len(ITEMS) * 2, random.Random(20)
    log = tmp_path / "log"
    unbroken = _start(tmp_path / "unbroken", log)
    expected, _ = unbroken.communicate(timeout=60)
    assert unbroken.returncode == 0 and len(log.read_text().splitlines()) == total
    log.unlink()
    finished = 0
    for _ in range(3):
        target = finished + choose.randint(2, 10)
        process = _start(tmp_path / "broken", log)
        while len(list((tmp_path / "broken").glob("0*.jsonl"))) < target:
            assert process.poll() is None
            time.sleep(0.001)
        time.sleep(choose.uniform(0, 0.02))
        process.kill()
        assert process.wait() == -signal.SIGKILL
        finished = len(list((tmp_path / "broken").glob("0*.jsonl")))
        assert 0 < finished < total
    process = _start(tmp_path / "broken", log)
    assert process.communicate(timeout=60)[0] == expected and process.returncode == 0
    # The log may know of shards that were computed and not yet written: at most the one in hand at each kill.
    assert total <= len(log.read_text().splitlines()) <= total + 3
    broken = {name: content for name, content in files(tmp_path / "broken").items() if not name.endswith(".part")}
    assert broken == files(tmp_path / "unbroken")


def test_processes_give_the_same_and_end_with_a_killed_run(tmp_path):
    import psutil

    process = _start(tmp_path / "two", tmp_path / "log", workers=2)
    while len(list((tmp_path / "two").glob("0*.jsonl"))) < 4:
        assert process.poll() is None
        time.sleep(0.005)
    children = psutil.Process(process.pid).children(recursive=True)
    assert len(children) >= 2
    process.kill()
    process.wait()
    alive = psutil.wait_procs(children, timeout=10)[1]
    assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []
    again = _start(tmp_path / "two", tmp_path / "log", workers=2)
    alone = _start(tmp_path / "one", tmp_path / "log")
    assert again.communicate(timeout=60)[0] == alone.communicate(timeout=60)[0] != ""
    whole = files(tmp_path / "one")
    assert {name: content for name, content in files(tmp_path / "two").items() if name in whole} == whole


def test_a_dead_worker_process_is_one_clear_error_and_the_next_call_goes_on(tmp_path):
    function = functools.partial(die, log=str(tmp_path / "died"))
    with pytest.raises(WorkerError, match="worker processes died"):
        shards.map(function, ITEMS, out=tmp_path / "out", signature="a", shard_size=2, workers=2)
    assert (tmp_path / "died").exists()
    results = shards.map(function, ITEMS, out=tmp_path / "out", signature="a", shard_size=2, workers=2)
    assert results == [each for first in range(0, len(ITEMS), 2) for each in lengths(ITEMS[first : first + 2])]


# ------------------------------------------------------------------------------------------------------------ a cluster


_KILLER = """
import json, os, signal, sys, time
while len(seen := {json.loads(line)[0] for line in open(sys.argv[1]) if line.endswith("\\n")}) < 2:
    time.sleep(0.02)
time.sleep(0.03)
os.kill(max(seen), signal.SIGKILL)
print(max(seen))
"""


def test_a_cluster_survives_the_death_of_a_worker(tmp_path):
    from distributed import LocalCluster

    log = tmp_path / "log"
    log.touch()
    items = ITEMS * 3
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0"
    ) as cluster:
        pids = {worker.pid for worker in cluster.workers.values()}
        assert len(pids) == 2
        # A process of its own waits until both workers have finished something, and kills one at its work.
        killer = subprocess.Popen([sys.executable, "-c", _KILLER, str(log)], stdout=subprocess.PIPE, text=True)
        results = shards.map(
            functools.partial(slow, log=str(log), seconds=0.1),
            items,
            out=tmp_path / "out",
            signature="a",
            shard_size=2,
            dask=cluster.scheduler_address,
        )
        killed = int(killer.communicate(timeout=30)[0])
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert killed in pids
    done_by_survivor = [pid for pid, _ in lines if pid != killed]
    assert len(done_by_survivor) > len(lines) / 2
    assert results == [each for first in range(0, len(items), 2) for each in lengths(items[first : first + 2])]
    alone = shards.map(
        functools.partial(slow, log=str(log), seconds=0), items, out=tmp_path / "alone", signature="a", shard_size=2
    )
    assert json.dumps(alone) == json.dumps(results)


@pytest.mark.parametrize(
    ("variable", "argument", "address"),
    [
        ("tcp://127.0.0.1:9", None, "127.0.0.1:9"),
        ("tcp://127.0.0.1:9", "tcp://127.0.0.1:8", "127.0.0.1:8"),
        ("tcp://127.0.0.1:9", "", None),
        ("", None, None),
    ],
)
def test_the_address_of_the_cluster_comes_from_the_caller_or_else_from_the_environment(
    tmp_path, monkeypatch, variable, argument, address
):
    monkeypatch.setattr(shards, "_CONNECT", 0.2)
    monkeypatch.setenv("NBHELPERS_DASK", variable)
    refused = pytest.raises(WorkerError, match=f"no Dask scheduler answers at tcp://{address}")
    with refused if address else contextlib.nullcontext():
        assert shards.map(len_of, ["a"], out=tmp_path, signature="a", dask=argument) == [1]


# ------------------------------------------------------------------------------------------------------------- progress


def test_progress_is_plain_lines_with_the_time_left_where_there_is_no_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("nbhelpers.base.progress.LINE_EVERY", 0.05)
    monkeypatch.setenv("NBHELPERS_HEADLESS", "1")
    function = functools.partial(slow, log=str(tmp_path / "log"), seconds=0.03)
    shards.map(function, ITEMS, out=tmp_path / "out", signature="a", shard_size=5, description="NDD")
    lines = capsys.readouterr().err.splitlines()
    assert 1 <= len(lines) <= 5
    assert lines[0].startswith("NDD: ") and "of 23" in lines[0] and lines[0].endswith("s left")


def test_a_notebook_that_somebody_watches_shows_bars(monkeypatch):
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    code = "import os\nfrom nbhelpers.base import progress\nprint(progress.shows_bars())\n"
    code += "os.environ['NBHELPERS_HEADLESS'] = '1'\nprint(progress.shows_bars())"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    assert notebook.cells[0].outputs[0].text.split() == ["True", "False"]
