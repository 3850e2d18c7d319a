"""Figures: text alternative in the output, files, determinism, bad input."""

import base64
import xml.etree.ElementTree

import matplotlib
import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest

from nbhelpers.base import paths, plots
from nbhelpers.base.errors import InputError

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
    plots.show(figure().axes[0], alt=ALT, name="from_axes")
    stems = ("07_order_curve", "from_axes")
    assert {p.name for p in paths.figures_dir().iterdir()} == {f"{s}.{end}" for s in stems for end in ("png", "svg")}
    assert not plt.fignum_exists(fig.number)
    root = xml.etree.ElementTree.parse(run_folder / "figures" / "07_order_curve.svg").getroot()
    assert root.find("{http://www.w3.org/2000/svg}title").text == ALT


CODE = f"""
import matplotlib.pyplot as plt
from nbhelpers.base import plots, progress
plots.theme()
fig, axes = plt.subplots()
axes.plot([1, 2], label='a')
axes.fill_between([0, 1], 1, 2)
plots.show(fig, alt={ALT!r}, name='00_test')
print(progress.shows_bars())"""


def test_a_notebook_output_carries_the_text_and_the_same_figure_gives_the_same_bytes(run_folder, monkeypatch):
    from nbclient import NotebookClient

    exec(CODE, {})
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CODE)])
    variables = {"NBHELPERS_OUT": str(run_folder / "again"), "PYTHONHASHSEED": "1", "PYTHONPATH": str(paths.ROOT)}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    for name in ("00_test.png", "00_test.svg"):
        made = [(run_folder / folder / "figures" / name).read_bytes() for folder in ("", "again")]
        assert made[0] == made[1]
    image, printed = notebook.cells[0].outputs  # closed figures are not drawn a second time at the end of the cell
    assert image.metadata["image/png"]["alt"] == ALT
    assert image.data["text/plain"] == f"Figure: {ALT}"
    assert base64.b64decode(image.data["image/png"]) == (run_folder / "figures" / "00_test.png").read_bytes()
    assert printed.text == "True\n"  # a notebook that somebody watches shows bars


@pytest.mark.parametrize(
    "options, message",
    [
        ({"alt": "a curve"}, "fewer than 30"),
        ({"alt": "Figure: score against the number of moved sentences."}, "repeats the title"),
        ({"name": "../escape"}, "name"),
        ({"name": "07_order_curve.png"}, "name"),
    ],
)
def test_a_missing_or_empty_text_and_a_name_that_is_no_file_stem_are_refused(options, message, run_folder):
    fig = figure("Score against the number of moved sentences")
    with pytest.raises(InputError, match=message):
        plots.show(fig, **({"alt": ALT, "name": "07_order_curve"} | options))
    assert not list(run_folder.glob("figures/*"))


def test_neighbouring_colours_differ_in_lightness_or_hue_also_without_red_and_green():
    # Viénot, Brettel & Mollon (1999): what remains of a colour to a reader without red-sensitive cones.
    rgb = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in plots.PALETTE]) / 255
    to_lms = [[17.8824, 43.5161, 4.11935], [3.45565, 27.1554, 3.86714], [0.0299566, 0.184309, 1.46709]]
    lms = (rgb**2.2) @ np.transpose(to_lms)
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
    labels = [(text.get_text(), text.get_color()) for text in axes.texts]
    assert sorted(labels) == [("NounSim", plots.PALETTE[1]), ("Sim", plots.PALETTE[0])]
    first, second = (t.get_window_extent() for t in axes.texts)
    assert not first.overlaps(second)
    with pytest.raises(InputError, match="no labelled line"):
        plots.direct_labels(plt.subplots()[1])


def test_dots_draw_each_series_of_a_row_beside_the_others():
    import pandas

    one = {"row": "a", "by": "x", "value": 1.0, "low": 0.5, "high": 2.0, "n": 30, "published": 1.5}
    rows = [one, one | {"by": "y", "value": 2.0, "high": 3.0}, one | {"row": "b", "value": float("nan")}]
    figure = plots.dots(pandas.DataFrame(rows), by="by", xlabel="points", reference=(0, "none"))
    (axes,), (legend,) = figure.axes, figure.legends
    assert [text.get_text() for text in axes.get_yticklabels()] == ["a", "b"]
    assert {text.get_text() for text in legend.get_texts()} == {"x, n = 30", "y, n = 30", "published"}
    heights = [container.lines[0].get_ydata().tolist() for container in axes.containers]
    assert heights[0][0] < 0 < heights[1][0] and len(heights[0]) == 1
    other = plots.dots(pandas.DataFrame([*rows[:2], one | {"row": "b", "n": 9}]), by="by", xlabel="points")
    assert [text.get_text() for text in other.axes[0].texts] == ["n = 30", "n = 9"]
    assert {text.get_text() for text in other.legends[0].get_texts()} == {"x", "y", "published"}
    side = plots.dots(pandas.DataFrame(rows), by="row", xlabel="points", reference=(0, "none"), panels="by")
    assert [axes.get_title("left") for axes in side.axes] == ["x", "y"]
    assert side.legends[0].get_title().get_text() == "points (dashed: none)"
    assert [len(axes.containers[0].lines[0].get_xdata()) for axes in side.axes] == [1, 1]
    apart = pandas.DataFrame([one, one | {"by": "y", "n": 9}])
    found = plots.dots(apart.assign(all="95 %"), by="all", xlabel="points", panels="by").axes
    assert [axes.get_title("left") for axes in found] == ["x, n = 30", "y, n = 9"] and not found[1].texts


def test_a_forest_draws_every_estimate_its_interval_and_the_published_number():
    import pandas

    nothing = float("nan")
    rows = [("ours", 0.6, 0.5, 0.7, 96, 0.9), ("random", 0.5, nothing, nothing, nothing, nothing)]
    frame = pandas.DataFrame(rows, columns=["row", "value", "low", "high", "n", "published"])
    axes = plots.forest(frame, xlabel="AUC", grey=["random"], reference=(0.5, "chance")).axes[0]
    drawn = [list(line.get_xdata()) for line in axes.lines]
    assert [0.5, 0.7] in drawn and [0.6] in drawn and [0.9] in drawn
    assert {"n = 96", "chance"} == {text.get_text() for text in axes.texts if text.get_text()}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["ours", "random"] and axes.yaxis_inverted()
