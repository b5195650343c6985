"""Makes the data of the gallery: `python challenges/gallery/make.py`; the same every time."""

import json
import random
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "submissions_example" / "gallery"
SENTIMENTS = ["positive", "negative", "neutral"]


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def table(head, rows, mark=","):
    lines = [head] if head else []
    return "".join(f"{mark.join(map(str, row))}\n" for row in [*lines, *rows])


def kept(name, **files):
    """The files of a challenge."""
    for file, text in files.items():
        write(HERE / name, file.replace("__", "/").replace("_DOT_", "."), text)


def sent(name, good, bad, suffix=".csv"):
    """The submissions of a challenge."""
    for kind, files in (("good", good), ("bad", bad)):
        for file, text in files.items():
            write(EXAMPLES / name / kind, f"{file}{suffix}", text)


def rankings(draw, truth, items, depth, skill):
    """Of each list some items, those of the truth sooner the greater the skill."""
    made = {}
    for name, wanted in truth.items():
        order = sorted(items, key=lambda item: draw.random() - skill * (item in wanted))
        made[name] = order[:depth]
    return made


def cells(head, lists, mark=" "):
    return table(head, [(name, mark.join(items)) for name, items in lists.items()])


def titanic():
    draw = random.Random(1912)
    truth = {str(n): int(draw.random() < 0.38) for n in range(892, 1012)}

    def guess(skill):
        return {n: v if draw.random() < skill else 1 - v for n, v in truth.items()}

    head = ("PassengerId", "Survived")
    kept("titanic", truth_DOT_csv=table(head, truth.items()))
    kept(
        "titanic",
        examples__truth_DOT_csv=table(head, [(892, 0), (893, 1), (894, 0), (895, 1)]),
        examples__worked_DOT_csv=table(head, [(892, 0), (893, 1), (894, 0), (895, 0)]),
    )
    good = {
        name: table(head, guess(skill).items())
        for name, skill in (("women-survive", 0.77), ("forest", 0.82))
    }
    first = list(guess(0.8).items())
    bad = {
        "a-row-short": table(head, first[:-1]),
        "probabilities": table(head, [(n, v / 2 + 0.2) for n, v in first]),
    }
    sent("titanic", good, bad)


def house_prices():
    draw = random.Random(2011)
    truth = {str(n): 500 * draw.randint(100, 900) for n in range(1461, 1581)}
    head = ("Id", "SalePrice")

    def guess(spread):
        return [(n, round(v * draw.lognormvariate(0, spread), 2)) for n, v in truth.items()]

    kept(
        "house-prices",
        truth_DOT_csv=table(head, truth.items()),
        examples__truth_DOT_csv=table(head, [(1461, 100000), (1462, 200000)]),
        examples__worked_DOT_csv=table(head, [(1461, 110000), (1462, 220000)]),
    )
    rows = guess(0.13)
    sent(
        "house-prices",
        {"neighbourhood": table(head, guess(0.3)), "boosted": table(head, rows)},
        {
            "for-nothing": table(head, [(rows[0][0], 0), *rows[1:]]),
            "with-a-dollar": table(head, [(n, f"${v}") for n, v in rows]),
        },
    )


def hm():
    draw = random.Random(2022)
    articles = [f"0{draw.randrange(10**8, 10**9)}" for _ in range(60)]
    customers = [f"{draw.getrandbits(256):064x}" for _ in range(40)]
    truth = {name: draw.sample(articles, draw.randint(1, 14)) for name in customers[:32]}
    head = ("customer_id", "prediction")
    bought = [(name, item) for name, items in truth.items() for item in items]
    kept(
        "hm",
        truth_DOT_csv=table(("customer_id", "article_id"), bought),
        customers_DOT_csv=table(("customer_id",), [(name,) for name in customers]),
        articles_DOT_csv=table(("article_id",), [(name,) for name in articles]),
        examples__truth_DOT_csv=table(
            ("customer_id", "article_id"), [(customers[0], item) for item in articles[:3]]
        ),
    )
    every = truth | {name: [] for name in customers[32:]}
    worked = {name: [] for name in customers}
    worked[customers[0]] = [articles[0], articles[9], articles[1]]
    kept("hm", examples__worked_DOT_csv=cells(head, worked))
    popular = dict.fromkeys(customers, articles[:12])
    lists = rankings(draw, every, articles, 12, 0.4)
    long = lists | {customers[0]: articles[:13]}
    lost = lists | {customers[1]: ["108775015"]}  # its leading 0 is gone
    sent(
        "hm",
        {"popular": cells(head, popular), "two-stages": cells(head, lists)},
        {"thirteen": cells(head, long), "an-id-as-a-number": cells(head, lost)},
    )


def instacart():
    draw = random.Random(2017)
    products = [str(draw.randrange(1, 49688)) for _ in range(50)]
    orders = [str(draw.randrange(10**5, 3 * 10**6)) for _ in range(50)]
    truth = {name: draw.sample(products, draw.randint(1, 9)) for name in orders}
    truth |= {name: ["None"] for name in orders[:6]}
    head = ("order_id", "products")
    kept(
        "instacart",
        truth_DOT_csv=cells(head, truth),
        examples__truth_DOT_csv=cells(head, {"17": list("bcde"), "34": ["None"]}),
        examples__worked_DOT_csv=cells(head, {"17": list("abc"), "34": ["None"]}),
    )

    def guess(share):
        found = {}
        for name, wanted in truth.items():
            mine = [item for item in wanted if draw.random() < share]
            mine += draw.sample([p for p in products if p not in wanted], 2)
            found[name] = mine
        return found

    lists = guess(0.7)
    twice = lists | {orders[3]: [products[0], products[1], products[0]]}
    few = {name: items for name, items in lists.items() if name != orders[7]}
    sent(
        "instacart",
        {"last-order": cells(head, guess(0.4)), "boosted": cells(head, lists)},
        {"twice": cells(head, twice), "an-order-short": cells(head, few)},
    )


def kdd_cup_2012():
    draw = random.Random(2012)
    items = [str(draw.randrange(10**6, 3 * 10**6)) for _ in range(30)]
    users = [str(draw.randrange(10**5, 3 * 10**6)) for _ in range(60)]
    truth = {name: draw.sample(items, draw.randint(1, 5)) for name in users}
    head = ("id", "clicks")
    shown = ["1", "2", "3"]
    kept("kdd-cup-2012", truth_DOT_csv=cells(head, truth))
    for name, clicked in (("first", "134"), ("second", "124"), ("third", "13")):
        kept(
            "kdd-cup-2012",
            **{f"examples__{name}-truth_DOT_csv": cells(head, {users[0]: list(clicked)})},
        )
    kept("kdd-cup-2012", examples__worked_DOT_csv=cells(head, {users[0]: shown}))
    lists = rankings(draw, truth, items, 3, 0.5)
    commas = table(head, [(name, ",".join(found)) for name, found in lists.items()])
    four = lists | {users[2]: items[:4]}
    sent(
        "kdd-cup-2012",
        {"popular": cells(head, dict.fromkeys(users, items[:3])), "factors": cells(head, lists)},
        {"commas": commas, "four": cells(head, four)},
    )


def msmarco():
    draw = random.Random(2016)
    passages = [str(draw.randrange(8 * 10**6)) for _ in range(80)]
    queries = [str(draw.randrange(10**6)) for _ in range(50)]
    truth = {name: draw.sample(passages, draw.choice([1, 1, 1, 2])) for name in queries}
    judged = [(name, 0, item, 1) for name, items in truth.items() for item in items]
    kept("msmarco", qrels_DOT_dev_DOT_tsv=table(None, judged, "\t"))
    shown = [("q1", f"p{n}", n) for n in range(1, 12)] + [("q2", f"p{n}", n) for n in range(1, 12)]
    kept(
        "msmarco",
        examples__qrels_DOT_tsv=table(
            None, [("q1", 0, "p2", 1), ("q2", 0, "p11", 1), ("q3", 0, "p1", 1)], "\t"
        ),
        examples__worked_DOT_tsv=table(None, shown, "\t"),
    )

    def run(skill):
        lists = rankings(draw, truth, passages, 10, skill)
        return [(q, p, n) for q, found in lists.items() for n, p in enumerate(found, 1)]

    rows = run(0.8)
    sent(
        "msmarco",
        {"bm25": table(None, run(0.3), "\t"), "cross-encoder": table(None, rows, "\t")},
        {
            "from-zero": table(None, [(q, p, n - 1) for q, p, n in rows], "\t"),
            "a-header": table(("qid", "pid", "rank"), rows, "\t"),
            "trec": table(None, [(q, "Q0", p, n, 1 / n, "run") for q, p, n in rows], " "),
        },
        ".tsv",
    )


def recsys_2018():
    draw = random.Random(2018)
    tracks = [f"spotify:track:{draw.getrandbits(128):032x}"[:36] for _ in range(90)]
    lists = [str(1_000_000 + n) for n in range(30)]
    truth = {name: draw.sample(tracks, draw.randint(2, 12)) for name in lists}
    held = [(name, item) for name, items in truth.items() for item in items]
    artists = [(item, f"spotify:artist:{n // 3:022d}") for n, item in enumerate(tracks)]
    kept(
        "recsys-2018",
        truth_DOT_csv=table(("pid", "track_uri"), held),
        tracks_DOT_csv=table(("track_uri", "artist_uri"), artists),
        examples__truth_DOT_csv=table(("pid", "track_uri"), [(lists[0], t) for t in tracks[:4]]),
    )
    worked = [tracks[0], tracks[20], tracks[1], *tracks[21:38]]
    team = "team_info,main,the made ones,made@example.org\n"

    def lines(found):
        return team + "\n" + "".join(f"{n}, {', '.join(t)}\n" for n, t in found.items())

    # with held-out tracks at ranks 1 and 3, of one artist
    kept("recsys-2018", examples__worked_DOT_csv=lines({lists[0]: worked}))
    late = [*tracks[20:35], *tracks[:5]]
    kept("recsys-2018", examples__late_DOT_csv=lines({lists[0]: late}))
    mine = rankings(draw, truth, tracks, 20, 0.3)
    short = mine | {lists[4]: mine[lists[4]][:19]}
    seeds = mine | {lists[5]: [mine[lists[5]][0]] * 2 + mine[lists[5]][1:19]}
    sent(
        "recsys-2018",
        {"popular": lines(dict.fromkeys(lists, tracks[:20])), "neighbours": lines(mine)},
        {"nineteen": lines(short), "a-track-twice": lines(seeds)},
    )


def otto():
    draw = random.Random(2023)
    aids = [str(draw.randrange(1_855_603)) for _ in range(80)]
    sessions = [str(12_899_779 + n) for n in range(25)]
    truth, rows = {}, []
    for name in sessions:
        for kind, most in (("clicks", 1), ("carts", 4), ("orders", 3)):
            rows.append((f"{name}_{kind}", kind))
            if kind == "clicks" or draw.random() < 0.5:
                truth[f"{name}_{kind}"] = draw.sample(aids, draw.randint(1, most))
    truth[f"{sessions[0]}_carts"] = aids[:26]  # more than can be hit
    head = ("session_type", "labels")
    kept(
        "otto",
        truth_DOT_csv=cells(head, truth),
        sessions_DOT_csv=table(("session_type", "type"), rows),
    )
    small = {"clicks": [["1"], ["2"]], "carts": [["3", "4", "5"]], "orders": [["6"]]}
    given = {name: [] for name, _ in rows}
    wanted = {}
    for kind, many in small.items():
        for n, items in enumerate(many):
            wanted[f"{sessions[n]}_{kind}"] = items
    given |= {f"{sessions[0]}_clicks": ["9", "1"], f"{sessions[1]}_clicks": ["1"]}
    given |= {f"{sessions[0]}_carts": ["4", "3", "8"], f"{sessions[0]}_orders": ["6"]}
    kept(
        "otto",
        examples__truth_DOT_csv=cells(head, wanted),
        examples__worked_DOT_csv=cells(head, given),
    )
    every = {name: truth.get(name, []) for name, _ in rows}
    lists = rankings(draw, every, aids, 20, 0.4)
    long = lists | {f"{sessions[0]}_carts": aids[:21]}
    unknown = lists | {"12899779_likes": aids[:3]}
    sent(
        "otto",
        {
            "last-seen": cells(head, dict.fromkeys(every, aids[:20])),
            "covisited": cells(head, lists),
        },
        {"twenty-one": cells(head, long), "likes": cells(head, unknown)},
    )


def semeval_2017():
    draw = random.Random(4)
    truth = {str(n): draw.choice(SENTIMENTS) for n in range(900, 1020)}

    def lines(found):
        return table(None, found, "\t")

    def guess(skill):
        return [
            (n, v if draw.random() < skill else draw.choice(SENTIMENTS)) for n, v in truth.items()
        ]

    gold = [("1", "positive"), ("2", "negative"), ("3", "neutral"), ("4", "neutral")]
    kept(
        "semeval-2017",
        gold_DOT_tsv=lines(truth.items()),
        examples__gold_DOT_tsv=lines(gold),
        examples__positive_DOT_tsv=lines([(n, "positive") for n, _ in gold]),
    )
    rows = guess(0.6)
    sent(
        "semeval-2017",
        {"lexicon": lines(guess(0.3)), "network": lines(rows)},
        {
            "mixed": lines([*rows[:-1], (rows[-1][0], "mixed")]),
            "a-tweet-short": lines(rows[1:]),
        },
        ".tsv",
    )


def tweet_extraction():
    draw = random.Random(2020)
    words = (
        "so, such a (really) lovely SAD day at work tonight my old car broke 4 times! :( love it"
    )
    tweets = {f"{n:04x}": draw.choices(words.split(), k=draw.randint(4, 12)) for n in range(120)}

    def part(tweet, most):
        first = draw.randrange(len(tweet))
        return " ".join(tweet[first : first + draw.randint(1, most)])

    truth = {name: part(tweet, 4) for name, tweet in tweets.items()}
    head = ("textID", "selected_text")

    def rows(answers):
        return table(head, [(n, text if "," not in text else f'"{text}"') for n, text in answers])

    def guess(skill):
        return [(n, truth[n] if draw.random() < skill else part(t, 6)) for n, t in tweets.items()]

    worked = [("a", "so very sad"), ("b", "Love it"), ("c", "fun"), ("d", "")]
    found = [("a", "So sad"), ("b", "i love it so"), ("c", "no"), ("d", "")]
    kept(
        "tweet-extraction",
        truth_DOT_csv=rows(truth.items()),
        examples__truth_DOT_csv=rows(worked),
        examples__worked_DOT_csv=rows(found),
    )
    span = guess(0.6)
    whole = [(name, " ".join(tweet)) for name, tweet in tweets.items()]
    empty = [(name, "" if n % 3 else text) for n, (name, text) in enumerate(span)]
    sent(
        "tweet-extraction",
        {"span": rows(span), "whole-tweets": rows(whole), "unsure": rows(empty)},
        {"a-tweet-short": rows(span[1:]), "twice": rows([*span, (span[0][0], "my car")])},
    )


def bioasq():
    draw = random.Random(8)
    at = "http://www.ncbi.nlm.nih.gov/pubmed/"
    documents = [f"{at}{draw.randrange(10**7, 3 * 10**7)}" for _ in range(70)]
    questions = [f"{draw.getrandbits(96):024x}" for _ in range(30)]
    truth = {name: draw.sample(documents, draw.randint(1, 13)) for name in questions}

    def document(lists):
        found = [{"id": name, "documents": items} for name, items in lists.items()]
        return json.dumps({"questions": found}, indent=1) + "\n"

    kept(
        "bioasq",
        golden_DOT_json=document(truth),
        examples__golden_DOT_json=document({questions[0]: documents[:3]}),
        examples__worked_DOT_json=document(
            {questions[0]: [documents[0], documents[9], documents[2]]}
        ),
    )
    lists = rankings(draw, truth, documents, 10, 0.4)
    eleven = lists | {questions[3]: documents[:11]}
    sent(
        "bioasq",
        {"bm25": document(rankings(draw, truth, documents, 10, 0.1)), "dense": document(lists)},
        {"eleven": document(eleven), "cut-short": document(lists)[:-40]},
        ".json",
    )


def trec_diversity():
    draw = random.Random(2009)
    documents = [f"clueweb09-en{n:04d}-{draw.randrange(100):02d}-{n:05d}" for n in range(60)]
    topics, rows, truth = [str(n) for n in range(1, 21)], [], {}
    for name in topics:
        truth[name] = draw.sample(documents, 9)
        for document in truth[name]:
            for subtopic in draw.sample(range(1, 5), draw.randint(1, 2)):
                rows.append((name, subtopic, document, 1))

    def run(lists):
        lines = [
            (name, "Q0", item, n, 1000 - n, "made")
            for name, items in lists.items()
            for n, item in enumerate(items, 1)
        ]
        return table(None, lines, " ")

    kept("trec-diversity", qrels_DOT_diversity=table(None, rows, " "))
    # two documents of one subtopic, one of another: the second of the first counts half
    few = [("1", 1, "a", 1), ("1", 1, "b", 1), ("1", 2, "c", 1)]
    kept(
        "trec-diversity",
        examples__qrels_DOT_diversity=table(None, few, " "),
        examples__worked_DOT_run=run({"1": ["a", "b", "c"]}),
    )
    lists = rankings(draw, truth, documents, 30, 0.4)
    twice = lists | {topics[2]: [*lists[topics[2]][:9], lists[topics[2]][0]]}
    sent(
        "trec-diversity",
        {"bm25": run(rankings(draw, truth, documents, 30, 0.1)), "xquad": run(lists)},
        {"twice": run(twice), "qrels": table(None, rows, " ")},
        ".run",
    )


ENTAILED = ["entailment", "not_entailment"]
RELATED = ["entailment", "neutral", "contradiction"]
GLUE = dict.fromkeys(("CoLA", "SST-2", "MRPC", "QQP"), "01")  # and STS-B, whose are numbers
GLUE |= {"MNLI-m": RELATED, "MNLI-mm": RELATED, "QNLI": ENTAILED, "RTE": ENTAILED, "WNLI": "01"}


def glue():
    draw = random.Random(9)
    truth = {part: [draw.choice(labels) for _ in range(40)] for part, labels in GLUE.items()}
    truth["STS-B"] = [round(draw.uniform(0, 5), 3) for _ in range(40)]
    head = ("index", "prediction")

    def files(found):
        return {f"{part}.tsv": table(head, enumerate(mine), "\t") for part, mine in found.items()}

    def guess(skill):
        made = {
            part: [v if draw.random() < skill else draw.choice(GLUE[part]) for v in truth[part]]
            for part in GLUE
        }
        near = [v + draw.gauss(0, 3 * (1 - skill)) for v in truth["STS-B"]]
        return made | {"STS-B": [round(min(max(v, 0), 5), 3) for v in near]}

    def pack(folder, name, found):
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
            for file, text in found.items():
                member = zipfile.ZipInfo(file, (1980, 1, 1, 0, 0, 0))
                member.external_attr = 0o644 << 16
                archive.writestr(member, text)

    pack(HERE / "glue", "truth", files(truth))
    right = {part: [*labels[:2], *labels[:2]] for part, labels in GLUE.items()}
    right["STS-B"] = [0, 1, 2, 5]
    half = {part: [labels[0], labels[1], labels[1], labels[0]] for part, labels in GLUE.items()}
    half["CoLA"] = right["CoLA"]
    half["MNLI-m"] = right["MNLI-m"]
    half["MRPC"] = ["1"] * 4
    half["STS-B"] = [0, 1, 2, 3]
    pack(HERE / "glue" / "examples", "truth", files(right))
    pack(HERE / "glue" / "examples", "worked", files(half))
    mine = guess(0.6)
    short, odd = dict(mine), dict(mine)
    del short["RTE"]
    odd["RTE"] = ["maybe", *mine["RTE"][1:]]
    words = mine | {"STS-B": ["alike", *mine["STS-B"][1:]]}
    for name, found in (("bag-of-words", guess(0.2)), ("encoder", mine)):
        pack(EXAMPLES / "glue" / "good", name, files(found))
    for name, found in (("a-task-short", short), ("a-class-of-its-own", odd), ("a-word", words)):
        pack(EXAMPLES / "glue" / "bad", name, files(found))


def tissue_masks():
    draw = random.Random(2021)
    side = 40  # pixels of an image's edge; they are numbered down its columns, from 1

    def runs(boxes):
        held = sorted({x * side + y + 1 for x0, y0, x1, y1 in boxes
                       for x in range(x0, x1) for y in range(y0, y1)})  # fmt: skip
        starts = [at for at in held if at - 1 not in held or at == held[0]]
        ends = [at for at in held if at + 1 not in held]
        return " ".join(f"{a} {b - a + 1}" for a, b in zip(starts, ends, strict=True))

    def glomerulus():
        x, y = draw.randint(0, 25), draw.randint(0, 25)
        return (x, y, x + draw.randint(5, 14), y + draw.randint(5, 14))

    truth = {f"{n:04x}": [glomerulus() for _ in range(draw.randint(0, 2))] for n in range(60)}

    def found(blur):
        near = {}
        for name, boxes in truth.items():
            moved = [[min(max(at + draw.randint(-blur, blur), 0), side) for at in b] for b in boxes]
            near[name] = runs([b for b in moved if b[0] < b[2] and b[1] < b[3]])
        return near

    head = ("id", "predicted")
    kept(
        "tissue-masks",
        truth_DOT_csv=table(head, [(name, runs(boxes)) for name, boxes in truth.items()]),
        examples__truth_DOT_csv=table(head, [("a", "1 4"), ("b", "")]),
        examples__worked_DOT_csv=table(head, [("a", "3 4"), ("b", "")]),
    )
    good = {name: table(head, found(blur).items()) for name, blur in (("unet", 1), ("pixels", 4))}
    rows = list(found(2).items())
    sent(
        "tissue-masks",
        good,
        {
            "an-image-short": table(head, rows[:-1]),
            "beyond-the-image": table(head, [(rows[0][0], "1599 9"), *rows[1:]]),
            "runs-that-overlap": table(head, [(rows[0][0], "1 9 5 9"), *rows[1:]]),
        },
    )


def wheat_boxes():
    draw = random.Random(2020)

    def head_of_wheat():
        x, y = draw.randint(0, 900), draw.randint(0, 900)
        return [x, y, x + draw.randint(40, 120), y + draw.randint(40, 120)]

    truth = {
        f"field{n:02}": [head_of_wheat() for _ in range(draw.randint(1, 6))] for n in range(40)
    }

    def written(boxes):
        return " ".join(" ".join(map(str, ["wheat", *box])) for box in boxes)

    def found(blur, odds):
        made = {}
        for name, boxes in truth.items():
            near = [[at + draw.randint(0, blur) for at in box] for box in boxes]
            wrong = [head_of_wheat() for _ in range(draw.random() < odds)]
            sure = [(round(draw.uniform(0.5, 1), 3), box) for box in near]
            sure += [(round(draw.uniform(0, 0.7), 3), box) for box in wrong]
            made[name] = written([[score, *box] for score, box in sure])
        return made

    head, one = ("image_id", "PredictionString"), "wheat 0 0 10 10"
    kept(
        "wheat-boxes",
        truth_DOT_csv=table(head, [(name, written(boxes)) for name, boxes in truth.items()]),
        examples__truth_DOT_csv=table(head, [("a", f"{one} wheat 20 20 30 30")]),
        examples__worked_DOT_csv=table(head, [("a", "wheat 0.9 0 0 10 10 wheat 0.4 50 50 60 60")]),
    )
    rows = list(found(10, 0.2).items())
    sent(
        "wheat-boxes",
        {"two-stages": table(head, rows), "one-stage": table(head, found(25, 0.7).items())},
        {
            "an-image-short": table(head, rows[:-1]),
            "without-scores": table(
                head, [(name, written(boxes)) for name, boxes in truth.items()]
            ),
            "corners-swapped": table(head, [(rows[0][0], "wheat 0.9 60 60 10 10"), *rows[1:]]),
        },
    )


def survival():
    draw = random.Random(1958)
    truth = []
    for n in range(120):
        risk = draw.gauss(0, 1)
        time, censored = draw.expovariate(0.02 * 2.7**risk), draw.expovariate(0.01)
        truth.append((n, round(min(time, censored), 2), int(time <= censored), risk))
    head = ("ID", "months")

    def guess(spread):
        return [(n, round(40 - 9 * (risk + draw.gauss(0, spread)), 2)) for n, _, _, risk in truth]

    kept(
        "survival",
        truth_DOT_csv=table(("ID", "months", "died"), [row[:3] for row in truth]),
        examples__truth_DOT_csv=table(
            ("ID", "months", "died"), [(1, 2, 1), (2, 5, 0), (3, 7, 1), (4, 9, 0)]
        ),
        examples__worked_DOT_csv=table(head, [(1, 1), (2, 8), (3, 9), (4, 5)]),
    )
    rows = guess(0.5)
    sent(
        "survival",
        {"cox": table(head, rows), "stage-alone": table(head, guess(2))},
        {
            "a-patient-short": table(head, rows[:-1]),
            "words": table(head, [(rows[0][0], "high"), *rows[1:]]),
        },
    )


def votes_of_experts():
    draw = random.Random(2024)
    kinds = ["seizure", "lpd", "gpd", "lrda", "grda", "other"]
    columns = [f"{kind}_vote" for kind in kinds]
    truth = {}
    for n in range(80):
        strange = draw.randrange(6)
        votes = [strange if draw.random() < 0.7 else draw.randrange(6) for _ in range(9)]
        truth[f"{1000 + n}"] = [votes.count(k) for k in range(6)]

    def guess(weight):
        made = []
        for name, votes in truth.items():
            parts = [weight * v / 9 + draw.random() * (1 - weight) + 0.01 for v in votes]
            shares = [round(part / sum(parts), 6) for part in parts]
            made.append((name, *shares[:-1], round(1 - sum(shares[:-1]), 6)))
        return made

    head = ("eeg_id", *columns)
    kept(
        "votes-of-experts",
        truth_DOT_csv=table(head, [(name, *votes) for name, votes in truth.items()]),
        examples__truth_DOT_csv=table(head, [(1, 3, 0, 0, 0, 0, 0), (2, 0, 1, 1, 0, 0, 0)]),
        examples__worked_DOT_csv=table(
            head, [(1, 0.5, 0.1, 0.1, 0.1, 0.1, 0.1), (2, 0, 0.25, 0.5, 0.25, 0, 0)]
        ),
    )
    rows = guess(0.8)
    sent(
        "votes-of-experts",
        {"spectrogram": table(head, rows), "prior": table(head, guess(0.2))},
        {
            "an-eeg-short": table(head, rows[:-1]),
            "below-zero": table(head, [(rows[0][0], 1.2, -0.2, 0, 0, 0, 0), *rows[1:]]),
        },
    )


def stable_credit():
    draw = random.Random(2023)
    truth = [(n, draw.randrange(12), int(draw.random() < 0.3)) for n in range(600)]
    head = ("case_id", "score")

    def guess(skill, drift):
        return [
            (n, round(1 / (1 + 2.718 ** (-(skill - drift * week) * y - draw.gauss(0, 1))), 5))
            for n, week, y in truth
        ]

    # right in all weeks but the last, in which the order is reversed
    worked = [(n, y if week < 11 else 1 - y) for n, week, y in truth]
    kept(
        "stable-credit",
        truth_DOT_csv=table(("case_id", "target"), [(n, y) for n, _, y in truth]),
        weeks_DOT_csv=table(("case_id", "WEEK_NUM"), [(n, week) for n, week, _ in truth]),
        examples__worked_DOT_csv=table(head, worked),
    )
    rows = guess(2, 0)
    sent(
        "stable-credit",
        {"steady": table(head, rows), "that-ages": table(head, guess(3, 0.25))},
        {
            "a-case-short": table(head, rows[:-1]),
            "words": table(head, [(rows[0][0], "high"), *rows[1:]]),
        },
    )


def organ_values():
    draw = random.Random(31)
    sites = {f"ct{n:03}": "abc"[n % 3] for n in range(60)}
    hard = {name: draw.gauss(0, 0.06) for name in sites}
    head = ("case", "dice", "hausdorff_mm")

    def measured(skill):
        rows = []
        for name in sites:
            dice = min(max(skill - hard[name] + draw.gauss(0, 0.03), 0), 1)
            rows.append((name, round(dice, 4), round(60 * (1 - dice) + draw.random() * 4, 2)))
        return rows

    kept("organ-values", cases_DOT_csv=table(("case", "hospital"), sites.items()),
         examples__worked_DOT_csv=table(head, [(name, 0.75, 12) for name in sites]))  # fmt: skip
    rows = measured(0.86)
    sent(
        "organ-values",
        {"nnunet": table(head, rows), "unet": table(head, measured(0.83)),
         "atlas": table(head, measured(0.7))},
        {
            "a-case-short": table(head, rows[:-1]),
            "above-one": table(head, [(rows[0][0], 1.2, 3.0), *rows[1:]]),
            "failed": table(head, [(rows[0][0], "failed", 3.0), *rows[1:]]),
        },
    )  # fmt: skip


def agent_seeds():
    draw = random.Random(47)
    tasks = {f"task-{n:02}": draw.gauss(0, 0.8) for n in range(40)}
    head = ("task", "seed", "solved")

    def played(skill, seeds=5):
        luck = [draw.gauss(0, 0.3) for _ in range(seeds)]
        return [
            (name, n, int(skill + luck[n] - hard + draw.gauss(0, 1) > 0))
            for n in range(seeds)
            for name, hard in tasks.items()
        ]

    kept("agent-seeds", tasks_DOT_csv=table(("task",), [(name,) for name in tasks]),
         examples__worked_DOT_csv=table(
             head, [(name, 0, 1) for name in tasks]
         ))  # fmt: skip
    rows = played(0.8)
    sent(
        "agent-seeds",
        {"planner": table(head, rows), "chat": table(head, played(0.1, 3))},
        {
            "a-task-short": table(head, rows[:-1]),
            "twice": table(head, [*rows, rows[-1]]),
        },
    )


def arena():
    draw = random.Random(1200)
    strengths = {"large": 1.2, "medium": 0.6, "small": 0.0, "tiny": -0.9, "tuned": 0.7}
    judges = ("ana", "bor", "cene", "model")
    rows = []
    for n in range(150):
        for _ in range(3):
            a, b = draw.sample(sorted(strengths), 2)
            judge = draw.choice(judges)
            lead = strengths[a] - strengths[b] + draw.gauss(0, 1) + 0.2 * (judge == "model")
            winner = "tie" if abs(lead) < 0.4 else a if lead > 0 else b
            rows.append((f"p{n:03}", a, b, winner, judge))
    # a judge votes once on a prompt and pair
    seen = {(row[0], frozenset(row[1:3]), row[4]): row for row in rows}
    head = ("prompt", "model_a", "model_b", "winner", "judge")
    write(HERE.parent.parent / "examples" / "arena", "votes.csv", table(head, seen.values()))


MADE = (
    *(
        titanic,
        house_prices,
        hm,
        instacart,
        kdd_cup_2012,
        msmarco,
        recsys_2018,
        otto,
        tissue_masks,
        wheat_boxes,
        survival,
        votes_of_experts,
        stable_credit,
        organ_values,
        agent_seeds,
        arena,
    ),
    *(semeval_2017, tweet_extraction, bioasq, trec_diversity, glue),
)

if __name__ == "__main__":
    for make in MADE:
        make()
