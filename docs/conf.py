"""Sphinx: the pages that tools/pages.py wrote become a site that asks nothing of a network (make docs, make site)."""

import os
import sys
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert
from myst_nb.core.render import NbElementRenderer

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

project = "Does an edited text still mean the same?"
html_title = "Same meaning?"
language = "en"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_nb", "sphinx_design"]
include_patterns = ["*.md", "api/*.md", "api/*.rst", "docs/*.md", "notebooks/*.ipynb", "data/**.md"]

# Pages and notebooks. Notebooks are shown as they were executed, not executed again.
nb_execution_mode = "off"
nb_ipywidgets_js = {}  # the widgets of notebooks would be fetched from a network
nb_merge_streams = True
nb_code_prompt_show, nb_code_prompt_hide = "Show the code", "Hide the code"
myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = [
    "myst.header",  # a notebook may go from a title to a third level
    "ref.python",  # a type that is imported for annotations only; two rooms have a Sentence
]

# API pages
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_ivar = True  # attributes in one list
napoleon_use_param = False  # types are words ("float array, (n,)"), no links
napoleon_use_rtype = False
python_maximum_signature_line_length = 88
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_baseurl = os.environ.get("SITE_URL", "")  # what a shared link's picture needs
html_static_path = [str(ROOT / name) for name in ("docs/site", "build/static", "build/pages/static")]
html_static_path = [name for name in html_static_path if Path(name).is_dir()]
html_css_files = ["site.css"]
html_favicon = str(ROOT / "docs" / "site" / "icon.svg")
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_show_search_summary = False  # summaries would be fetched, which browsers refuse for pages in the file system
html_math_renderer = "mathml"


def _show_math(self, node: nodes.Element) -> None:
    """Write a formula as MathML, which browsers show without a script."""
    block = isinstance(node, nodes.math_block)
    formula = convert(node.astext(), display="block" if block else "inline")
    self.body.append(f'<div class="math" tabindex="0">{formula}</div>' if block else formula)
    raise nodes.SkipNode


def _render_image(self: NbElementRenderer, data, plain=NbElementRenderer.render_image) -> list[nodes.Element]:
    """An image of a notebook, with the text that stands for it."""
    images = plain(self, data)
    for image in images:
        image["alt"] = data.output_metadata.get(data.mime_type, {}).get("alt", "")
    return images


NbElementRenderer.render_image = _render_image


def _skip_imported(app, what, name, found, skip, options):
    """Functions of other packages are no part of a module that imports them."""
    module = getattr(found, "__module__", None)
    return True if isinstance(module, str) and not module.startswith("nbhelpers") and what == "module" else None


def _trim(app, pagename, templatename, context, doctree):
    """What a page loads: its own scripts, styles of notebooks only there, images as they come into view."""
    tables, exercises = ["element.js", "tables.js"], ["element.js", "exercises-data.js", "exercises.js"]
    scripts = {"index": ["element.js", "box.js"], "leaderboard": tables, "claims": tables}
    for name in scripts.get(pagename, exercises if pagename.startswith("notebooks/") else []):
        app.add_js_file(name, loading_method="defer")
    unused = ("design-tabs",) if pagename.startswith("notebooks/") else ("design-tabs", "mystnb")
    for kind in ("css_files", "script_files"):
        context[kind] = [one for one in context[kind] if not any(name in str(one.filename) for name in unused)]
    context["body"] = context.get("body", "").replace("<img ", '<img loading="lazy" ')
    picture = f"{html_baseurl}_static/preview.png"
    context["metatags"] = f'{context.get("metatags", "")}<meta property="og:image" content="{picture}" />'
    tree = context.get("furo_navigation_tree", "")  # a heading needs a level
    context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app) -> None:
    app.connect("html-page-context", _trim, priority=900)  # after the theme
    app.add_html_math_renderer("mathml", inline_renderers=(_show_math, None), block_renderers=(_show_math, None))
    app.connect("autodoc-skip-member", _skip_imported)
