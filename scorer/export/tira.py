"""TIRA: an evaluator's image and command, and the front matter of the dataset's page."""

from __future__ import annotations

from scorer.export.base import (
    Bundle,
    ExportContext,
    bridge_files,
    derived_image,
    format_yaml,
    in_folder,
    unsupported_features,
)

SUPPORTED = {"phases"}  # of the features that a platform may lack
COMMAND = "python3 /opt/app/bridge.py $inputDataset $inputRun $outputDir"
DOCKERFILE = """FROM {image}
USER root
COPY bridge.py bridge.json /opt/app/
USER 1000
ENTRYPOINT []
"""


def export_tira(context: ExportContext) -> Bundle:
    """Return the evaluator's folder, the truths, and the dataset's page."""
    image = derived_image(context.image, "tira")
    files = bridge_files(context, "tira", "evaluation.prototext", context.splits[-1:], stdout=True)
    files["Dockerfile"] = DOCKERFILE.format(image=context.image).encode()
    files |= in_folder("truths", context.files)
    configuration = {
        "tira_configs": {
            "resolve_inputs_to": ".",
            "resolve_truths_to": "truths",
            "evaluator": {"image": image, "command": COMMAND},
        }
    }
    page = f"# {context.title}\n\n{context.challenge.description or ''}\n"
    files["tira.md"] = b"---\n" + format_yaml(configuration) + b"---\n\n" + page.encode()
    files["kit.zip"] = context.kit
    return Bundle(
        files,
        unsupported=unsupported_features(context, SUPPORTED),
        next_steps=(
            "build the evaluator's image in the bundle's folder:",
            f"  docker build -t {image} .",
            "register it with this command:",
            f"  {COMMAND}",
            "truths/ is the dataset's truth",
        ),
    )
