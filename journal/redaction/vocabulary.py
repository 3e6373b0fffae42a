"""The words by which names and values are judged; lists only."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TYPE_NAMES: Final = _words(
    """
    str string strings text int integer number float double decimal bool boolean any bytes byte
    bytearray none null nil undefined true false yes no on off void never unknown object array
    list tuple dict map set record promise optional option maybe result uuid guid buffer char
    varchar nvarchar blob json jsonb symbol date datetime timestamp self this super cls new await
    async lambda function func def fn return returns not in is and or if elif else for while with
    from typeof instanceof delete yield import export const let var static final public private
    protected readonly required optional mandatory missing empty hidden visible masked redacted
    removed sensitive secretstr nonnull nullable default unset blank n/a na tbd todo pass raise
    break continue try except finally
    """
)
"""Types, keywords and empty values: what stands for a value in code."""

LABEL_PARTS: Final = _words(
    """
    pass password passwd pwd passphrase passcode secret secrets token tokens key keys api access
    auth client user login new old current confirm confirmation repeat db database admin root
    private public refresh bearer session csrf id my the your name field value reset forgot change
    credential credentials authorization
    """
)
"""Words that names of secrets are made of."""

GOES_ON: Final = _words(
    """
    s key keys accesskey val value string str prod dev test staging live id access text txt
    """
)
"""What may be glued to a word that announces a secret: ``tokens``, ``SECRETKEY``."""

NO_SECRET_AFTER: Final = _words(
    """
    hash hashes hashed hasher length len count counts counter file files filename path paths dir
    directory field fields type types name names url urls uri uris endpoint expires expire expiry
    expiration expired exp ttl lifetime age at policy limit limits budget size sizes id ids index
    idx indices pos position offset start end begin line lineno col column columns kind class list
    lists map mapping set sets dict re regex regexp pattern patterns format version usage used max
    min num number reset required enabled disabled enable disable valid invalid validity strength
    label labels placeholder hint input inputs output outputs error errors err message msg prompt
    store storage stores manager provider service helper handler factory validator validators
    validation rule rules schema model bits bit algorithm algo alg cost rounds iterations iter
    protected less based table row view page form button link icon screen dialog component props
    generator generate rotation scope scopes info status state mode method methods func function
    callback fn source sources stream buffer ring chain pair pairs word words stroke board frame
    frames space event events press up down code codes binding bindings stdin env var vars ref refs
    reference budget per cost window rate embedding embeddings logits mask ids2 split splitter
    parser lexer bucket filter check checker match matches attempts tries retries changed updated
    created issued date time timestamp selector option options param params argument args arg
    """
)
"""After such a word in the same name, what is kept there is no secret."""

PASSWORDS: Final = _words(
    """
    password passwords passwd passwort passphrase passcode pass pwd pw userpass userpassword
    dbpassword mypassword secret secrets credential credentials cred creds cookie cookies otp cvv
    cvc ssn pin apikey apikeys accesskey secretkey privatekey signingkey authkey authtoken
    accesstoken refreshtoken idtoken bearertoken sessiontoken bearer authorization jwt htpasswd
    netrc pgpassword connectionstring
    """
)
"""In a key of a JSON object, each announces a secret."""

KEY_QUALIFIERS: Final = _words(
    """
    api access secret private account signing sign encryption encrypt master service auth license
    licence ssh consumer client deploy storage shared subscription webhook session jwt hmac
    symmetric security rsa gpg pgp age ssl tls
    """
)
"""In front of "key", each announces a secret."""

HARMLESS: Final = _words(
    """
    hash count counts length len max min num number limit limits budget usage used total input
    output prompt completion cached cache reasoning expires expiry expiration exp ttl at type types
    name names url uri endpoint file files path dir id ids field fields policy hint label
    placeholder index position kind version enabled disabled required valid reset size rate cost
    estimate estimated remaining per method mode scopes scope provider status
    """
)
"""In a key of a JSON object, each says that it is about a secret and holds none."""

NO_ARGUMENT: Final = _words(
    """
    option options flag flags argument arguments parameter parameters switch requires is and or to
    must can may should not
    """
)
"""Behind ``--token`` they belong to the sentence, not to the command."""
