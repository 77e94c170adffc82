"""Every chapter runs from top to bottom where there is no GPU, in a fresh process."""

import pytest

from warpbook.recording import chapters as recording


def outputs(notebook):
    """The outputs of a notebook's code cells, each as (kind, text)."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            yield output.output_type, output.get("name", ""), text


@pytest.fixture(scope="module", params=recording.chapters(), ids=lambda path: path.stem)
def executed(request):
    return recording.execute(request.param, emulated=True)


def test_runs_and_warns_of_nothing(executed):
    notebook, _ = executed
    assert [text for _, name, text in outputs(notebook) if name == "stderr"] == []


def test_measures_no_time(executed):
    """Nothing reaches the results, and every claim either holds by counting or needs a GPU."""
    notebook, rows = executed
    claims = [text for _, _, text in outputs(notebook) if text.startswith("Claim (")]
    assert rows == []
    assert claims and all(text.startswith(("Claim (holds)", "Claim (needs a GPU)")) for text in claims)
