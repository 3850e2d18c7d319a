"""Figures: text alternative in the output, files, determinism, bad input."""

import base64
import subprocess
import sys
import xml.etree.ElementTree

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import nbformat  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402

from nbhelpers.base import paths, plots  # noqa: E402
from nbhelpers.base.errors import InputError  # noqa: E402

ALT = 'The score falls from 0.8 to 0.3 as more sentences are moved, "fastest" over the first three.'


@pytest.fixture(autouse=True)
def run_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path))
    with matplotlib.rc_context():
        plots.theme()
        yield tmp_path
    plt.close("all")


def figure(title=""):
    fig, axes = plt.subplots()
    axes.plot([0, 1, 2], [0.8, 0.5, 0.3], label="Sim")
    axes.plot([0, 1, 2], [0.7, 0.6, 0.31], label="NounSim")
    axes.set_title(title)
    return fig


def test_show_writes_both_files_closes_the_figure_and_returns_nothing(run_folder):
    fig = figure()
    assert plots.show(fig, alt=ALT, name="07_order_curve") is None
    assert sorted(p.name for p in paths.figures_dir().iterdir()) == [
        "07_order_curve.png",
        "07_order_curve.svg",
    ]
    assert not plt.fignum_exists(fig.number)
    assert (run_folder / "figures" / "07_order_curve.png").read_bytes().startswith(b"\x89PNG")
    root = xml.etree.ElementTree.parse(run_folder / "figures" / "07_order_curve.svg").getroot()
    assert root.find("{http://www.w3.org/2000/svg}title").text == ALT


def test_the_same_figure_gives_the_same_bytes(run_folder):
    code = (
        "import matplotlib; matplotlib.use('Agg'); import matplotlib.pyplot as plt\n"
        "from nbhelpers.base import plots\n"
        "plots.theme(); fig, axes = plt.subplots()\n"
        "axes.plot([1, 2], label='a'); axes.fill_between([0, 1], 1, 2)\n"
        f"plots.show(fig, alt={ALT!r}, name='x')"
    )
    files = []
    for number in ("1", "2"):
        folder = run_folder / number
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            timeout=120,
            env={
                "NBHELPERS_OUT": str(folder),
                "PATH": "",
                "PYTHONHASHSEED": number,
                "HOME": str(run_folder),
                "PYTHONPATH": str(paths.ROOT),
            },
        )
        files.append([(folder / "figures" / f"x.{ending}").read_bytes() for ending in ("png", "svg")])
    assert files[0] == files[1]


def test_a_notebook_output_carries_the_text(tmp_path, monkeypatch):
    from nbclient import NotebookClient

    code = (
        "import matplotlib.pyplot as plt\nfrom nbhelpers.base import plots\nplots.theme()\n"
        f"fig, axes = plt.subplots()\naxes.plot([1, 2])\nplots.show(fig, alt={ALT!r}, name='00_test')"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    monkeypatch.setenv("PYTHONPATH", str(paths.ROOT))
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = notebook.cells[0].outputs
    images = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(images) == 1  # closed figures are not drawn a second time at the end of the cell
    assert images[0].metadata["image/png"]["alt"] == ALT
    assert images[0].data["text/plain"] == f"Figure: {ALT}"
    assert base64.b64decode(images[0].data["image/png"]) == (tmp_path / "figures" / "00_test.png").read_bytes()


@pytest.mark.parametrize(
    "alt, title, message",
    [
        ("a curve", "", "fewer than 30"),
        (
            "Figure: score against the number of moved sentences.",
            "Score against the number of moved sentences",
            "repeats the title",
        ),
    ],
)
def test_a_missing_or_empty_text_is_refused(alt, title, message, run_folder):
    with pytest.raises(InputError, match=message):
        plots.show(figure(title), alt=alt, name="07_order_curve")
    assert not list(run_folder.glob("figures/*"))


@pytest.mark.parametrize("name", ["", "../escape", "07_order_curve.png"])
def test_a_name_that_is_no_file_stem_is_refused(name):
    with pytest.raises(InputError, match="name"):
        plots.show(figure(), alt=ALT, name=name)


def test_show_takes_axes():
    plots.show(figure().axes[0], alt=ALT, name="from_axes")
    assert (paths.figures_dir() / "from_axes.svg").exists()


def test_theme_sets_size_palette_and_markers():
    fig, axes = plt.subplots()
    lines = [axes.plot([i, i + 1])[0] for i in range(4)]
    assert tuple(fig.get_size_inches()) == (7.0, 4.0)
    assert [line.get_color() for line in lines] == list(plots.PALETTE[:4])
    assert len({line.get_marker() for line in lines}) == 4


def test_neighbouring_colours_differ_in_lightness_or_hue_also_without_red_and_green():
    # Viénot, Brettel & Mollon (1999): what remains of a colour to a reader without red-sensitive cones.
    rgb = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in plots.PALETTE]) / 255
    lms = (rgb**2.2) @ np.array(
        [[17.8824, 43.5161, 4.11935], [3.45565, 27.1554, 3.86714], [0.0299566, 0.184309, 1.46709]]
    ).T
    lms[:, 0] = 2.02344 * lms[:, 1] - 2.52581 * lms[:, 2]
    distances = np.linalg.norm(lms[:, None, 1:] - lms[None, :, 1:], axis=-1) + np.eye(len(rgb)) * 99
    assert distances.min() > 0.5


def test_direct_labels_name_each_line_in_its_colour_without_overlap():
    fig = figure()
    axes = fig.axes[0]
    axes.legend()
    plots.direct_labels(axes)
    fig.canvas.draw()
    assert axes.get_legend() is None
    assert {(t.get_text(), t.get_color()) for t in axes.texts} == {
        ("Sim", plots.PALETTE[0]),
        ("NounSim", plots.PALETTE[1]),
    }
    first, second = (t.get_window_extent() for t in axes.texts)
    assert not first.overlaps(second)
    with pytest.raises(InputError, match="no labelled line"):
        plots.direct_labels(plt.subplots()[1])
