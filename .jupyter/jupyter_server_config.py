"""Settings of `make lab`: it starts as root, too, as in a container; saving a notebook that nobody changed leaves its
file as it is.
"""

import json
from pathlib import Path


def keep_language(model, path, contents_manager, **_):
    """Keep the Python version that stands in the file: the one of this machine is no change of the notebook."""
    file = Path(contents_manager.root_dir, path)
    if model["type"] == "notebook" and file.is_file():
        known = json.loads(file.read_text(encoding="utf-8")).get("metadata", {}).get("language_info")
        if known:
            model["content"]["metadata"]["language_info"] = known


c.FileContentsManager.pre_save_hook = keep_language  # noqa: F821  (Jupyter provides c)
c.ServerApp.allow_root = True  # noqa: F821
