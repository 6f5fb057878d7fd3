"""Every sentence a load can say, in English, with %(name)s where a value goes; pages translate these texts."""

from typing import Final

# The text as a whole
EMPTY: Final = "There is nothing here yet: paste nodes and pods as YAML or JSON."
TOO_LARGE: Final = "The text has %(size)s characters; at most %(limit)s are accepted."
TOO_MANY_DOCUMENTS: Final = "This is document %(count)s of the text; at most %(limit)s documents are accepted."
UNPRINTABLE: Final = "The character %(code)s is not allowed in YAML or JSON: is this a binary file?"
MORE_PROBLEMS: Final = "Only the first %(count)s problems are shown."

# One document
BROKEN_YAML: Final = "This is not valid YAML; its parser says “%(detail)s”."
BROKEN_JSON: Final = "This is not valid JSON; its parser says “%(detail)s”."
TAB: Final = "A tab cannot indent YAML: use spaces."
TOO_MANY_DIRECTIVES: Final = "There are more than %(limit)s %%TAG lines; that is more than is accepted."
TOO_DEEP: Final = "This is nested more than %(limit)s levels deep."
TOO_MANY_VALUES: Final = "There are more than %(limit)s values here; that is more than is accepted."
TOO_MANY_ENTRIES: Final = "There are more than %(limit)s entries in this map or list; that is more than is accepted."
ALIAS_BOMB: Final = "The alias *%(name)s makes this grow beyond %(limit)s values; that is more than is accepted."
ALIAS_CYCLE: Final = "The alias *%(name)s stands inside its own anchor."
ALIAS_UNKNOWN: Final = "The alias *%(name)s has no anchor &%(name)s before it."
LONG_NUMBER: Final = "A number of %(digits)s digits is too long."
DUPLICATE_KEY: Final = "The key %(key)s is already set in this map."
NULL_KEY: Final = "A key cannot be null: quote it if it is a text."
COMPLEX_KEY: Final = "A key must be a plain text, not a list or a map."
MERGE_VALUE: Final = "A merge key (<<) takes a map, an alias of one, or a list of them."
BAD_TAG: Final = "%(value)s is not a value of the type !!%(tag)s."
NOT_A_JSON_NUMBER: Final = "%(value)s is not a number that Kubernetes accepts."

# What a parser cannot read
YAML_COLON: Final = (
    "No key can stand here: give each key its own line, and quote a text that holds a colon and a space."
)
YAML_QUESTION: Final = "No key can begin with ? here: write key: value, or quote a text that begins with ?."
YAML_DASH: Final = (
    "No list item can begin here: put each - on its own line below the key, and quote a text that begins with -."
)
YAML_START: Final = "A value cannot begin with %(character)s: put the text in quotes."
YAML_LIST: Final = "This list is not closed, or a comma is missing: separate its items with commas and end it with ]."
YAML_MAP: Final = "This map is not closed, or a comma is missing: separate its entries with commas and end it with }."
YAML_OPEN: Final = "The text ends here, but a [ or { before this is not closed."
YAML_DEEP: Final = "Lists and maps are nested far too deeply here."
YAML_ITEM: Final = "A list item was expected: begin this line with -, indented like the items before it."
YAML_KEY: Final = "A key was expected: indent this line like the keys beside it, and write a colon after each key."
YAML_NO_COLON: Final = "A colon is missing: write key: value, with a space after the colon."
YAML_FLOW_COLON: Final = "No colon can stand here: quote a text within { } or [ ] that holds one."
YAML_DOCUMENT_IN_QUOTES: Final = "A line of --- or ... ends the document before the quotes of this text are closed."
YAML_ANCHOR: Final = "A name must follow & or *: quote a text that begins with one of them."
YAML_NO_VALUE: Final = "A value is missing here: write one, or remove what comes before it."
YAML_BLOCK_HEADER: Final = (
    "After | or > only +, -, a digit from 1 to 9 and a comment may follow: the text begins on the next line."
)
YAML_DOCUMENT: Final = "This does not belong to the document before it: indent it, or begin a new document with ---."
YAML_TAG: Final = "This tag (!) cannot be read: quote a text that begins with !."
YAML_DIRECTIVE: Final = (
    "A line that begins with a percent sign instructs the YAML parser, and this one cannot be read: quote the text."
)
JSON_COMMA: Final = "A comma or a closing bracket was expected here."
JSON_COLON: Final = "A colon was expected here, after the key."
JSON_KEY: Final = "A key in double quotes was expected here; no comma may stand before }."
JSON_TRAILING_COMMA: Final = "No comma may stand before a closing bracket."
JSON_VALUE: Final = (
    "A value was expected here: a text in double quotes, a number, true, false, null, { or [; "
    "no comma may stand before ]."
)
JSON_CONTROL: Final = "A text in quotes cannot hold a line break or a tab: write \\n or \\t."
JSON_NUMBER: Final = "NaN and Infinity are not numbers in JSON."
OPEN_QUOTES: Final = "The quotes of this text are never closed."
BAD_ESCAPE: Final = "This cannot follow a backslash in double quotes: write \\\\ for the backslash itself."
BAD_HEX: Final = "Hexadecimal digits must follow here: two after \\x, four after \\u, eight after \\U."

# One object
UNREADABLE: Final = "This object cannot be decoded: %(detail)s."
NOT_AN_OBJECT: Final = "Expected a Kubernetes object with apiVersion and kind here, got %(got)s."
MISSING_FIELD: Final = "%(field)s is missing: every Kubernetes object needs apiVersion and kind."
LIST_ITEMS: Final = "%(kind)s needs items, a list of objects."
UNKNOWN_KIND: Final = "%(kind)s (%(version)s) plays no part in scheduling here and is ignored."
WRONG_VERSION: Final = "There is no kind %(kind)s in %(version)s."
SECOND_CONFIGURATION: Final = "There can be only one KubeSchedulerConfiguration."
UNKNOWN_FIELD: Final = 'unknown field "%(path)s"'
WRONG_TYPE: Final = "%(path)s: expected %(expected)s, got %(got)s."
OUT_OF_RANGE: Final = "%(path)s: %(value)s is outside the range of the field (%(low)s to %(high)s)."
BAD_QUANTITY: Final = "%(path)s: %(detail)s."
NOT_ONE_OF: Final = "%(path)s: %(value)s is not one of %(choices)s."
DUPLICATE_OBJECT: Final = "%(kind)s %(name)s is already defined at line %(line)s."

# What the API server checks
REQUIRED: Final = "%(path)s is required."
INVALID_NAME: Final = "%(path)s: %(value)s is not a valid name: use lower-case letters, digits, - and ."
INVALID_LABEL_NAME: Final = "%(path)s: %(value)s is not a valid name: use at most 63 lower-case letters, digits and -"
INVALID_LABEL_KEY: Final = "%(path)s: %(detail)s."
INVALID_LABEL_VALUE: Final = "%(path)s: %(detail)s."
INVALID_SELECTOR: Final = "%(path)s: %(detail)s."
SELECTOR_OPERATOR: Final = "%(path)s is missing: write one of %(choices)s."
SELECTOR_VALUES: Final = "%(path)s: the operator %(operator)s needs at least one value."
SELECTOR_NO_VALUES: Final = "%(path)s: the operator %(operator)s takes no values."
SELECTOR_ONE_VALUE: Final = "%(path)s: the operator %(operator)s needs exactly one value here."
SELECTOR_NUMBER: Final = "%(path)s: the operator %(operator)s compares whole numbers, and %(value)s is none."
INVALID_TIME: Final = "%(path)s: %(value)s is not a time: write one such as 2030-01-01T00:00:00Z."
NAMESPACE_UNWANTED: Final = "%(kind)s is not in a namespace: metadata.namespace is ignored."
NO_CONTAINERS: Final = "%(path)s: a pod needs at least one container."
DUPLICATE_NAME: Final = "%(path)s: the name %(value)s is used twice."
NEGATIVE: Final = "%(path)s: %(value)s must not be negative."
OVER_LIMIT: Final = "%(path)s: the request %(value)s is more than the limit %(limit)s."
LIMIT_EQUAL: Final = (
    "%(path)s: the request %(value)s must equal the limit %(limit)s: %(resource)s cannot be overcommitted."
)
LIMIT_MISSING: Final = "%(path)s: the API server refuses a request of %(resource)s that has no equal limit."
NOT_INTEGER: Final = "%(path)s: %(value)s must be a whole number: %(resource)s is counted in units."
RESOURCE_NAME: Final = (
    "%(path)s: %(value)s is not a resource of containers: cpu, memory, ephemeral-storage, hugepages-… or domain/name."
)
OUT_OF_BOUNDS: Final = "%(path)s: %(value)s must be from %(low)s to %(high)s."
NOT_POSITIVE: Final = "%(path)s: %(value)s must be greater than zero."
UNSUPPORTED: Final = "%(path)s: %(value)s is not supported: write one of %(choices)s."
TOLERATION_EXISTS: Final = "%(path)s: value must be empty when the operator is Exists."
TOLERATION_NO_KEY: Final = "%(path)s: the operator must be Exists when key is empty."
TOLERATION_SECONDS: Final = "%(path)s: tolerationSeconds needs the effect NoExecute."
TOLERATION_COMPARE: Final = "%(path)s: Lt and Gt need the feature gate TaintTolerationComparisonOperators."
PRIORITY_MISMATCH: Final = "%(path)s: the priority %(value)s differs from that of the class %(name)s, %(wanted)s."
HOST_PORT_MISMATCH: Final = "%(path)s: hostPort must equal containerPort when hostNetwork is true."
DUPLICATE_CONSTRAINT: Final = "%(path)s: a constraint with this topologyKey and whenUnsatisfiable is already there."
MIN_DOMAINS: Final = "%(path)s: minDomains needs whenUnsatisfiable: DoNotSchedule."
MATCH_LABEL_KEYS: Final = "%(path)s: matchLabelKeys needs a labelSelector."
TEMPLATE_MISMATCH: Final = "%(path)s: the selector does not match the labels of the template."
SELECTOR_NOTHING: Final = "%(path)s: this selector matches no pod of the text."
DUPLICATE_TAINT: Final = "%(path)s: a taint with this key and effect is already there."
ONE_OF: Final = "%(path)s: exactly one of %(choices)s must be set."
UNKNOWN_VOLUME: Final = "%(path)s: there is no volume %(value)s in this pod."
CLASS_RESERVED: Final = "%(path)s: the prefix system- is reserved for the classes that Kubernetes itself makes."
CLASS_VALUE: Final = "%(path)s: %(value)s is more than 1000000000, which only system classes may have."
STEP_ACTION: Final = "%(path)s: a step needs one of %(choices)s."
STEP_TARGET: Final = "%(path)s: write the pod as namespace/name."
