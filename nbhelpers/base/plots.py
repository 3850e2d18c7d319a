"""One look for every figure, and one way to show it: with a text that says what it shows.

The colours are those of Okabe & Ito (2008), which readers with any colour vision tell apart. Sizes are chosen
so that a figure stays readable at half its width, as in a printed page or a slide.
"""

from __future__ import annotations

import base64
import io
import re
import textwrap
import warnings
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from nbhelpers.base import paths
from nbhelpers.base.errors import InputError
from nbhelpers.base.files import replace_file

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
"""Blue, vermillion, green, purple, orange, sky blue, black, yellow. Yellow is last: it is too light for thin
lines."""

PUBLISHED = "#222222"
"""Colour of the numbers that a paper prints (◇)."""

SEQUENTIAL = "cividis"
"""Name of the colour map for amounts: perceptually even, and the same to readers with red-green blindness."""

SHORTEST_ALT = 30
"""Characters that a text in place of a figure has at least."""

_OTHER_FONTS = ("Noto Sans CJK SC", "Noto Sans CJK JP", "Hiragino Sans", "Yu Gothic", "Microsoft YaHei", "Noto Emoji")
"""Fonts for characters that DejaVu Sans lacks, where they are installed."""

_GAP = 14.0
"""Least vertical distance between two labels of lines, in points; closer ones are pushed apart upwards."""

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def theme() -> None:
    """Set the style of all later figures: palette, sizes, a light grid, 7 by 4 inches, reproducible files.

    Examples
    --------
    >>> import matplotlib
    >>> with matplotlib.rc_context():  # the style before comes back at the end
    ...     theme()
    ...     print(matplotlib.rcParams["figure.figsize"])
    [7.0, 4.0]
    """
    import matplotlib
    import matplotlib.font_manager
    import seaborn
    from cycler import cycler

    installed = set(matplotlib.font_manager.get_font_names())
    fonts = ["DejaVu Sans", *(name for name in _OTHER_FONTS if name in installed)]
    seaborn.set_theme(style="whitegrid", palette=list(PALETTE), font=fonts)
    matplotlib.rcParams.update(
        {
            "figure.figsize": (7.0, 4.0),
            "figure.dpi": 100,
            "figure.constrained_layout.use": True,
            "font.size": 12,
            "axes.titlesize": 14,
            "figure.titlesize": 14,
            "axes.labelsize": 12,
            "xtick.labelsize": 11,
            "ytick.labelsize": 11,
            "legend.fontsize": 11,
            "legend.frameon": False,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlelocation": "left",
            # Colour is never the only sign: lines differ in their marker too.
            "axes.prop_cycle": cycler(color=list(PALETTE)) + cycler(marker=list(_MARKERS)),
            "lines.linewidth": 2.0,
            "lines.markersize": 6.0,
            "image.cmap": SEQUENTIAL,
        }
    )


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _check_alt(alt: str, titles: list[str]) -> str:
    text = " ".join(alt.split())
    if len(text) < SHORTEST_ALT:
        raise InputError(f"alt={text!r} has fewer than {SHORTEST_ALT} characters: say what can be seen in the figure")
    for title in titles:
        if len(_words(text).replace(_words(title), "", 1).strip()) < 20:
            raise InputError(f"alt={text!r} only repeats the title {title!r}: say what can be seen in the figure")
    return text


def show(fig: Figure, *, alt: str, name: str) -> None:
    """Display a figure with its text alternative, write it as SVG and PNG, and close it.

    The text goes into the metadata of the notebook output (``metadata["image/png"]["alt"]``), into the
    output's plain-text form, and into the title of the SVG file. The runner's pages and nbconvert's classic template
    make it the image's ``alt``; JupyterLab does not read it yet, so a sentence beside the figure should say
    the same. The same figure gives the same bytes again: the files hold no date, and SVG ids have a fixed
    salt.

    Parameters
    ----------
    fig : matplotlib Figure
        Axes and seaborn grids are taken too; their figure is shown.
    alt : str
        What the figure shows and what can be seen in it: one or two sentences, at least 30 characters, not
        the title.
    name : str
        File name without ending, after the notebook: ``"07_order_curve"``. The files go to
        `paths.figures_dir()`.

    Raises
    ------
    InputError
        `alt` is too short or only repeats the title; `name` holds anything but lower-case letters, digits, "_" and "-".

    Examples
    --------
    >>> import matplotlib.pyplot
    >>> figure, axes = matplotlib.pyplot.subplots()  # doctest: +SKIP
    >>> show(figure, alt="An empty plot: no line has been drawn yet.", name="00_empty")  # doctest: +SKIP
    """
    import matplotlib.pyplot

    figure = getattr(fig, "figure", fig)
    titles = [axes.get_title(location) for axes in figure.axes for location in ("left", "center", "right")]
    text = _check_alt(alt, [title for title in [figure.get_suptitle(), *titles] if title])
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise InputError(f"name={name!r} is no file name such as '07_order_curve' (a-z, 0-9, '_' and '-')")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        png, svg = as_files(figure, text)
    matplotlib.pyplot.close(figure)
    _say_what_is_missing([str(each.message) for each in warned])
    folder = paths.figures_dir()
    replace_file(folder / f"{name}.png", png)
    replace_file(folder / f"{name}.svg", svg)
    _display(png, text)


def as_files(figure: Figure, title: str) -> tuple[bytes, bytes]:
    """A figure as PNG and as SVG with a title, as `show` writes them."""
    import matplotlib

    png, svg = io.BytesIO(), io.BytesIO()
    options = dict(bbox_inches="tight", pad_inches=0.1, facecolor="white")
    with matplotlib.rc_context({"svg.hashsalt": "nbhelpers", "svg.fonttype": "path"}):
        figure.savefig(png, format="png", dpi=110, metadata={"Software": None}, **options)
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None, "Title": title}, **options)
    return png.getvalue(), svg.getvalue()


def _say_what_is_missing(messages: list[str]) -> None:
    """Print one sentence on characters that no font has; pass other warnings on."""
    missing = {}
    for message in messages:
        if found := re.match(r"Glyph (\d+) .* missing from", message):
            missing[chr(int(found[1]))] = None
        else:
            warnings.warn(message, stacklevel=3)
    if missing:
        signs = "".join(missing)
        print(f"No font on this machine has {signs[:20]}{' …' if len(signs) > 20 else ''}: boxes stand in the figure.")


def _display(png: bytes, text: str) -> None:
    """Publish the image as an output of the running notebook; do nothing in plain Python."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.display import publish_display_data

    if InteractiveShell.initialized():
        publish_display_data(
            data={"image/png": base64.b64encode(png).decode("ascii"), "text/plain": f"Figure: {text}"},
            metadata={"image/png": {"alt": text}},
        )


def note(axes: Axes, x: float, y: float, about: dict[str, Any]) -> None:
    """Remember on the figure (``figure.marks``) what stands at a point: the site shows it to those who hover there."""
    vars(axes.figure).setdefault("marks", []).append((axes, x, y, about))


def forest(
    rows: pandas.DataFrame,
    *,
    xlabel: str,
    title: str = "",
    grey: Collection[str] = (),
    grey_label: str = "baseline",
    label: str = "here, 95 % interval",
    values: bool = False,
    reference: tuple[float, str] | None = None,
) -> Figure:
    """Draw estimates with their intervals below each other, with the published numbers beside them.

    Parameters
    ----------
    rows : DataFrame
        Columns ``row``, ``value``, ``low``, ``high``, ``n`` and ``published``; the first row
        stands on top. Numbers that are missing are left out.
    xlabel, title : str
        What is measured, with its unit, and what is seen.
    grey : collection of str
        Rows drawn in grey.
    grey_label, label : str
        What they and the others are, for the legend.
    values : bool
        Whether the value stands at the right of each row, in place of n.
    reference : (position, label), optional
        A vertical line, such as chance.

    Returns
    -------
    Figure
        ● ours with its 95 % interval, ◇ published, n at the right. `show` displays it.

    Examples
    --------
    >>> import pandas
    >>> line = {"row": "cosine", "value": 0.6, "low": 0.5, "high": 0.7, "n": 96, "published": 0.9}
    >>> forest(pandas.DataFrame([line]), xlabel="AUC").axes[0].get_xlabel()
    'AUC'
    """
    import matplotlib.pyplot
    from matplotlib.lines import Line2D

    figure, axes = matplotlib.pyplot.subplots(figsize=(7.0, 1.3 + 0.38 * len(rows)))
    diamond = {"color": PUBLISHED, "marker": "D", "markersize": 7, "linestyle": "", "fillstyle": "none"}
    right = axes.get_yaxis_transform()
    if reference:
        axes.axvline(reference[0], color="0.6", linewidth=1.2, linestyle="--", zorder=0)
        axes.text(reference[0], 1.01, reference[1], transform=axes.get_xaxis_transform(), ha="center", color="0.4")
    for height, one in enumerate(rows.to_dict("records")):
        colour, marker = ("0.45", "s") if one["row"] in grey else (PALETTE[0], "o")
        axes.plot([one["low"], one["high"]], [height, height], color=colour, marker="", linewidth=2.5)
        axes.plot(one["value"], height, color=colour, marker=marker, markersize=8, linestyle="")
        note(axes, one["value"], height, one)
        axes.plot(one["published"], height, **diamond)
        count = f"n = {one['n']:,.0f}" if one["n"] == one["n"] and one["n"] is not None else ""
        text = f"{one['value']:.2f}" if values else count
        axes.text(1.01, height, text, transform=right, va="center", fontsize=10, color="0.35")
    axes.set(yticks=range(len(rows)), yticklabels=rows["row"], xlabel=xlabel, ylim=(len(rows) - 0.5, -0.5))
    figure.suptitle(title, x=0.01, ha="left")  # the names of the rows leave the axes little room for a title
    axes.grid(axis="y", visible=False)
    axes.locator_params(axis="x", nbins=5)
    marks = [Line2D([], [], color=PALETTE[0], marker="o", markersize=8, label=label)]
    if rows["published"].notna().any():
        marks.append(Line2D([], [], label="published", **diamond))
    if set(grey) & set(rows["row"]):
        marks.append(Line2D([], [], color="0.45", marker="s", markersize=8, label=grey_label))
    figure.legend(handles=marks, loc="outside lower center", ncols=3)
    return figure


def dots(
    rows: pandas.DataFrame,
    *,
    by: str,
    xlabel: str,
    title: str = "",
    reference: tuple[float, str] | None = None,
    panels: str = "",
    grey: str = "",
    own_ranges: bool = False,
) -> Figure:
    """Draw several series of estimates with their intervals, one line of the figure for each row, n beside it.

    Parameters
    ----------
    rows : DataFrame
        Columns ``row``, ``value``, ``low``, ``high`` and ``n``, and perhaps ``published``; the first row stands on top.
    by : str
        The column that names the series. Each has a colour and a mark of its own.
    xlabel, title : str
        What is measured, with its unit, and what is seen.
    reference : (position, label), optional
        A vertical line, such as no difference.
    panels : str
        A column each of whose values has a panel of its own, side by side: many rows become few.
    grey : str
        The series of the baselines, drawn in grey; in the middle of its lines if no other stands there.
    own_ranges : bool
        Whether each panel has a range of its own, where they show different things.

    Examples
    --------
    >>> import pandas
    >>> line = {"row": "depth 2", "over": "random", "value": 0.6, "low": 0.5, "high": 0.7, "n": 9}
    >>> figure = dots(pandas.DataFrame([line, line | {"over": "matched"}]), by="over", xlabel="points")
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['depth 2']
    """
    import matplotlib.pyplot

    names = list(dict.fromkeys(rows["row"]))
    series = [name for name in dict.fromkeys(rows[by]) if name != grey]
    alone = not set(rows["row"][rows[by] == grey]) & set(rows["row"][rows[by] != grey])
    series += [grey] if grey and not alone else []
    lines = [rows["row"], *([rows[panels]] if panels else [])]
    printed = rows.get("published", rows["value"] * float("nan")).groupby(lines, observed=True).nunique()
    own = printed.max() > 1
    lanes = [*([None] if printed.any() and not own and len(series) in (3, 5) else []), *series]  # no mark below ◇
    offsets = {name: 0.7 * ((number + 0.5) / len(lanes) - 0.5) for number, name in enumerate(lanes)}
    parts = dict(list(rows.groupby(panels, sort=False, observed=True))) if panels else {"": rows}
    size = (9.0 if panels else 7.0, 1.4 + 0.2 * bool(panels) + (0.2 + 0.17 * len(lanes)) * len(names))
    share = {"sharex": not own_ranges, "sharey": True, "squeeze": False}
    figure, every = matplotlib.pyplot.subplots(1, len(parts), figsize=size, **share)
    known = rows.dropna(subset=["value"]).reset_index(drop=True)
    together = known.groupby(by)["n"].nunique().max() <= 1  # one n for each series; else n stands beside each row
    apart = bool(panels) and not together and known.groupby(panels, observed=True)["n"].nunique().max() <= 1
    diamond = {"color": PUBLISHED, "marker": "D", "markersize": 8, "linestyle": "", "fillstyle": "none"}
    for axes, (panel, part) in zip(every[0], parts.items()):
        if reference:
            axes.axvline(reference[0], color="0.6", linewidth=1.2, linestyle="--", zorder=0, marker="")
        if panels:
            axes.set_title(f"{panel}, {_n(part.dropna(subset=['value']))}" if apart else panel, fontsize=12)
        elif reference:
            axes.text(reference[0], 1.01, reference[1], transform=axes.get_xaxis_transform(), ha="center", color="0.4")
        for number, one in enumerate([*series, grey] if grey and alone else series):
            its = part[(part[by] == one) & part["value"].notna()]
            heights = [names.index(row) + offsets.get(one, 0) for row in its["row"]]
            style = {"color": "0.45" if one == grey else PALETTE[(0, 4, 2, 3, 1)[number % 5]], "markersize": 7}
            ends = [its["value"] - its["low"], its["high"] - its["value"]]
            marker = _MARKERS[number % len(_MARKERS)]
            label = f"{one}, {_n(known[known[by] == one])}" if together and (known[by] == one).any() else str(one)
            axes.errorbar(its["value"], heights, xerr=ends, fmt=marker, label=label, linewidth=2, **style)
            for height, mark in zip(heights, its.to_dict("records")):
                note(axes, mark["value"], height, mark | {"series": one})
            if own:  # each series has published numbers of its own
                axes.plot(its["published"], heights, **diamond | {"color": style["color"]})
        if own:
            axes.plot([], [], label="published", **diamond | {"color": "0.4"})
        elif printed.any():
            its = part.drop_duplicates("row")
            heights = [names.index(row) + offsets.get(None, 0) for row in its["row"]]
            axes.plot(its["published"], heights, label="published", **diamond)
        axes.grid(axis="y", visible=False)
    for row, its in known.groupby("row") if not together and not apart else ():
        place = {"transform": axes.get_yaxis_transform(), "va": "center"}
        axes.text(1.01, names.index(row), _n(its), fontsize=10, color="0.35", **place)
    labels = [textwrap.fill(str(name), 40) for name in names]  # a long one would leave no room for the marks
    every[0, 0].set(yticks=range(len(names)), yticklabels=labels, ylim=(len(names) - 0.5, -0.5))
    for axes in every[0]:
        axes.locator_params(axis="x", nbins=5 if panels else "auto")
    what = f"{xlabel} (dashed: {reference[1]})" if reference else xlabel
    axes.set(xlabel="" if panels else xlabel)  # the panels share one line, above the legend
    figure.suptitle(title, x=0.01, ha="left")
    place = {"loc": "outside lower center", "ncols": 3 if len(series) < 4 else 2, "title": what if panels else None}
    figure.legend(*axes.get_legend_handles_labels(), title_fontsize=12, **place)
    return figure


def _n(rows: pandas.DataFrame) -> str:
    ends = sorted({rows["n"].min(), rows["n"].max()})
    return "n = " + " to ".join(f"{n:,.0f}" for n in ends)


def direct_labels(axes: Axes) -> None:
    """Write each labelled line's name at its right end, in its colour, and remove the legend.

    Parameters
    ----------
    axes : matplotlib Axes
        Lines whose label starts with "_" (matplotlib's mark for "no legend entry") stay unlabelled.

    Raises
    ------
    InputError
        There is no labelled line with a finite last point.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = Figure().subplots()
    >>> lines = axes.plot([1, 2], [3, 4], label="NDD")
    >>> direct_labels(axes)
    >>> [text.get_text() for text in axes.texts]
    ['NDD']
    """
    import numpy

    ends = []
    for line in axes.get_lines():
        x, y = (numpy.asarray(values, dtype=float) for values in line.get_data())
        finite = numpy.flatnonzero(numpy.isfinite(x) & numpy.isfinite(y))
        if not str(line.get_label()).startswith("_") and len(finite):
            ends.append((line, x[finite[-1]], y[finite[-1]]))
    if not ends:
        raise InputError("there is no labelled line to label")
    to_points = 72.0 / axes.figure.dpi
    heights = [axes.transData.transform((x, y))[1] * to_points for _, x, y in ends]
    lowest = -numpy.inf
    for index in numpy.argsort(heights, kind="stable"):
        line, x, y = ends[index]
        height = max(heights[index], lowest + _GAP)
        lowest = height
        place = {"xytext": (8, height - heights[index]), "textcoords": "offset points", "annotation_clip": False}
        axes.annotate(line.get_label(), (x, y), color=line.get_color(), va="center", ha="left", **place)
    if (legend := axes.get_legend()) is not None:
        legend.remove()


def word_strip(
    axes: Axes,
    words: Sequence[str | None],
    values: Sequence[float | None],
    *,
    highest: float,
    edited: Sequence[int] = (),
) -> None:
    """Draw a sentence as a strip of cells, one per word, shaded by a value: the darker, the higher.

    Parameters
    ----------
    axes : matplotlib Axes
    words : sequence of str
        The words, from left to right.
    values : sequence of float or None
        What shades each word's cell, at least 0; None leaves a cell white and hatched, for a word without a
        value.
    highest : float
        The value of the darkest shade, so that several strips can share one scale.
    edited : sequence of int
        Words that stand in bold, in a frame.

    Raises
    ------
    InputError
        If there is not one value for each word.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = Figure().subplots()
    >>> word_strip(axes, ["a", "cool", "rain"], [0.2, None, 0.7], highest=1.0, edited=[1])
    >>> len(axes.patches)
    3
    """
    import matplotlib
    from matplotlib.patches import Rectangle

    if len(words) != len(values):
        raise InputError(f"{len(words)} words have {len(values)} values")
    colours = matplotlib.colormaps["Blues"]
    left = 0.0
    for index, (word, value) in enumerate(zip(words, values)):
        width = 1.0 + 0.62 * len(word)
        share = 0.0 if value is None else min(1.0, value / highest if highest > 0 else 0.0)
        face = "white" if value is None else colours(0.05 + 0.85 * share)
        if index in edited:  # above the others, so that the next cell does not cover the frame
            look, weight = {"edgecolor": "0.35", "zorder": 1.5}, "bold"
        else:
            look, weight = {"edgecolor": "white", "zorder": 1, "hatch": "//" if value is None else None}, "normal"
        axes.add_patch(Rectangle((left, 0), width, 1, facecolor=face, linewidth=1.6, **look))
        style = {"ha": "center", "va": "center", "color": "white" if share > 0.6 else "black"}
        axes.text(left + width / 2, 0.62, word, fontsize=12, fontweight=weight, **style)
        if value is not None:
            axes.text(left + width / 2, 0.22, f"{value:.2f}", fontsize=9.5, **style)
        left += width
    axes.set(xlim=(-0.1, left + 0.1), ylim=(-0.05, 1.05), xticks=[], yticks=[])
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
