"""Interactive cells: a reader types text and sees a result. They stay silent when a notebook runs headlessly."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nbhelpers.base.errors import NbhelpersError
from nbhelpers.base.paths import is_headless


def try_it(function: Callable[..., None], fields: Mapping[str, str], *, button: str = "Show") -> None:
    """Show text fields and a button; a click calls `function` with the fields' texts and shows what it displays.

    Parameters
    ----------
    function : callable
        Takes one string per field, in order, and prints or displays a result. Errors of nbhelpers are shown as their
        one sentence.
    fields : mapping of str to str
        Label of each text field and its first text.
    button : str
        What the button says.
    """
    if is_headless():
        print("Interactive: open this notebook in JupyterLab to try your own text.")
        return
    import ipywidgets
    from IPython.display import display

    boxes = [
        ipywidgets.Text(
            value=text, description=label, layout=ipywidgets.Layout(width="95%"), style={"description_width": "9em"}
        )
        for label, text in fields.items()
    ]
    click, output = ipywidgets.Button(description=button, button_style="primary"), ipywidgets.Output()

    def run(_=None) -> None:
        output.clear_output(wait=True)
        with output:
            try:
                function(*(box.value for box in boxes))
            except NbhelpersError as error:
                print(error)

    click.on_click(run)
    display(ipywidgets.VBox([*boxes, click, output]))
    run()
