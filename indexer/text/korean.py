"""Korean for the analyzer: where a word's particle or ending begins, and words that say nothing.

No dictionary: closed classes only. It is used on queries, to weigh what a person asked about above
the grammar it was asked in; documents keep every syllable, so a wrong cut costs weight, not a match.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_PARTICLES = (
    "은 는 이 가 을 를 의 에 도 만 로 와 과 랑 나 야 요 께 고 서 "
    "에서 에게 에는 에도 에만 에서는 에서도 에서의 에게서 으로 으로는 으로도 으로서 으로써 로서 로써 로는 로도 로부터 "
    "으로부터 부터 까지 까지는 까지만 부터는 보다 보다는 처럼 만큼 마다 마저 조차 밖에 대로 대해 대한 한테 한테서 "
    "께서 께서는 이랑 이나 이든 이든지 든지 라도 이라도 이라는 라는 라고 이라고 이란 란 하고 와의 과의 와는 과는 들 들이 "
    "들은 들을 들의 들에 들에게 들로 들과 이고 이며 이면 인데 인지 이지 이야 이다 입니다 입니까 인가 인가요 이에요 예요 "
    "이었다 이었던 였다 였던 이었 였 일까 일까요 이지만 이라 라서 이라서 인 일"
)
_ENDINGS = (
    "기 기를 기가 기는 기에 기도 기만 기로 기까지 기위해 는 는지 는지를 는데 는게 는걸 는것 은지 은데 던 던지 던데 "
    "고 고서 고나서 며 면 면서 면은 아서 어서 여서 아야 어야 여야 아도 어도 여도 으면 으며 으면서 으니 니까 으니까 "
    "지 지만 지는 지도 지를 지않 지마 지말 지요 죠 자 자마자 게 게끔 도록 려고 으려고 려면 으려면 러 으러 다가 거나 든가 "
    "다 는다 았다 었다 였다 았던 었던 였던 았을 었을 았는 었는 습니다 습니까 읍시다 세요 으세요 십시오 으십시오 "
    "나요 가요 까요 을까 을까요 아요 어요 여요 아라 어라 여라 네 네요 군요 구나 아 어 음 음을 음이 아지는 어지는 어지지 "
    "았어 었어 였어 았지 었지 였지 았나 었나 였나 았어요 었어요 였어요 았습니다 었습니다 였습니다"
)
_DO = (  # 하다, 되다, 시키다 and 받다, after a noun that stands by itself
    "하 하기 하기를 하기가 하기는 하기에 하기도 하기위해 하는 하는데 하는지 하는지를 하는게 하는걸 하는것 하던 하던데 하고 "
    "하고서 하며 하면 하면서 하여 하여서 하여야 하지 하지만 하지는 하지도 하지마 하지말 하자 하자마자 하게 하도록 하려고 하려면 "
    "하러 하다 하다가 하거나 하든 하네 하세요 하십시오 하시오 하나 하나요 하니 하니까 하라 하라고 하란 하는가 하는가요 "
    "한 한다 한다고 한다면 한지 한데 한것 할 할지 할까 할까요 할때 할수 할게 할래 함 함을 함이 함으로 함으로써 합니다 합니까 "
    "합시다 해 해서 해서는 해야 해야하 해도 해라 해요 해주 해줘 해주세요 해봐 했 했다 했던 했는 했는데 했는지 했을 했어 했어요 "
    "했지 했나 했나요 했습니다 했더니 했으면 했고 하였다 하였던 하였습니다 "
    "되 되기 되는 되는데 되는지 되는게 되던 되고 되며 되면 되면서 되어 되어서 되어야 되지 되지만 되지는 되게 되도록 되려면 되다 "
    "되다가 되거나 되니 되니까 되나 되나요 되어있 된 된다 된다고 된다면 된지 된데 된것 될 될지 될까 될까요 될때 됨 됨을 됩니다 "
    "됩니까 돼 돼서 돼야 돼도 돼요 됐 됐다 됐던 됐는 됐는데 됐을 됐어 됐어요 됐지 됐습니다 되었다 되었던 되었습니다 되었는 "
    "시키기 시키는 시키고 시키면 시켜 시켜서 시켜야 시킨 시킨다 시킬 시킴 시킵니다 시켰다 시켰던 받기 받는 받은 받을 받아 받고 받았다 "
    "당하 당한 당했다 스럽 스러운 롭게 로운 적 적인 적으로 적이"
)


def _suffix_pattern(*lists: str) -> re.Pattern[str]:
    suffixes = {suffix for words in lists for suffix in words.split()}
    return re.compile("(?:" + "|".join(sorted(suffixes, key=len, reverse=True)) + ")$")


_PARTICLE: Final = _suffix_pattern(_PARTICLES)
_ENDING: Final = _suffix_pattern(_ENDINGS, _DO)

_FUNCTION_WORDS = """
것 거 게 걸 건 수 때 등 및 또 또는 그리고 그러나 하지만 그런데 그래서 그러면 그럼 혹은 혹시 아니면 아니 아니라 만약 만일 만약에
이 그 저 이것 그것 저것 이거 그거 저거 이게 그게 저게 이런 그런 저런 이렇게 그렇게 저렇게 여기 거기 저기 이번 저번
나 내 너 네 우리 저희 제 나의 내가 네가 너의 너희 당신 나한테 너한테 저한테 나는 너는 저는 나에게 너에게 저에게
어떻게 어떤 어떠한 어떨 어때 어떻 어떤지 어떠 어디 어디서 어디에 어디에서 어디로 어느 언제 언제까지 언제부터 누구 누가 누구한테
누구에게 무엇 무엇을 무엇이 무슨 뭐 뭐가 뭐를 뭘 뭔지 뭔가 뭐였지 뭐지 뭐야 왜 얼마 얼마나 얼마만큼 몇
중 중에 중에서 중에는 둘 더 덜 가장 제일 매우 아주 너무 좀 조금 잘 못 안 다시 모두 다 각 각각 바로 이미 아직 항상 자주 많이
하다 하기 하는 하고 하면 하자 하지 해 해라 해야 해줘 해주세요 해서 했 했던 했지 한 할 합니다 하도록 하는지 하려면
있다 있는 있어 있어요 있나 있나요 있을 있을까 있습니다 있습니까 있고 있으면 있던 있니 있지 있게 있었 있었지 있었던
없다 없는 없어 없이 없고 없을 없습니다 없으면 없던
되다 되는 되어 돼 돼요 되나 되나요 된 될 됩니다 되지 된다 되고 됐 됐지 되면 되니 될까
이다 입니다 인가 인가요 인지 이야 일까 인데 이지 아니야 아닌
말고 말아 말자 마 마라 마세요 맙시다 말아라 않고 않는 않은 않을 않아 않게 않습니다 않도록
위해 위한 위해서 대해 대한 대해서 관해 관한 관련 통해 따라 따른 의해 의한 대신 함께 같이 같은 처럼 경우 경우에 정도 쪽 편 번
알려줘 알려 알려주세요 알려줄래 알고 알아 알아봐 알아봐줘 말해 말해줘 말해봐 보여줘 보여 보여주세요 찾아 찾아줘 찾아주세요
싶다 싶어 싶은 싶은데 싶습니다 궁금해 궁금한 궁금합니다 주세요 줘 줄래 주실 주십시오 부탁해 부탁 좋을까 좋아 좋을지 좋겠어
거야 거지 건지 건가 건가요 거예요 것인가 것은 것이 것을 것들 게 수가 수도 수는 때문 때문에 때는 때에
"""
FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS.split())
"""Left out of queries: bound nouns, pronouns, question words, light verbs and request verbs, each in
the forms that questions use. Compared with the whole word and with its stem."""


@lru_cache(maxsize=16_384)
def stem_length(word: str, *, at_least: int = 2) -> int:
    """How many syllables of a run of Hangul carry its meaning, *at_least* so many if it has them.

    The longest particle goes, then the longest ending (``설정하기를`` -> ``설정``). Two syllables stay by
    default, as too many nouns end like a particle does (``회의``, ``거리``).
    """
    length = len(word)
    for pattern in (_PARTICLE, _ENDING):
        if found := pattern.search(word, at_least, length):
            length = found.start()
    return length


def is_particle(word: str) -> bool:
    """Whether *word* can be nothing but a particle or an ending."""
    return any(pattern.fullmatch(word) for pattern in (_PARTICLE, _ENDING))


def is_function_word(word: str) -> bool:
    """Whether *word* is grammar or the frame of a question, and not what is asked about."""
    return word in FUNCTION_WORDS or word[: stem_length(word)] in FUNCTION_WORDS
