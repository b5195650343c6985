"""Metrics of texts: exact match, overlap of tokens, edits, ROUGE-L, BLEU and chrF.

A list is a question, its items are texts: in the truth the accepted answers, in the submission the
answer, which is the first text. Of several accepted texts the one that fits best counts.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.core.errors import ChallengeError
from scorer.metrics.api import metric
from scorer.metrics.parameters import Average, Relevant
from scorer.metrics.ratios import Figure, Ratio
from scorer.views.texts import Texts

BLEU_ORDERS = 4  # the lengths of n-grams are 1 to 4
PUNCTUATION = str.maketrans("", "", string.punctuation)
# The accents of Latin letters that are written as letter and mark, which is no letter for `\w`.
ACCENTS = r"\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff"
ARTICLES = rf"(?<![\w{ACCENTS}])(a|an|the)(?![\w{ACCENTS}])"
NO_LATIN_LETTER = "[^a-z0-9]+"
ZERO_WIDTH_NON_JOINER, ZERO_WIDTH_JOINER = "\u200c", "\u200d"
# sacrebleu's own words, which a notation would read as "no value"
SACREBLEU_NAMES = {"blanks": "none", "nothing": "none"}
EDIT_DIVISORS = {
    "nothing": "1",
    "truth": "length of the accepted text",
    "longer": "length of the longer text",
}
SQUAD = "Rajpurkar et al., EMNLP 2016, doi:10.18653/v1/D16-1264; SQuAD"
JIWER = "Morris, Maier and Green, Interspeech 2004, doi:10.21437/Interspeech.2004-668; jiwer"

Units = Sequence[Hashable]  # characters, or tokens
Pair = tuple[float, float]  # a numerator and a denominator
Text = TypeVar("Text")  # a text as it is compared, such as its tokens

Normalize = Annotated[
    Literal["squad", "lower", "plain"],
    Field(
        description="squad: in lower case, without punctuation, articles and further blanks; "
        "lower: in lower case; plain: unchanged. Tokens are separated by blanks."
    ),
]
Lowercase = Annotated[bool, Field(description="Whether capital letters are equal to small ones.")]
EditUnit = Annotated[
    Literal["characters", "tokens"],
    Field(description="What is inserted, deleted or replaced; tokens are separated by blanks."),
]
EditDivisor = Annotated[
    Literal["nothing", "truth", "longer"],
    Field(
        description="The length that edits are divided by: the accepted text's, or the longer's."
    ),
]
RougeTokens = Annotated[
    Literal["latin", "words"],
    Field(
        description="Runs of a to z and digits, as in rouge-score, or of the letters and digits of "
        "all scripts, with their marks."
    ),
]
BleuTokens = Annotated[
    Literal["13a", "intl", "char", "zh", "blanks"],
    Field(description="The tokenizer: mteval-v13a, international, characters, Chinese, or blanks."),
]
Smoothing = Annotated[
    Literal["exp", "floor", "add-k", "nothing"],
    Field(description="How sacrebleu counts an order of n-grams without a match."),
]
MaxCharacters = Annotated[int, Field(ge=1, le=20, description="The longest n-grams of characters.")]
MaxWords = Annotated[
    int, Field(ge=0, le=20, description="The longest n-grams of words; 2 for chrF++, 0 for none.")
]
ChrfBeta = Annotated[int, Field(ge=1, le=10, description="How many times recall counts.")]


def normalize_text(text: str, normalize: str) -> str:
    """A text in the form in which it is compared."""
    if normalize != "squad":
        return text.lower() if normalize == "lower" else text
    return " ".join(re.sub(ARTICLES, " ", text.lower().translate(PUNCTUATION)).split())


def split_tokens(text: str, normalize: str) -> list[str]:
    """The tokens of a text in the form in which it is compared."""
    return normalize_text(text, normalize).split()


def _best_pairs(
    texts: Texts,
    rel: float,
    prepare: Callable[[str], Text],
    compare: Callable[[Text, Text], Pair],
    choose: Callable[..., Pair] = max,
) -> tuple[Floats, Floats]:
    """Numerators and denominators of each list's answer, by the accepted text that fits best.

    No answer is the empty text. Where the truth accepts none, the empty text is accepted.

    Args:
        texts: The answers and the accepted texts.
        rel: The lowest grade of an accepted text.
        prepare: Makes the form of a text that is compared, such as its tokens.
        compare: Gives numerator and denominator of an answer and an accepted text.
        choose: `max` or `min` of the quotients.
    """
    pairs = np.zeros((texts.lists, 2))
    for n, (text, accepted) in enumerate(zip(texts.first(), texts.accepted(rel), strict=True)):
        answer = prepare(text or "")
        candidates = [compare(answer, prepare(each)) for each in accepted or [""]]
        pairs[n] = choose(candidates, key=lambda pair: pair[0] / max(pair[1], 1))
    return pairs[:, 0], pairs[:, 1]


def _f1_of_tokens(common: Floats, tokens: Floats) -> Ratio:
    """The F1 of twice the common tokens and the tokens of both texts."""
    formula = "2 × common / (tokens of both)"
    return Ratio(common, tokens, formula, {"2 × common": common, "tokens of both": tokens})


@metric(
    "ExactMatch",
    title="Exact match of texts",
    source=SQUAD,
    latex=r"[a \in A], \qquad a = \text{the normalized text}, \qquad A = \text{the "
    r"normalized accepted texts}",
    tools="SQuAD: exact_match (in percent)",
    aliases=("EM",),
)
def exactmatch(view: Texts, *, rel: Relevant = 1, normalize: Normalize = "squad") -> Ratio:
    """Whether the first text of a list is one of those that the truth accepts: 1 or 0.

    A list is a question, its items are texts: in the truth the accepted answers, in the submission
    the answer. As in SQuAD, texts are compared in lower case, without punctuation, articles and
    further blanks; `normalize=plain` compares them as they stand. Where no answer is accepted, none
    is right: a list of the public `lists` without truth rows, left out by the submission.

    >>> view = texts_view(("The Nile!", ["nile", "river Nile"]), ("Po", ["Rhine"]), (None, []))
    >>> exactmatch(view).values()
    array([1., 0., 1.])
    """
    prepare = partial(normalize_text, normalize=normalize)
    matches, _ = _best_pairs(view, rel, prepare, lambda text, accepted: (text == accepted, 1))
    return Ratio(matches, 1, "1 where the answer is accepted, else 0")


def _token_overlap(tokens: list[str], accepted: list[str]) -> Pair:
    """Twice the common tokens, and all tokens of both texts; of an empty text 1 or 0, and 1."""
    if not tokens or not accepted:
        return tokens == accepted, 1
    common = Counter(tokens) & Counter(accepted)
    return 2 * common.total(), len(tokens) + len(accepted)


@metric(
    "TokenF1",
    title="F1 of the tokens of texts",
    source=SQUAD,
    latex=r"\frac{2 c}{l + m}, \qquad c = \text{tokens in both, of the accepted text that "
    r"fits best}, \qquad l, m = \text{tokens of the text, and of the accepted one}",
    tools="SQuAD: f1 (in percent)",
)
def tokenf1(view: Texts, *, rel: Relevant = 1, normalize: Normalize = "squad") -> Ratio:
    """The F1 of the first text's tokens against the accepted text that it fits best.

    Texts are given as in `ExactMatch`, and are normalized as there; tokens are their words, each
    counted as often as it occurs. Where no answer is accepted, or a text has no token, it is 1 if
    both have none, else 0, as in SQuAD 2.0. F1 of classes is `F1`, F1 of chunks of tags `ChunkF1`.

    Two of the answer's three tokens are the accepted ones:

    >>> view = texts_view(("the old river Nile", ["river Nile"]))
    >>> tokenf1(view).values().round(6)  # P 2/3, R 1
    array([0.8])
    """
    prepare = partial(split_tokens, normalize=normalize)
    return _f1_of_tokens(*_best_pairs(view, rel, prepare, _token_overlap))


def _set_overlap(tokens: list[str], accepted: list[str]) -> Pair:
    """The different tokens in both texts, and those in either; 1 of 1 where neither has any."""
    both, either = set(tokens) & set(accepted), set(tokens) | set(accepted)
    return (len(both), len(either)) if either else (1, 1)


@metric(
    "TokenJaccard",
    title="Jaccard similarity of the tokens of texts",
    source="Jaccard, New Phytologist 11(2), 1912, doi:10.1111/j.1469-8137.1912.tb05611.x",
    latex=r"\frac{\lvert A \cap B \rvert}{\lvert A \cup B \rvert}, \qquad A, B = "
    r"\text{different tokens of the text, and of the accepted one}",
)
def tokenjaccard(view: Texts, *, rel: Relevant = 1, normalize: Normalize = "lower") -> Ratio:
    """The different tokens of the first text and an accepted one: common ones over all.

    Texts are given as in `ExactMatch`; tokens are separated by blanks and count once, however often
    they occur. It is 1 where both texts have no token, and where no answer is accepted and none is
    given.

    >>> view = texts_view(("so very Sad", ["sad", "so sad"]), (None, ["yes"]), ("", [""]))
    >>> tokenjaccard(view).values().round(4)  # so sad, of so very sad
    array([0.6667, 0.    , 1.    ])
    """
    prepare = partial(split_tokens, normalize=normalize)
    both, either = _best_pairs(view, rel, prepare, _set_overlap)
    formula = "tokens in both / tokens in either"
    return Ratio(both, either, formula, {"tokens in both": both, "tokens in either": either})


def edit_distance(first: Units, second: Units) -> int:
    """The fewest insertions, deletions and replacements that make one of the other.

    The rows of the table of distances are bits of whole numbers: Hyyrö, Nordic Journal of
    Computing 10(1), 2003, after Myers. Of a long and a short text the short one's are bits.
    """
    first, second = sorted((first, second), key=len)
    if not first:
        return len(second)
    positions = _position_bits(first)
    all_bits, last_bit = (1 << len(first)) - 1, 1 << len(first) - 1
    up, down, distance = all_bits, 0, len(first)
    for unit in second:
        same = positions.get(unit, 0) | down
        diagonal = ((same & up) + up ^ up) | same
        right, left = down | ~(diagonal | up), up & diagonal
        distance += bool(right & last_bit) - bool(left & last_bit)
        right = right << 1 | 1
        up, down = (left << 1 | ~(diagonal | right)) & all_bits, right & diagonal & all_bits
    return distance


def common_length(first: Units, second: Units) -> int:
    """The length of the longest common subsequence, by bits of whole numbers."""
    first, second = sorted((first, second), key=len)
    positions, all_bits = _position_bits(first), (1 << len(first)) - 1
    row = all_bits
    for unit in second:
        matched = row & positions.get(unit, 0)
        row = (row + matched | row - matched) & all_bits
    return len(first) - row.bit_count()


def _position_bits(units: Units) -> dict[Hashable, int]:
    """The positions of each unit, as bits of a whole number."""
    positions: dict[Hashable, int] = {}
    for n, unit in enumerate(units):
        positions[unit] = positions.get(unit, 0) | 1 << n
    return positions


def _edit_ratio(
    texts: Texts, rel: float, prepare: Callable[[str], Units], divisor: str = "truth"
) -> Ratio:
    """The edits of each list's answer over a length.

    A list whose accepted text is empty has the value of length 1, as in jiwer; in a pooled value
    its length is 0, and its edits count with the others'.
    """

    def compare(answer: Units, accepted: Units) -> Pair:
        longer = max(len(answer), len(accepted))
        lengths = {"nothing": 1, "truth": len(accepted), "longer": longer}
        return edit_distance(answer, accepted), lengths[divisor]

    edits, length = _best_pairs(texts, rel, prepare, compare, min)
    name = EDIT_DIVISORS[divisor]
    return Ratio(edits, length, f"edits / {name}", {"edits": edits, name: length}, empty=edits)


@metric(
    "EditDistance",
    title="Edit distance of texts",
    source="Levenshtein, Soviet Physics Doklady 10(8), 1966",
    latex=r"D, \qquad D = \text{fewest edits from the text to the nearest accepted one}",
    tools="rapidfuzz: Levenshtein.distance",
    aliases=("Levenshtein",),
    range=(0, None),
    better="lower",
)
def editdistance(
    view: Texts,
    *,
    rel: Relevant = 1,
    unit: EditUnit = "characters",
    over: EditDivisor = "nothing",
    normalize: Normalize = "plain",
) -> Ratio:
    """The fewest insertions, deletions and replacements that make the first text an accepted one.

    Texts are given as in `ExactMatch`; a list without an answer has the empty text. `over=truth`
    divides by the length of the accepted text, 1 at least, and can be above 1; `over=longer` by the
    length of the longer text, and cannot. With `average=pooled` the edits of all lists are divided
    by their lengths together. `WER` and `CER` are of words and characters, pooled.

    >>> view = texts_view(("kitten", ["sitting", "site"]), ("Nile", ["Nil"]))
    >>> editdistance(view).values()  # site: k, second t, n
    array([3., 1.])
    >>> editdistance(view, over="truth").pooled()  # (3 + 1) / (7 + 3)
    0.4
    """
    prepare = partial(split_tokens if unit == "tokens" else normalize_text, normalize=normalize)
    return _edit_ratio(view, rel, prepare, over)


@metric(
    "WER",
    title="Word error rate",
    source=JIWER,
    latex=r"\frac{D}{M}, \qquad D = \text{fewest edits of words}, \qquad M = "
    r"\text{words of the accepted texts}",
    tools="jiwer: wer",
    range=(0, None),
    better="lower",
    undefined="the accepted texts have no word",
    pooling="default",
)
def wer(view: Texts, *, rel: Relevant = 1, normalize: Normalize = "plain") -> Ratio:
    """The edits of words over the words of the accepted texts, of all lists together.

    It is 0 for a perfect transcript, and above 1 where more is inserted than there is.
    `average=lists` is the mean of each list's rate. Texts are given as in `ExactMatch`; words are
    separated by blanks and compared unchanged: jiwer's defaults. It is `EditDistance(unit=tokens,
    over=truth, average=pooled)`.

    >>> wer(texts_view(("the cat sat", ["the cat sat down"]), ("no", ["yes"]))).pooled()  # 2 / 5
    0.4
    """
    return _edit_ratio(view, rel, partial(split_tokens, normalize=normalize))


@metric(
    "CER",
    title="Character error rate",
    source=JIWER,
    latex=r"\frac{D}{M}, \qquad D = \text{fewest edits of characters}, \qquad "
    r"M = \text{characters of the accepted texts}",
    tools="jiwer: cer",
    range=(0, None),
    better="lower",
    undefined="the accepted texts have no character",
    pooling="default",
)
def cer(view: Texts, *, rel: Relevant = 1, normalize: Normalize = "plain") -> Ratio:
    """The edits of characters over the characters of the accepted texts, of all lists together.

    As `WER`, of characters; blanks at the ends of a text do not count, as in jiwer.

    >>> round(cer(texts_view(("kitten", ["sitting"]), ("no ", ["no"]))).pooled(), 6)  # 3 / (7 + 2)
    0.333333
    """
    return _edit_ratio(view, rel, lambda text: normalize_text(text, normalize).strip())


def _subsequence_overlap(tokens: Units, accepted: Units) -> Pair:
    """Twice the length of the longest common subsequence, and all tokens of both texts."""
    return 2 * common_length(tokens, accepted), len(tokens) + len(accepted)


@lru_cache(maxsize=10_000)
def _is_in_word(character: str) -> bool:
    """Whether a character is part of a word.

    That is a letter, a digit or _; a mark on a letter, such as an accent or the sign of a vowel; or
    a joiner, which says how letters are written together.
    """
    if character.isalnum() or character in ("_", ZERO_WIDTH_NON_JOINER, ZERO_WIDTH_JOINER):
        return True
    return unicodedata.category(character) in ("Mn", "Mc", "Me")


def _split_rouge_tokens(text: str, tokens: str) -> list[str]:
    """The tokens of a text in small letters, as `RougeTokens` says."""
    if tokens == "words":
        return "".join(c if _is_in_word(c) else " " for c in text.lower()).split()
    return re.sub(NO_LATIN_LETTER, " ", text.lower()).split()


@metric(
    "ROUGE_L",
    title="ROUGE-L: F1 of the longest common subsequence",
    source="Lin, Text Summarization Branches Out, ACL 2004; rouge-score",
    latex=r"\frac{2 c}{l + m}, \qquad c = \text{length of the longest common subsequence of "
    r"tokens}, \qquad l, m = \text{tokens of the text, and of the accepted one}",
    tools="rouge-score: rougeL",
    aliases=("rougeL",),
)
def rouge_l(view: Texts, *, rel: Relevant = 1, tokens: RougeTokens = "latin") -> Ratio:
    """F1 of the longest sequence of tokens that is in the first text and in an accepted one.

    Its tokens have the same order in both texts; others may come between them. Texts stand as in
    `ExactMatch`. As rouge-score's rougeL without a stemmer; `rougeLsum`, which splits texts at line
    ends, is another measure. It is 0 where a text has no token.

    >>> view = texts_view(("The cat is on the mat.", ["The cat sat on a mat"]))
    >>> rouge_l(view).values().round(4)  # the cat on mat: 2 * 4 / (6 + 6)
    array([0.6667])
    """
    prepare = partial(_split_rouge_tokens, tokens=tokens)
    common, count = _best_pairs(view, rel, prepare, _subsequence_overlap)
    return _f1_of_tokens(common, np.maximum(count, 1))


def _import_sacrebleu(name: str) -> Any:
    """The module with sacrebleu's metrics; `ChallengeError` if the package is missing."""
    try:
        from sacrebleu import metrics
    except ImportError:
        message = f"{name} needs the package sacrebleu: pip install 'challenge-scorer[text]'"
        raise ChallengeError(message) from None
    return metrics


def _bleu(columns: Mapping[str, Any], row_weight: Floats, *, smooth: str, effective: bool) -> float:
    counts = (columns["counts"] * row_weight[:, None]).sum(axis=0)
    length, reference_length, *n_grams = counts.tolist()
    score = _import_sacrebleu("BLEU").BLEU.compute_bleu(
        n_grams[:BLEU_ORDERS],
        n_grams[BLEU_ORDERS:],
        int(length),
        int(reference_length),
        SACREBLEU_NAMES.get(smooth, smooth),
        None,
        effective,
    )
    return float(score.score)


@metric(
    "BLEU",
    title="BLEU",
    source="Papineni et al., ACL 2002, doi:10.3115/1073083.1073135; Post, WMT 2018; sacrebleu",
    latex=r"100 \cdot \min(1, e^{1 - \frac{M}{l}}) \prod_{j=1}^{4} "
    r"\left(\frac{m_j}{t_j}\right)^{\frac{1}{4}}, \qquad l, M = \text{tokens of the "
    r"texts, and of the accepted ones}, \qquad m_j = \text{n-grams of } j \text{ "
    r"tokens that are in both}, \qquad t_j = \text{n-grams of } j \text{ tokens of "
    r"the texts}",
    tools="sacrebleu: corpus_bleu",
    range=(0, 100),
    pooling="default",
)
def bleu(
    view: Texts,
    *,
    rel: Relevant = 1,
    average: Average = "pooled",
    tokenize: BleuTokens = "13a",
    lowercase: Lowercase = False,
    smooth: Smoothing = "exp",
) -> Figure:
    """The n-grams that the texts have in common with the accepted ones, of one to four words.

    sacrebleu's value, of 0 to 100; its package is in the extra `text`. The matches of all lists are
    added up, and make one value. `average=lists` is the mean of the lists' values, which count no
    order of n-grams that a text is too short for. All accepted texts of a list are its references.
    It is 0 where nothing matches.

    >>> view = texts_view(("the cat sat on the mat", ["the cat is on the mat"]))
    >>> round(bleu(view).pooled(), 6)
    37.991784
    """
    sacrebleu = _import_sacrebleu("BLEU").BLEU(
        tokenize=SACREBLEU_NAMES.get(tokenize, tokenize),
        lowercase=lowercase,
        effective_order=True,
        force=True,
    )
    rows = []
    for text, accepted in zip(view.first(), view.accepted(rel), strict=True):
        score = sacrebleu.sentence_score(text or "", accepted or [""])
        rows.append([score.sys_len, score.ref_len, *score.counts, *score.totals])
    counts = np.array(rows, dtype=np.float64).reshape(-1, 2 + 2 * BLEU_ORDERS)
    return Figure(
        partial(_bleu, smooth=smooth, effective=average == "lists"),
        {"counts": counts},
        np.arange(view.lists),
        formula="brevity penalty × geometric mean of matches / n-grams",
    )


def _chrf(
    columns: Mapping[str, Any], row_weight: Floats, *, characters: int, words: int, beta: int
) -> float:
    counts = (columns["counts"] * row_weight[:, None]).sum(axis=0)
    sacrebleu = _import_sacrebleu("chrF").CHRF(characters, words, beta)
    return float(sacrebleu._compute_f_score(counts.tolist()))


@metric(
    "chrF",
    title="chrF: F of n-grams of characters",
    source="Popović, WMT 2015, doi:10.18653/v1/W15-3049; sacrebleu",
    latex=r"100 \cdot \frac{(1 + \beta^2) P Q}{\beta^2 P + Q}, \qquad P = \text{mean over "
    r"the lengths of n-grams of their precision}, \qquad Q = \text{mean of their "
    r"recall}",
    tools="sacrebleu: corpus_chrf",
    range=(0, 100),
    pooling="default",
)
def chrf(
    view: Texts,
    *,
    rel: Relevant = 1,
    average: Average = "pooled",
    characters: MaxCharacters = 6,
    words: MaxWords = 0,
    beta: ChrfBeta = 2,
    lowercase: Lowercase = False,
) -> Figure:
    """F of the n-grams of characters that the texts and the accepted ones have in common.

    sacrebleu's value, of 0 to 100; its package is in the extra `text`. The n-grams of all lists are
    added up, and make one value. `average=lists` is the mean of the lists' values. `words=2` is
    chrF++. Of several accepted texts the one that fits best counts. Blanks count for nothing.

    >>> view = texts_view(("the cat sat on the mat", ["the cat is on the mat"]))
    >>> round(chrf(view).pooled(), 6)
    64.577942
    """
    sacrebleu = _import_sacrebleu("chrF").CHRF(characters, words, beta, lowercase)
    rows = [
        sacrebleu._extract_corpus_statistics([text or ""], [[each] for each in accepted or [""]])[0]
        for text, accepted in zip(view.first(), view.accepted(rel), strict=True)
    ]
    return Figure(
        partial(_chrf, characters=characters, words=words, beta=beta),
        {"counts": np.array(rows, dtype=np.float64).reshape(-1, 3 * sacrebleu.order)},
        np.arange(view.lists),
        formula="F of the mean precision and the mean recall of n-grams",
    )
