"""``python tools/meaningbert.py train OUT``: train MeaningBERT on CSMD and save it.

The model is trained on the training part, stopped and calibrated by the development part, and measured on the test
part; what was measured is printed and kept in the model's ``meaning.json``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields, replace

from nbhelpers.base.errors import NbhelpersError
from nbhelpers.studies.meaningbert.experiment import LABELS, SPLITS
from nbhelpers.studies.meaningbert.training import TrainingSettings

CALIBRATIONS = ("none", "least-squares", "sanity")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status (2 for bad input)."""
    parser = argparse.ArgumentParser(prog="python tools/meaningbert.py", description=__doc__.split("\n\n")[1])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = commands.add_parser("train", help="train on one fold and save the model")
    command.add_argument("out", help="folder of the model")
    command.add_argument("--data", help="folder of CSMD; by default where nbhelpers.resources.data finds it")
    command.add_argument("--labels", choices=LABELS, default="restored", help="default: %(default)s")
    command.add_argument("--split", choices=SPLITS, default="random", help="default: %(default)s")
    command.add_argument("--seed", type=int, default=42, help="of split and training; 42 is the published split")
    command.add_argument("--no-augmentation", action="store_true", help="no identical and unrelated pairs")
    command.add_argument("--commutative", action="store_true", help="every pair the other way round, too")
    command.add_argument(
        "--calibration",
        choices=CALIBRATIONS,
        default="sanity",
        help="fitted on the development part: to people's ratings (least-squares), or so that"
        " identical and unrelated pairs reach the ends of the scale (sanity; default)",
    )
    command.add_argument("--state", help="file that is written after every epoch, to go on from")
    for setting in fields(TrainingSettings):
        command.add_argument(
            "--" + setting.name.replace("_", "-"),
            type=type(setting.default),
            default=setting.default,
            help="default: %(default)s",
        )
    options = parser.parse_args(argv)
    try:
        _train(options)
    except NbhelpersError as error:
        print(f"python tools/meaningbert.py: {error}", file=sys.stderr)
        return 2
    return 0


def _train(options: argparse.Namespace) -> None:
    from nbhelpers.resources.csmd import read_csmd
    from nbhelpers.studies.meaningbert import experiment, training
    from nbhelpers.studies.meaningbert.splits import augment

    settings = TrainingSettings(**{s.name: getattr(options, s.name) for s in fields(TrainingSettings)})
    csmd = read_csmd(options.data)
    pairs = experiment.labelled(csmd, options.labels, experiment.ratings_for(options.labels))
    learning, dev, test = experiment.split_of(pairs, options.split, options.seed).parts(pairs)
    sanity = {name: experiment.sanity_pairs(part, options.seed) for name, part in (("dev", dev), ("test", test))}
    held_out = dev
    if not options.no_augmentation:
        learning = list(augment(learning, seed=options.seed, commutative=options.commutative))
        held_out = dev + [pair for kind in sanity["dev"].values() for pair in kind]
    lower = training.lower_layers(settings)
    model, _ = training.train(
        learning,
        held_out,
        settings,
        seed=options.seed,
        state=options.state,
        lower=lower,
        report=lambda epoch: print(
            f"epoch {epoch.number}: training loss {epoch.training_loss:.4f}, "
            f"development loss {epoch.development_loss:.4f}",
            flush=True,
        ),
    )

    def raw(some):
        return training.predict(model, lower, some, settings)

    if options.calibration == "least-squares":
        model = replace(model, calibration=experiment.least_squares(raw(dev), [pair.rating for pair in dev]))
    elif options.calibration == "sanity":
        ends = {kind: raw(some) for kind, some in sanity["dev"].items()}
        model = replace(model, calibration=experiment.anchored(ends["identical"], ends["unrelated"]))
    measured = {}
    for name, correct in (("raw", None), ("calibrated", model.calibration)):
        given = {"test": raw(test), **{kind: raw(some) for kind, some in sanity["test"].items()}}
        given = {part: values if correct is None else correct(values) for part, values in given.items()}
        result = asdict(experiment.agreement(given["test"], [pair.rating for pair in test]))
        result["identical at least 95"] = float((given["identical"].round() >= 95).mean())
        result["unrelated at most 5"] = float((given["unrelated"].round() <= 5).mean())
        measured[name] = {key: round(value, 4) for key, value in result.items()} | {"n": len(test)}
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in measured[name].items()))
    kept = asdict(settings) | {
        "labels": options.labels,
        "split": options.split,
        "seed": options.seed,
        "augmented": not options.no_augmentation,
        "commutative": options.commutative,
        "calibration": options.calibration,
        "data": csmd.located.sha256[:8],
        "measured on the test part": measured,
    }
    folder = model.save(options.out, settings=kept)
    print(f"Saved in {folder}.")


if __name__ == "__main__":
    raise SystemExit(main())
