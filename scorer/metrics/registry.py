"""The metrics by their names: of scorer, of installed projects, and of a challenge.

An installed project names a module of metrics by an entry point of the group `scorer.metrics`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from scorer.core.errors import PluginError, UnknownName
from scorer.core.plugins import find_marked, load_module, marked_things, plugin_errors
from scorer.core.text import quoted
from scorer.metrics.api import Metric

PACKAGE = "scorer.metrics"  # of scorer's own metrics
ENTRY_POINTS = "scorer.metrics"  # the group of entry points of installed projects
# Where metrics for several kinds of challenge have one name, the first of these is meant.
KINDS_IN_ORDER = (
    *("grades", "ratings", "preferences", "boxes", "masks", "values", "frames", "labels"),
)

# The families, which are modules of scorer.metrics, and the names and aliases that each defines, so
# that only the families of a challenge's measures are imported. A test holds this against the
# modules. A name that is missing here is looked for in all of them.
FAMILIES = """
agreement: MCC Matthews PhiCoefficient Kappa CohenKappa
angles: Haversine AngularError
classes: Accuracy HammingLoss Precision Recall Sensitivity F1 fmeasure f1score FBeta Jaccard IoU
  BalancedAccuracy
concordance: NormalizedGini nGini Concordance CIndex
contests: MARp Clicks ClassRprec
correlations: R2 ExplainedVariance Pearson Spearman
curves: AUROC ROCAUC AUC pAUC AveragePrecision AP PRTrapezoids
cwl: SDCG INSQ INST BPM NERR8 NERR9 NERR10 NERR11
diversity: alpha_DCG α_DCG alpha_nDCG α_nDCG ERR_IA nERR_IA AP_IA MAP_IA P_IA NRBP nNRBP StRecall
  strec
events: EventF1 EventAP
forecasts: CRPS QuantileScore WSPL MeanPinball LaplaceLogLikelihood ERDE FLatency
gains: CG DCG nDCG ndcg_cut RBP ERR nERR iRBU Q Compat RBO
images: Dice IoU BoxAP mAP COCO BoxF1 PointF1
incomplete: Bpref InfAP Judged
novelty: CatalogueCoverage CatalogCoverage Gini Entropy ListCoverage UserCoverage Novelty
  Serendipity ILD AWRF Fmax
numbers: MAE MSE RMSE RMSLE RMSPE MAPE SMAPE Pinball QuantileLoss MedAE MedianAbsoluteError
  MaxError IntervalCoverage WRMSSE
orders: Tau Kendall KendallTau TauAP Rho Spearman SpearmanRho EDRC AccEq acc_eq AccEqCalibrated
  acc_eq_star PairwiseAccuracy
probabilities: LogLoss CrossEntropy KL KullbackLeibler Brier RCE TopK TopKAccuracy ECE
  ProbabilisticF1 pF1
ranking: P Precision precision_at R Recall recall_at Rprec RPrecision F F1 fmeasure f1score AP MAP
  map_cut average_precision RR MRR recip_rank Success HitRate Hit HR IPrec iprec_at_recall Hits
separation: AUC LRAP LWLRAP
sets: SetP set_P SetRelP set_relative_P SetR set_recall SetF set_F SetJaccard SetAP set_map NumQ
  num_q NumRel num_rel NumRet num_ret NumRelRet num_rel_ret
spans: SpanF1
tags: ChunkF1
text: ExactMatch EM TokenF1 TokenJaccard EditDistance Levenshtein WER CER ROUGE_L rougeL BLEU chrF
"""

NamedMetric = tuple[Metric, str]  # a metric, and the module or file that it comes from


class MetricRegistry:
    """All metrics of a challenge, which never change: `with_metrics` returns a wider registry.

    Args:
        added: The challenge's own metrics. Their names come before all others.
    """

    def __init__(self, added: tuple[NamedMetric, ...] = ()) -> None:
        self._added = added

    def with_metrics(self, metrics: Iterable[NamedMetric]) -> MetricRegistry:
        """Return a registry with further metrics, or raise `PluginError` if two claim a name."""
        wider = MetricRegistry((*self._added, *metrics))
        _ = wider._by_name  # so that a clash is an error now
        return wider

    def get(self, name: str) -> Metric:
        """Return the metric of a name or alias; of the first kind if several have it.

        `UnknownName` if none has.
        """
        found = self.find_all(name, every=True)
        return min(found, key=lambda metric: min(map(KINDS_IN_ORDER.index, metric.kinds)))

    def find_all(self, name: str, every: bool = False) -> tuple[Metric, ...]:
        """Return the metrics of a name; several if each is for challenges of other kinds.

        Metrics that have it as an alias are returned if none has it as its name, or, with `every`,
        behind those. `UnknownName` if no metric fits.
        """
        folded = name.casefold()
        metrics = self._metrics_called(folded)
        if not metrics:
            names = [each for metric in self for each in (metric.name, *metric.aliases)]
            raise UnknownName("metric", name, names)
        named = [metric for metric in metrics if metric.name.casefold() == folded]
        if named and not every:
            return tuple(named)
        return (*named, *(metric for metric in metrics if metric not in named))

    def origin(self, metric: Metric) -> str | None:
        """Return the module that a metric comes from; None if it is not one of these."""
        return next((origin for other, origin in self._named if other is metric), None)

    def __iter__(self) -> Iterator[Metric]:
        """In the order of their names, whatever the case."""
        metrics = (metric for metric, _ in self._named)
        return iter(sorted(metrics, key=lambda metric: metric.name.casefold()))

    @property
    def replaced(self) -> list[NamedMetric]:
        """The metrics whose name an added one has taken, and where that one comes from."""
        taken = [(metric, self._taken_by(metric, metric.name)) for metric, _ in installed_metrics()]
        return [(metric, origin) for metric, origin in taken if origin is not None]

    @cached_property
    def _named(self) -> list[NamedMetric]:
        """The metrics that can be found by their own names."""
        free = [each for each in installed_metrics() if not self._taken_by(each[0], each[0].name)]
        return [*free, *self._added]

    def _metrics_called(self, folded: str) -> Sequence[Metric]:
        """Return the metrics of a casefolded name or alias, without importing other families."""
        families = families_by_name().get(folded, ())
        if not families or self._added or installed_points():
            return self._by_name.get(folded, ())
        return [
            variant
            for family in families
            for metric in marked_things(import_module(f"{PACKAGE}.{family}"), Metric)
            for variant in metric.by_kind
            if folded in _folded_names(metric)
        ]

    @cached_property
    def _by_name(self) -> dict[str, list[Metric]]:
        """Casefolded name or alias -> its metrics, one of each kind of challenge."""
        metrics = defaultdict[str, list[Metric]](list)
        for metric, origin in self._named:
            for folded, name in _folded_names(metric).items():
                namesakes = metrics[folded]
                if self._taken_by(metric, name) or any(other is metric for other in namesakes):
                    continue
                for other in namesakes:
                    if not metric.kinds.isdisjoint(other.kinds):
                        both = f"in {self.origin(other)} and in {origin}"
                        raise PluginError(f"two metrics are called {quoted(name)}: {both}")
                namesakes.append(metric)
        return metrics

    def _taken_by(self, metric: Metric, name: str) -> str | None:
        """Return where the added metric comes from that has a name in place of `metric`, if any."""
        if any(own is metric for own, _ in self._added):
            return None
        for own, origin in self._added:
            if name.casefold() in _folded_names(own) and not metric.kinds.isdisjoint(own.kinds):
                return origin
        return None


def _folded_names(metric: Metric) -> dict[str, str]:
    """Return the name and the aliases of a metric, each by itself in small letters."""
    return {name.casefold(): name for name in (metric.name, *metric.aliases)}


@cache
def installed_metrics() -> list[NamedMetric]:
    """Return scorer's own metrics, then the metrics of installed projects."""
    metrics = dict.fromkeys(find_marked(PACKAGE, Metric))
    for point in installed_points():
        with plugin_errors(f"the plugin {point.name!r} ({point.value}) cannot be loaded"):
            loaded = point.load()
        module = loaded if isinstance(loaded, ModuleType) else import_module(point.module)
        metrics |= dict.fromkeys(marked_things(module, Metric))  # two may name one module
    return [
        (variant, metric.function.__module__) for metric in metrics for variant in metric.by_kind
    ]


@cache
def installed_points() -> tuple[EntryPoint, ...]:
    """Return the entry points by which installed projects name modules of metrics."""
    return tuple(entry_points(group=ENTRY_POINTS))


@cache
def families_by_name() -> dict[str, list[str]]:
    """Return casefolded name or alias -> the families that define a metric with it."""
    families = defaultdict[str, list[str]](list)
    for line in FAMILIES.strip().replace("\n  ", " ").splitlines():
        family, _, names = line.partition(": ")
        for folded in dict.fromkeys(names.casefold().split()):
            families[folded].append(family)
    return families


def ignored_entry_points() -> list[EntryPoint]:
    """Return what installed projects add to scorer that it does not take: all but metrics."""
    groups = entry_points().groups
    return [
        point
        for group in sorted(groups)
        if group.startswith("scorer.") and group != ENTRY_POINTS
        for point in entry_points(group=group)
    ]


def metrics_of_file(path: Path) -> list[NamedMetric]:
    """Return the metrics of a challenge's own file, with its name; `PluginError` without any."""
    metrics = list(marked_things(load_module(path), Metric))
    if not metrics:
        raise PluginError(f"the plugin {quoted(path.name)} defines no metric")
    return [(variant, path.name) for metric in metrics for variant in metric.by_kind]
