"""Export a project's data to a folder: check it, then write the requested files."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from labgen.checks.accepted import without_accepted
from labgen.export.parquet import write_parquet
from labgen.export.sqlite_file import write_database
from labgen.export.table_rows import ExportSelection
from labgen.export.text_files import TEXT_FORMS, Data, File
from labgen.memory.database import Memory
from labgen.memory.remembered_laboratories import count
from labgen.output.errors import OutputError, as_output_error
from labgen.output.file_system import new_folder
from labgen.pipeline.exported_data import exported_data
from labgen.pipeline.load_data import Source, SourceChangedError, load
from labgen.pipeline.load_project import temporary_memory
from labgen.pipeline.rebuild import compare_files
from labgen.pipeline.result import Outcome
from labgen.problems.problem import count_errors
from labgen.problems.text import say
from labgen.system.input_files import find_inputs
from labgen.system.progress import Progress, silent
from labgen.system.workers import cores

DATABASE = "laboratories.sqlite"


class Export(NamedTuple):
    """The result of an export: the problems of the data and, if it has no error, the names of the files."""

    outcome: Outcome
    files: tuple[str, ...] = ()


def export(
    root: Path, folder: Path, forms: Collection[str], what: ExportSelection, progress: Progress = silent
) -> Export:
    """Write a project's data into a new folder, in the formats `forms`. Raises `OutputError`."""
    with temporary_memory() as memory:
        source = load(root, compare_files(find_inputs(root), {}), memory, jobs=cores(), progress=progress)
        site = source.shared.site
        problems = without_accepted(source.problems, site.accept) if site else source.problems
        if site is None or count_errors(problems):
            return Export(Outcome(root, problems))
        try:
            with _exported(folder):
                files = [
                    name
                    for form in FORMS
                    if form in forms
                    for name in _write(form, folder, source, memory, what)
                ]
        except SourceChangedError as error:
            return Export(Outcome(root, [*problems, error.problem]))
        return Export(Outcome(root, problems, count(memory)), tuple(files))


@contextmanager
def _exported(folder: Path) -> Iterator[None]:
    """Make a folder for the files of an export; one that fails leaves none."""
    with as_output_error(folder, say("nothing was kept")), new_folder(folder):
        if any(folder.iterdir()):
            raise OutputError(say("{folder} is not empty", folder=folder), say("name a new folder"))
        try:
            yield
        except BaseException:
            for file in folder.iterdir():
                file.unlink()
            raise


def _write(form: str, folder: Path, source: Source, memory: Memory, what: ExportSelection) -> list[str]:
    return FORMS[form](folder, exported_data(source, memory), what)


def _text_writer(form: str) -> Callable[[Path, Data, ExportSelection], list[str]]:
    def write(folder: Path, data: Data, what: ExportSelection) -> list[str]:
        return [_written(folder, file) for file in TEXT_FORMS[form](data, what)]

    return write


def _written(folder: Path, file: File) -> str:
    (folder / file.name).write_bytes(file.data)
    return file.name


def _write_database(folder: Path, data: Data, what: ExportSelection) -> list[str]:
    write_database(folder / DATABASE, data, what)
    return [DATABASE]


def _write_parquet(folder: Path, data: Data, what: ExportSelection) -> list[str]:
    try:
        return write_parquet(folder, data, what)
    except ImportError:
        message = say("Parquet cannot be written: the package pyarrow is not installed")
        raise OutputError(message, "pip install 'labgen[parquet]'") from None


FORMS: dict[str, Callable[[Path, Data, ExportSelection], list[str]]] = {
    **{form: _text_writer(form) for form in TEXT_FORMS},
    "sqlite": _write_database,
    "parquet": _write_parquet,
}
"""The functions that write the files of each format, by the name of the format."""
