"""WordNet's own file format, for tests."""

from pathlib import Path


def write_wordnet(folder: Path, synsets: dict[str, list[str]], exceptions: dict[str, str]) -> Path:
    """A WordNet of these synsets (words, with blanks) by kind of file, without `lexnames`, as Debian ships it."""
    folder.mkdir(parents=True)
    (folder / "cntlist.rev").write_text("")
    for name, rows in synsets.items():
        tag = {"adv": "r"}.get(name, name[0])
        data, places = "  1 The licence stands here.\n", {}
        for words in map(str.split, rows):
            for word in words:
                places.setdefault(word.partition("(")[0], []).append(f"{len(data):08}")
            listed = " ".join(f"{word} 0" for word in words)
            data += f"{len(data):08} 06 {tag} {len(words):02x} {listed} 000 {'00 ' * (tag == 'v')}| what it means\n"
        index = (f"{w} {tag} {len(at)} 0 {len(at)} 0 {' '.join(at)}\n" for w, at in sorted(places.items()))
        (folder / f"data.{name}").write_text(data)
        (folder / f"index.{name}").write_text("".join(index))
        (folder / f"{name}.exc").write_text(exceptions.get(name, ""))
    return folder
