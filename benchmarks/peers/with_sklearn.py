"""AUROC, accuracy, F1, log loss and MCC by pandas and scikit-learn: FOLDER POSITIVE."""

import json
import sys

import pandas as pd
from sklearn.metrics import accuracy_score, f1_score, log_loss, matthews_corrcoef, roc_auc_score

folder, positive = sys.argv[1:]
truth, sent = pd.read_csv(f"{folder}/truth.csv"), pd.read_csv(f"{folder}/sub.csv")
rows = truth.merge(sent, on="id")
label, likely = rows["label"], rows["p"]
yes = type(label[0])(positive)
no = next(value for value in label.unique() if value != yes)
named = (likely >= 0.5).map({True: yes, False: no})
print(
    json.dumps(
        [
            roc_auc_score(label, likely),
            accuracy_score(label, named),
            f1_score(label, named, pos_label=yes),
            log_loss(label, likely),
            matthews_corrcoef(label, named),
        ]
    )
)
