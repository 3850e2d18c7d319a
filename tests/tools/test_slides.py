"""Slides: each notebook's answer and each of its figures, with a sentence."""

import slides

from nbhelpers.runner.parameters import load_registry


def test_every_answer_and_every_figure_has_a_slide():
    made = slides.slides()
    figures = [path.stem for path in (slides.ROOT / "figures").glob("*.svg")]
    assert len(made) == len(load_registry()) + len(figures)
    assert all(any(f"figures/{name}.svg" in one for one in made) for name in figures)
    assert min(len(one.split("<p>")[1]) for one in made) > 30
