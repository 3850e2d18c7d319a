"""Train MeaningBERT on CSMD and save it: ``python tools/meaningbert.py train OUT``.

The model is trained on the training part, stopped and calibrated by the development part (so that identical and
unrelated pairs reach the ends of the scale), and measured on the test part; what was measured is printed and kept in
the model's ``meaning.json``.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
from command import status
from sklearn.metrics import r2_score, root_mean_squared_error

from nbhelpers.studies.meaningbert import experiment, training
from nbhelpers.studies.meaningbert.splits import augment


def train(options: argparse.Namespace) -> None:
    """Train, measure and save a model as the command line says."""
    from nbhelpers.resources.csmd import read_csmd

    names = [setting.name for setting in fields(training.TrainingSettings)]
    settings = training.TrainingSettings(**{name: getattr(options, name) for name in names})
    csmd = read_csmd(options.data)
    learning, dev, test = experiment.parts_of(csmd, options.labels, options.split, options.seed)
    sanity = {name: experiment.sanity_pairs(part, options.seed) for name, part in (("dev", dev), ("test", test))}
    lower = training.lower_layers(settings)
    model, _ = training.train(
        list(augment(learning, seed=options.seed)),
        dev + [pair for kind in sanity["dev"].values() for pair in kind],
        settings,
        seed=options.seed,
        lower=lower,
        report=lambda epoch: print(epoch, flush=True),
    )

    raw = functools.partial(training.predict, model, lower)
    ends = {kind: raw(some) for kind, some in sanity["dev"].items()}
    model = replace(model, calibration=experiment.anchored(ends["identical"], ends["unrelated"]))
    ratings = {"test": raw(test), **{kind: raw(some) for kind, some in sanity["test"].items()}}
    measured = {}
    for name, correct in (("raw", lambda values: values), ("calibrated", model.calibration)):
        given = {part: correct(values) for part, values in ratings.items()}
        both = [pair.rating for pair in test], given["test"]
        result = {"pearson": np.corrcoef(*both)[0, 1], "r2": r2_score(*both), "rmse": root_mean_squared_error(*both)}
        result["identical at least 95"] = float((given["identical"].round() >= 95).mean())
        result["unrelated at most 5"] = float((given["unrelated"].round() <= 5).mean())
        measured[name] = {key: round(float(value), 4) for key, value in result.items()} | {"n": len(test)}
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in measured[name].items()))
    kept = {key: value for key, value in vars(options).items() if key not in ("command", "out", "data")}
    kept |= {"calibration": "sanity", "data": csmd.located.sha256[:8], "measured on the test part": measured}
    print(f"Saved in {model.save(options.out, settings=kept)}.")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status (2 for bad input)."""
    parser = argparse.ArgumentParser(prog="python tools/meaningbert.py", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = commands.add_parser("train", help="train on one fold and save the model")
    command.add_argument("out", help="folder of the model")
    command.add_argument("--data", help="folder of CSMD; by default where nbhelpers.resources.data finds it")
    command.add_argument("--labels", choices=experiment.LABELS, default="restored", help="default: %(default)s")
    command.add_argument("--split", choices=experiment.SPLITS, default="random", help="default: %(default)s")
    command.add_argument("--seed", type=int, default=42, help="of split and training; 42 is the published split")
    for setting in fields(training.TrainingSettings):
        flag, default = "--" + setting.name.replace("_", "-"), setting.default
        command.add_argument(flag, type=type(default), default=default, help="default: %(default)s")
    options = parser.parse_args(argv)
    return status(lambda: train(options))


if __name__ == "__main__":
    raise SystemExit(main())
