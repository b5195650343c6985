"""EvalAI's validator of a challenge's configuration: CHECKOUT BUNDLE.zip.

Theirs: validate_challenge_config_util, and the unpacking of archives. Stood in for: the database,
and the serializers, of which the lengths of titles and names remain.
"""

import ast
import os
import sys
import tempfile
import types
import zipfile
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from standin import kind, module, package, told

checkout, bundle = map(Path, sys.argv[1:])
apps = checkout / "apps"
settings.configure(USE_TZ=True)


class Serializer:
    def __init__(self, data, context=None):
        self.errors = {
            key: "longer than 100 characters"
            for key in ("title", "name", "codename")
            if len(str(data.get(key, ""))) > 100
        }

    def is_valid(self):
        return not self.errors


package("base", apps / "base")
package("challenges", apps / "challenges")
domains = (("CV", "Computer Vision"), ("NLP", "Natural Language Processing"))
models = ("Challenge", "ChallengePhase", "ChallengePhaseSplit", "DatasetSplit", "Leaderboard")
module("challenges.models", **{name: kind(DOMAIN_OPTIONS=domains) for name in models})
serializers = ("ChallengePhaseCreate", "DatasetSplit", "Leaderboard", "ZipChallengePhaseSplit",
               "ZipChallenge")  # fmt: skip
module("challenges.serializers", **{f"{name}Serializer": Serializer for name in serializers})

# of their utilities the three that the validator takes; the others import a cloud's client
wanted = {"get_missing_keys_from_dict", "get_file_content", "read_file_data_as_content_file"}
tree = ast.parse((apps / "challenges" / "utils.py").read_text())
tree.body = [node for node in tree.body if getattr(node, "name", None) in wanted]
utilities = module("challenges.utils", os=os, ContentFile=ContentFile)
exec(compile(tree, "challenges/utils.py", "exec"), utilities.__dict__)

from challenges.challenge_config_utils import (  # noqa: E402
    extract_zip_file,
    validate_challenge_config_util,
)

with tempfile.TemporaryDirectory() as folder:
    extract_zip_file(str(bundle), "r", os.path.join(folder, "bundle"))
    request = types.SimpleNamespace(data={"GITHUB_REPOSITORY": ""})
    with zipfile.ZipFile(bundle) as archive:
        errors, said, files = validate_challenge_config_util(
            request, 1, folder, "bundle", archive, None
        )
told(errors=errors, files=sorted(files))
