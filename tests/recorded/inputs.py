"""The files whose values are recorded, drawn with seeds: truths, what stands beside, submissions.

Of Python's own generator, whose numbers are the same in every version and on every machine.
"""

from itertools import pairwise
from random import Random

LONG = [f"l{n:02}" for n in range(1, 33)]
LISTS = [f"q{n}" for n in range(1, 13)]
ITEMS = [f"i{n:02}" for n in range(1, 19)]
TEAMS = ["ann", "bob", "cyd"]
STRANGERS = ["unheard", "of"]  # items that no truth has
ROWS = [f"r{n:02}" for n in range(1, 41)]
CLASSES = ["ant", "bee", "cat"]
WORDS = ["the", "a", "Nile", "nile,", "river", "flows", "North", "north.", "of", "U.S.", "2", "two"]


def rows(header, lines):
    return "\n".join([header, *lines]) + "\n"


def some(rng, values, least, most):
    """Between `least` and `most` of the values, in random order."""
    return rng.sample(values, rng.randint(least, most))


def truth_files():
    """Name to text: everything that a challenge may name."""
    rng = Random(20260101)
    files = {}
    grades = [-1, 0, 0.5, 1, 1, 2, 2, 3]
    files["truth.csv"] = rows(
        "list,item,grade",
        [
            f"{name},{item},{rng.choice(grades if name != 'q5' else [-1, 0])}"
            for name in LISTS
            for item in some(rng, ITEMS, 3, 12)
        ],
    )
    files["order.csv"] = rows(
        "list,item,grade",
        [
            f"{name},{item},{grade}"
            for name in LISTS
            for grade, item in enumerate(some(rng, ITEMS, 2, 10))
        ],
    )
    files["subtopics.csv"] = rows(
        "list,subtopic,item,grade",
        [
            f"{name},{subtopic},{item},{rng.choice([-1, 0, 1, 1, 2])}"
            for name in LISTS
            for item in some(rng, ITEMS, 4, 12)
            for subtopic in some(rng, ["s1", "s2", "s3", "s4"], 1, 3)
        ],
    )
    files["items.csv"] = rows(
        "item,users,x,y,group,ic",
        [
            f"{item},{rng.randint(0, 9)},{rng.randint(0, 3)},{rng.randint(1, 3)},"
            f"{'|'.join(some(rng, ['new', 'old', 'odd'], 1, 2))},{rng.randint(1, 40) / 8}"
            for item in [*ITEMS, *STRANGERS]
        ],
    )
    files["lists.csv"] = rows(
        "list,scale,weight,group",
        [
            f"{name},{rng.randint(1, 8) / 2},{rng.randint(1, 9)},{rng.choice(['new', 'old'])}"
            for name in LISTS
        ],
    )
    files["history.csv"] = rows(
        "list,item", [f"{name},{item}" for name in LISTS for item in some(rng, ITEMS, 0, 3)]
    )
    files["likelihood.csv"] = rows(
        "list,better,worse,probability",
        [f"{name},{ITEMS[0]},{ITEMS[k]},{rng.randint(0, 8) / 8}" for name in LISTS for k in (1, 2)],
    )
    files["ratings.csv"] = rows(
        "list,item,rating,latitude,longitude",
        [
            f"{name},{item},{rng.randint(2, 10) / 2},{rng.randint(-9, 9) * 9},"
            f"{rng.randint(-170, 170)}"
            for name in LISTS
            for item in some(rng, ITEMS, 1, 7)
        ],
    )
    pairs = []
    for name in LISTS:
        order = some(rng, ITEMS[:8], 3, 6)
        pairs += [f"{name},{a},{b}" for a, b in pairwise(order)]
    files["pairs.csv"] = rows("list,better,worse", pairs)
    files["classes.csv"] = rows("list,label", [f"{row},{rng.choice(CLASSES)}" for row in ROWS])
    files["events.csv"] = rows("list,label", [f"{row},{rng.choice('0001')}" for row in ROWS])
    files["numbers.csv"] = rows(
        "list,target,zenith,longitude,event,group,weight",
        [
            f"{row},{rng.randint(1, 64) / 4},{rng.randint(0, 12) / 4},{rng.randint(-12, 12) / 4},"
            f"{rng.randint(0, 1)},{rng.choice('xyz')},{rng.randint(1, 5)}"
            for row in ROWS
        ],
    )
    files["texts.csv"] = rows(
        "list,item,grade",
        [
            f'{name},"{text}",{rng.choice([1, 2])}'
            for name in LISTS
            for text in sorted({sentence(rng, 2) for _ in range(rng.randint(1, 3))})
        ],
    )
    files["tags.csv"] = rows(
        "list,item,tag", [f"{name},{n},{tag(rng)}" for name in LISTS for n in range(1, 9)]
    )
    spans = [
        (name, kind, start, start + rng.randint(1, 4))
        for name in LISTS
        for kind, start in zip("ABBA", rng.sample(range(30), 4), strict=True)
    ]
    files["spans.csv"] = rows("list,item,type", [f"{n},{a} {b},{kind}" for n, kind, a, b in spans])
    files["typed.csv"] = rows("list,item", [f"{n},{kind} {a} {b}" for n, kind, a, b in spans])
    files["word_spans.csv"] = rows("list,item", word_spans(rng))
    files["masks.csv"] = rows("list,runs", [f"{row},{runs(rng)}" for row in ROWS[:20]])
    files["boxes.csv"] = rows("list,found", [f"{row},{boxes(rng, '{kind} {box}')}" for row in ROWS])
    files.update(long_files())
    return files


def long_files():
    """A truth of lists with groups, users and years, for boards whose tests can tell apart."""
    rng = Random(20260102)
    files = {}
    files["long.csv"] = rows(
        "list,item,grade",
        [
            f"{name},{item},{rng.choice([0, 0, 1, 1, 2, 3])}"
            for name in LONG
            for item in some(rng, ITEMS, 4, 9)
        ],
    )
    files["long_lists.csv"] = rows(
        "list,group,user,year,weight",
        [
            f"{name},{rng.choice(['north', 'south', 'west'])},u{rng.randint(1, 12)},"
            f"{rng.randint(2001, 2005)},{rng.randint(1, 9)}"
            for name in LONG
        ],
    )
    files["long_folds.csv"] = rows(
        "list,fold", [f"{name},{1 + n % 4}" for n, name in enumerate(LONG)]
    )
    return files


def sentence(rng, least=0):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(least, 7))).replace('"', "")


def tag(rng):
    mark = rng.choice("BIOSE")
    return mark if mark == "O" else f"{mark}-{rng.choice(['PER', 'LOC'])}"


def word_spans(rng):
    found = {}
    for name in LISTS:
        for _ in range(3):
            first, length = rng.randint(0, 20), rng.randint(1, 4)
            numbers = " ".join(str(n) for n in range(first, first + length))
            found[f"{name},{rng.choice('AB')} {numbers}"] = None
    return list(found)


def runs(rng):
    """Starts and lengths of a mask, which may be empty."""
    at, said = 1, []
    for _ in range(rng.randint(0, 4)):
        at += rng.randint(1, 8)
        length = rng.randint(1, 9)
        said += [at, length]
        at += length
    return " ".join(map(str, said))


def boxes(rng, form):
    said = []
    for _ in range(rng.randint(0, 4)):
        x, y = rng.randint(0, 30), rng.randint(0, 30)
        corners = f"{x} {y} {x + rng.randint(2, 12)} {y + rng.randint(2, 12)}"
        kind, score = rng.choice(["cat", "dog"]), rng.randint(1, 99) / 100
        said.append(form.format(kind=kind, box=corners, score=score, point=f"{x + 3} {y + 3}"))
    return " ".join(said)


def near_boxes(rng, text):
    """Boxes near those of the truth, some of them left out, others made up."""
    words, said = text.split(), []
    for n in range(0, len(words), 5):
        if rng.random() < 0.75:
            moved = " ".join(str(int(word) + rng.randint(-2, 1)) for word in words[n + 1 : n + 3])
            ends = " ".join(str(int(word) + rng.randint(0, 2)) for word in words[n + 3 : n + 5])
            said.append(f"{words[n]} {rng.randint(1, 99) / 100} {moved} {ends}")
    more = boxes(rng, "{kind} {score} {box}") if rng.random() < 0.4 else ""
    return " ".join([*said, more]).strip()


def submissions(form, truth, runs=False):
    """Name to text: submissions of three teams in that form; `truth` are the files of above."""
    rng = Random(f"submissions of {form}")
    names = [f"{name}#{n}" for name in TEAMS for n in (1, 2, 3)] if runs else TEAMS
    return {name: MAKERS[form](rng, truth, name) for name in names}


def table(truth, name):
    head, *lines = truth[name].splitlines()
    return [dict(zip(head.split(","), line.split(","), strict=True)) for line in lines]


def make_ranked(rng, truth, name):
    """Of ann scores that tie, of bob ranks, of cyd two lists missing."""
    if name != "bob":
        return make_scored(rng, truth, name)
    lines = [
        f"{each},{item},{rank}"
        for each in LISTS
        for rank, item in enumerate(some(rng, [*ITEMS, *STRANGERS], 1, 14), start=1)
    ]
    return rows("list,item,rank", lines)


def make_scored(rng, truth, name):
    lists = rng.sample(LISTS, len(LISTS))[2 if name == "cyd" else 0 :]
    steps = 8 if name == "ann" else 1000
    lines = [
        f"{each},{item},{rng.randint(0, steps) / steps}"
        for each in lists
        for item in some(rng, [*ITEMS, *STRANGERS], 1, 14)
    ]
    return rows("list,item,score", lines)


def make_skilled(rng, truth, name):
    """Of ann nearly the order of the truth, of bob less, of cyd hardly; cyd lacks three lists."""
    noise = {"ann": 2, "bob": 3, "cyd": 8}[name.partition("#")[0]]
    grades = {}
    for row in table(truth, "long.csv"):
        grades.setdefault(row["list"], {})[row["item"]] = int(row["grade"])
    lines = []
    for each in LONG[3 if name == "cyd" else 0 :]:
        for item in some(rng, ITEMS, 5, 9):
            score = grades[each].get(item, 0) + rng.randint(0, noise * 100) / 100
            lines.append(f"{each},{item},{score}")
    return rows("list,item,score", lines)


def make_ratings(rng, truth, name):
    lines = []
    for row in table(truth, "ratings.csv"):
        if name != "cyd" or row["list"] not in ("q3", "q4"):
            near = min(7.0, max(0.0, float(row["rating"]) + rng.randint(-6, 6) / 4))
            low, high = near - rng.randint(0, 4) / 4, near + rng.randint(0, 4) / 4
            lines.append(f"{row['list']},{row['item']},{near},{low},{high}")
    return rows("list,item,prediction,low,high", lines)


def make_globe(rng, truth, name):
    lines = [
        f"{row['list']},{row['item']},{float(row['rating']) + rng.randint(-9, 9) / 8},"
        f"{int(row['longitude']) + rng.randint(-9, 9) / 8}"
        for row in table(truth, "ratings.csv")
    ]
    return rows("list,item,prediction,longitude", lines)


def make_pairs(rng, truth, name):
    known, lines = {}, []
    for row in table(truth, "pairs.csv"):
        known.setdefault(row["list"], {}).update({row["better"]: None, row["worse"]: None})
    for each, items in known.items():
        order = rng.sample([*items], len(items))
        if name == "bob":
            lines += [f"{each},{item},{rank}" for rank, item in enumerate(order)]
        else:
            lines += [f"{each},{a},{b}" for a, b in pairwise(order)]
    return rows("list,item,score" if name == "bob" else "list,better,worse", lines)


def make_classes(rng, truth, name):
    lines = []
    for row in table(truth, "classes.csv"):
        label = row["label"] if rng.random() < 0.6 else rng.choice(CLASSES)
        lines.append(f"{row['list']},{label}")
    return rows("list,label", lines)


def make_probabilities(rng, truth, name):
    lines = []
    for row in table(truth, "classes.csv"):
        counts = [rng.randint(0, 8) + 6 * (row["label"] == each) for each in CLASSES]
        counts[2] += 16 - sum(counts) if sum(counts) < 16 else 0
        shares = [count / sum(counts) for count in counts]
        lines.append(",".join([row["list"], *map(repr, shares)]))
    return rows("list,p_ant,p_bee,p_cat", lines)


def make_probability(rng, truth, name):
    return rows(
        "list,p",
        [
            f"{row['list']},{min(1, rng.randint(0, 12) / 16 + int(row['label']) / 8)}"
            for row in table(truth, "events.csv")
        ],
    )


def make_early(rng, truth, name):
    return rows(
        "list,label,delay",
        [
            f"{row['list']},{row['label'] if rng.random() < 0.7 else rng.choice('01')},"
            f"{rng.randint(1, 40)}"
            for row in table(truth, "events.csv")
        ],
    )


def make_numbers(rng, truth, name):
    return rows(
        "list,y",
        [
            f"{row['list']},{max(0.25, float(row['target']) + rng.randint(-12, 12) / 4)}"
            for row in table(truth, "numbers.csv")
        ],
    )


def make_distributions(rng, truth, name):
    lines = []
    for row in table(truth, "numbers.csv"):
        near = max(0.25, float(row["target"]) + rng.randint(-12, 12) / 4)
        angles = [max(0, float(row["zenith"]) + rng.randint(-2, 2) / 4)]
        angles.append(float(row["longitude"]) + rng.randint(-2, 2) / 4)
        more = [rng.randint(1, 8) / 4, near - rng.randint(0, 4), near + rng.randint(0, 4)]
        lines.append(",".join(map(str, [row["list"], near, *angles, *more])))
    return rows("list,y,zenith,longitude,spread,low,high", lines)


def make_texts(rng, truth, name):
    _, *lines = truth["texts.csv"].splitlines()
    known = [line.rpartition(",")[0] for line in lines]
    sent = {}
    for line in known:
        each, _, text = line.partition(",")
        words = text.strip('"').split()
        if rng.random() < 0.4:
            words[rng.randrange(len(words))] = rng.choice(WORDS)
        sent.setdefault(each, " ".join(words) if rng.random() < 0.8 else sentence(rng, 1))
    if name == "cyd":
        del sent["q2"]
    return rows("list,item", [f'{each},"{text}"' for each, text in sent.items()])


def make_tags(rng, truth, name):
    return rows(
        "list,item,tag",
        [
            f"{row['list']},{row['item']},{row['tag'] if rng.random() < 0.7 else tag(rng)}"
            for row in table(truth, "tags.csv")
        ],
    )


def near_spans(rng, truth):
    for row in table(truth, "spans.csv"):
        start, end = map(int, row["item"].split())
        if rng.random() < 0.8:
            start = max(0, start + rng.choice([-1, 0, 0, 0, 1]))
            end = max(start + 1, end + rng.choice([-1, 0, 0, 2]))
            kind = row["type"] if rng.random() < 0.8 else rng.choice("AB")
            yield row["list"], kind, start, end


def make_spans(rng, truth, name):
    found = {(n, a, b): kind for n, kind, a, b in near_spans(rng, truth)}
    return rows(
        "list,item,score,type",
        [f"{n},{a} {b},{rng.randint(0, 20) / 20},{kind}" for (n, a, b), kind in found.items()],
    )


def make_typed(rng, truth, name):
    found = dict.fromkeys(f"{n},{kind} {a} {b}" for n, kind, a, b in near_spans(rng, truth))
    return rows("list,item", found)


def make_word_spans(rng, truth, name):
    return rows("list,item", word_spans(rng))


def make_masks(rng, truth, name):
    return rows(
        "list,runs",
        [
            f"{row['list']},{row['runs'] if rng.random() < 0.3 else runs(rng)}"
            for row in table(truth, "masks.csv")
        ],
    )


def make_boxes(rng, truth, name):
    return rows(
        "list,found",
        [f"{row['list']},{near_boxes(rng, row['found'])}" for row in table(truth, "boxes.csv")],
    )


def make_points(rng, truth, name):
    lines = []
    for row in table(truth, "boxes.csv"):
        words, said = row["found"].split(), []
        for n in range(0, len(words), 5):
            if rng.random() < 0.8:
                x, y = int(words[n + 1]), int(words[n + 2])
                said.append(f"{words[n]} {x + rng.randint(-1, 6)} {y + rng.randint(-1, 6)}")
        lines.append(f"{row['list']},{' '.join(said)}")
    return rows("list,found", lines)


MAKERS = {
    "ranked": make_ranked,
    "scored": make_scored,
    "skilled": make_skilled,
    "ratings": make_ratings,
    "globe": make_globe,
    "pairs": make_pairs,
    "classes": make_classes,
    "probabilities": make_probabilities,
    "probability": make_probability,
    "early": make_early,
    "numbers": make_numbers,
    "distributions": make_distributions,
    "texts": make_texts,
    "tags": make_tags,
    "spans": make_spans,
    "typed": make_typed,
    "word_spans": make_word_spans,
    "masks": make_masks,
    "boxes": make_boxes,
    "points": make_points,
}
