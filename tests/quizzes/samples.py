"""A question set that is not the shipped one: every feature of the format, small."""

from quizzes.content_format import schema
from quizzes.content_format.schema import Text

LAB_TEXT = """\
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    image: example/web:1
    resources: {requests: {cpu: "1"}}"""

SINGLE = schema.Question(
    name="which-node",
    type="single",
    topic=Text("노드", "Nodes"),
    stem=Text("어느 노드일까요?", "Which node will it be?"),
    options=(
        schema.Option("a", Text("첫째 보기", "First option"), Text("거짓인 까닭", "Why-first-is-false")),
        schema.Option(
            "b", Text("둘째 `보기`", "Second `option`"), Text("참인 까닭", "Why-second-is-true"), correct=True
        ),
    ),
    explanation=Text("설명 **글**", "Explained-here **text**\n\n```yaml {2}\napiVersion: v1\nkind: Pod\n```"),
    misconceptions=(schema.Misconception(Text("헛소문", "A-rumour"), Text("사실", "The-truth")),),
    links=(schema.Link(Text("문서", "The docs"), "https://kubernetes.io/docs/"),),
    lab=schema.Lab(
        title=Text("작은 클러스터", "A small cluster"),
        text=LAB_TEXT,
        predict=schema.Predict(Text("어디로?", "Where to?"), "default/web", "node", ("node-a", "pending")),
        look=schema.Look(phase="Score", plugin="NodeResourcesFit"),
        hint=Text("힌트", "A hint"),
        walkthrough=Text("점수 {{fit}}", "The score was {{fit}}."),
        claims=(schema.Claim("fit", "cycles[default/web].result.node", "node-a"),),
    ),
)

MULTIPLE = schema.Question(
    name="which-points",
    type="multiple",
    topic=Text("확장 포인트", "Extension points"),
    stem=Text("맞는 것은?", "Which are true?\n\n- one\n- two"),
    options=(
        schema.Option("x", Text("가", "Ex"), Text("맞음", "Why-x"), correct=True),
        schema.Option("y", Text("나", "Why"), Text("틀림", "Why-y")),
        schema.Option("z", Text("다", "Zed"), Text("맞음", "Why-z"), correct=True),
    ),
    explanation=Text("설명", "Explained-there"),
)

SAMPLE = schema.QuestionSet(
    name="sample",
    version=1,
    kubernetes_version="1.35",
    title=Text("견본", "Sample"),
    description=Text("견본 모음", "A sample set"),
    questions=(SINGLE, MULTIPLE),
)
