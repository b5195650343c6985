"""Every variant of a metric that reads hits, and random lists to try them on."""

from functools import cache
from types import SimpleNamespace

from hypothesis import strategies as st

from scorer.core.registry import discover
from scorer.metrics.base import Metric, measure
from scorer.metrics.notation import parse

METRICS = discover("metric", "scorer.metrics", Metric)
CONSTANTS = SimpleNamespace(max_grade=4.0, catalogue=20)

# every variant of a metric that reads hits; one that is registered and missing here fails a test
VARIANTS = """
P@3 P(denominator=returned)@5 P(rel=1.5,judged_only=True)@2
R@3 R(denominator=capped)@2 R(rel=2,judged_only=True)@2
F@3 F(beta=2,rel=2)@2 F(beta=0.5,judged_only=True)@4
SetP SetP(rel=2,judged_only=True) SetP(relative=True) SetR SetR(rel=2)
SetF SetF(beta=2) SetF(rel=2,judged_only=True) SetAP SetAP(judged_only=True)
SetRelP SetRelP(rel=0.5,judged_only=True)
Success@2 Success(rel=2,judged_only=True)@1 Rprec Rprec(rel=0.5) Rprec(judged_only=True)
AP AP@2 AP(rel=2) AP(judged_only=True)@3 AP(denominator=capped) AP(denominator=capped)@2
AP(denominator=returned) AP(denominator=returned)@2 AP(denominator=hits) AP(denominator=hits)@2
RR RR@2 RR(rel=2,judged_only=True)
MARp@1 MARp@2,5 MARp(at_cutoff=cut)@2,5
CG CG@2 DCG DCG@3 DCG(gain=exp2) DCG(discount=jarvelin)@3 DCG(gain={1:3,2:0.5,0:1})
nDCG nDCG@2 nDCG(gain=exp2)@3 nDCG(discount=jarvelin) nDCG(ideal=uncut)@2
nDCG(ideal=returned) nDCG(ideal=returned,gain=exp2)@3 nDCG(ideal=reordered)@2
nDCG(judged_only=True)@2 nDCG(gain={1:5,2:3,3:9})@3 nDCG(gain={1:5,2:3},ideal=reordered)
ERR ERR@2 ERR(max_grade=4)
RBP(p=0.5) RBP(p=0.8,rel=2) Bpref Bpref(rel=2) InfAP InfAP(rel=2)
IPrec@0 IPrec@0.1 IPrec(rel=0.5)@0.5 IPrec(judged_only=True)@0.75 IPrec@1
AUC AUC@3 AUC(pairs=all) AUC(pairs=all)@2 AUC(pairs=all,rel=2,catalogue=30)@3
Judged@1 Judged@3 NumQ NumRet NumRet(rel=1) NumRel NumRel(rel=2) NumRelRet NumRelRet(rel=2)
TauAP TauAP(over=truth) Tau Rho
INST INST(T=3,depth=9) INST(T=0.5,max_grade=2) INSQ INSQ(T=2,min_grade=0.5,depth=5) SDCG@3 SDCG@20
BPM@3 BPM(T=2,max_grade=1)@10 NERR8@3 NERR8(max_grade=2)@20 NERR9@3 NERR9(min_grade=1)@20
NERR10 NERR10(p=0.5,depth=4) NERR11 NERR11(T=2,max_grade=3,depth=6)
Q Q@2 Q(rel=2) Q(gain=exp2,beta=0.5)@3 Q(denominator=relevant)@3 Q(gain={1:5,2:3},beta=10)
nERR nERR@2 nERR(max_grade=5)@3 iRBU iRBU(p=0.5)@3 iRBU(max_grade=4)
Compat Compat(p=0.5) Compat(normalize=false) RBO RBO(p=0.5) RBO(p=0.8,tail=zero)
Hits@1 Hits@2 Hits(rel=2)@1
Clicks(page=2) Clicks(page=1,none=7,rel=2)
"""
NOTATIONS = VARIANTS.split()

# the same of metrics that look at subtopics
OF_SUBTOPICS = """
alpha_DCG@3 alpha_DCG(alpha=0.9,normalize=false)@5 alpha_DCG(rel=2,judged_only=true)@2
alpha_nDCG@1 alpha_nDCG@5 alpha_nDCG(alpha=0,rel=2)@3 alpha_nDCG(alpha=1,judged_only=true)@9
ERR_IA@1 ERR_IA(judged_only=true)@4 nERR_IA@2 nERR_IA(rel=2)@9 NRBP NRBP(alpha=0.1,beta=0.9)
nNRBP nNRBP(alpha=0.9,beta=0.1,rel=2) AP_IA AP_IA(rel=2,judged_only=true) P_IA@3
P_IA(judged_only=true)@2 StRecall StRecall(rel=2)@2
"""
DIVERSE = OF_SUBTOPICS.split()


@cache
def bound(notation):
    return measure(METRICS.get(parse(notation)[0]), notation).settled(CONSTANTS)


ITEMS = "abcdefgh"
GRADES = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.0, 1.5, 2.0, 2.0, 3.0]
ORDER = [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]


@st.composite
def pairs(draw, order=False, tied=False, most=8):
    """A submitted list, in groups that tie, and its truth; either may be empty."""
    known = draw(st.lists(st.sampled_from(ITEMS), unique=True))
    grades = (
        draw(st.permutations(ORDER))
        if order
        else draw(st.lists(st.sampled_from(GRADES), min_size=len(known), max_size=len(known)))
    )
    items = draw(st.lists(st.sampled_from(ITEMS), unique=True, max_size=most))
    groups = [[item] for item in items]
    if tied:
        cuts = draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items)))
        groups = []
        for item, new in zip(items, cuts, strict=True):
            if new or not groups:
                groups.append([])
            groups[-1].append(item)
    return groups, dict(zip(known, grades[: len(known)], strict=True))


def refuses(notation):
    made = bound(notation)
    wrong = made.params.get("denominator") in ("returned", "hits") and made.metric.name == "AP"
    return wrong or made.params.get("pairs") == "recommended"
