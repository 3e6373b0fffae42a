"""Vectors seen from the middle of a few everyday texts, so that their cosines use the whole scale.

A transformer puts all texts into one corner: two that have nothing in common have a cosine of 0.8 with
multilingual-e5-small, and of 0.1 with a static model. The fusion of both legs and the confidence are fitted
to the latter scale. What the texts below have in common is what all texts have; without it the
vectors rank as before and their cosines mean what they mean elsewhere (Mu and Viswanath, 2018:
"All-but-the-top"). docs/embedding.md has the figures.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

CENTRE_VERSION: Final = "c1"  # of TEXTS and of what is done with them: in every fingerprint

TEXTS: Final = (
    "The build fails because a dependency is missing.",
    "어제 저녁에 먹은 김치찌개가 맛있었다",
    "def add(a: int, b: int) -> int:\n    return a + b",
    "Train timetable for Sunday",
    "회의는 목요일 오후 세 시로 옮겼습니다",
    "SELECT name FROM users WHERE id = 7;",
    "How do I reset my password?",
    "주문 취소와 환불 절차",
    "A heavy rain fell on the old harbour",
    "TimeoutError: connection pool exhausted",
    "우리 팀은 배포 전에 테스트를 돌린다",
    "npm install --save-dev typescript",
    "Which colour should the kitchen wall be?",
    "데이터베이스 인덱스가 느린 이유",
    "The museum opens at nine and is closed on Mondays.",
    "git rebase 하다가 충돌이 났을 때",
)
"""Nothing to do with each other. 8 serve nearly as well, 32 no better."""


def centre_of(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The middle of the vectors of TEXTS, whose lengths do not matter."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray((rows / np.maximum(lengths, 1e-12)).mean(axis=0), np.float32)


def centred(rows: NDArray[np.float32], centre: NDArray[np.float32]) -> NDArray[np.float32]:
    """*rows* seen from *centre*, of length 1; a row of zeros, which stands for no text, stays one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    moved = rows / np.maximum(lengths, 1e-12) - np.where(lengths > 0, centre, 0.0)
    return np.asarray(
        moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-12), np.float32
    )
