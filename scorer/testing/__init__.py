"""Tests of metrics, and what they look at: for scorer's own metrics, examples and plug-ins.

    from scorer.testing import cases, judged_view, laws

    def test_my_metric():
        laws(my_metric, k=3)                    # lists that hypothesis makes
        cases("my_metric.yaml", my_metric)      # worked ones
        view = judged_view((["a", "x"], {"a": 1}))
        assert my_metric(view, k=1).values() == [1]

`scorer.testing.assertions` says what laws and cases are, `scorer.testing.views` what makes views.
"""

from scorer.testing.assertions import cases as cases
from scorer.testing.assertions import laws as laws
from scorer.testing.assertions import no_gain as no_gain
from scorer.testing.views import boxes_view as boxes_view
from scorer.testing.views import diverse_view as diverse_view
from scorer.testing.views import further_columns as further_columns
from scorer.testing.views import judged_view as judged_view
from scorer.testing.views import labelled_view as labelled_view
from scorer.testing.views import masks_view as masks_view
from scorer.testing.views import position_table as position_table
from scorer.testing.views import preferred_view as preferred_view
from scorer.testing.views import ratings_view as ratings_view
from scorer.testing.views import returned_view as returned_view
from scorer.testing.views import scored_view as scored_view
from scorer.testing.views import targets_view as targets_view
from scorer.testing.views import texts_view as texts_view
