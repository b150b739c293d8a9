"""Endpoints 9: apply template to a new sub-project."""

from __future__ import annotations

import pytest

from project_platform_stub.world.domain import Part, Template

VALUES = {"client": "Acme", "contactEmail": "ops@acme.example"}


@pytest.fixture
def apply(api, stub):
    """Apply a template, by default the first of the demo project."""

    def apply(template=None, *, client=api, **body):
        named = {} if template is None else {"templateId": template}
        return client.call("templates_apply", **named, **{"name": "Acme", **body})

    return apply


@pytest.fixture
def add_template(stub):
    def add_template(*parts, variables=()):
        stub.project.templates["tpl_test"] = Template("tpl_test", "Test", tuple(variables), tuple(parts))
        return "tpl_test"

    return add_template


def outcome(response):
    """Return the report of a response, once the sub-project was created."""
    assert response.status_code == 201, response.text
    return response.json()["data"]["templateApply"]


def test_a_template_is_applied_completely(apply, stub):
    """The response has the new sub-project and the counts of its parts; existing entities are skipped."""
    response = apply(variableValues=VALUES).json()

    project = stub.world.projects[response["data"]["project"]["id"]]
    assert response["success"] is True
    assert response["data"]["project"] == {
        "id": project.id,
        "name": "Acme",
        "slug": "acme",
        "createdAt": "2026-11-02T08:30:00.000000Z",
    }
    assert response["data"]["templateApply"] == {
        "status": "applied",
        "report": {
            "counts": {
                "objectTypes": 2,
                "objectRelations": 1,
                "roles": 1,
                "workflows": 1,
                "sidebarSections": 1,
                "perRoleHides": 1,
            },
            "appliedCount": 7,
            "skipped": [{"entity": "objectType", "name": "Person"}],
            "failures": [],
            "missingVariables": [],
        },
        "error": None,
    }
    assert project.parent == stub.project.id


def test_applied_parts_are_in_the_sub_project(apply, stub):
    """Types, roles, workflows and sidebar, with the values of the variables."""
    project = stub.world.projects[apply(variableValues=VALUES).json()["data"]["project"]["id"]]

    (workflow,) = project.workflows.values()
    assert workflow["name"] == "Welcome to Acme"
    assert workflow["actions"] == [{"type": "mail", "to": "ops@acme.example"}]
    assert workflow["projectId"] == project.id
    assert project.object_types["lead"].name == "Lead of Acme"
    assert project.object_relations["campaign-leads"]["to"] == "lead"
    assert project.roles["account-manager"] == {"crm_objects:read", "crm_objects:write"}
    assert project.sidebar == [{"id": "client", "label": "Acme", "items": [{"id": "leads", "label": "Leads"}]}]
    assert project.hides == [{"role": "viewer", "item": "leads"}]


def test_the_caller_can_work_in_the_sub_project(api, sign_in, apply, refused):
    """The caller is its owner; other members of the parent are not members of it."""
    project = apply(variableValues=VALUES).json()["data"]["project"]["id"]

    lead = api.post(
        api.path("object-records", project=project), json={"typeSlug": "lead", "data": {"email": "a@b.example"}}
    )
    others = sign_in("viewer")

    assert lead.status_code == 201
    assert lead.json()["record"]["personRefId"]
    refused(others.get(others.path("agents", project=project)), 403)


def test_variables_without_a_value_are_reported(apply):
    """Parts that need them fail, each with a code, and are not counted; the others are applied. A null is not a value."""
    applied = outcome(apply(variableValues={"client": "Acme"}))

    assert applied["status"] == "partial"
    assert applied["error"]
    assert applied["report"]["missingVariables"] == ["contactEmail"]
    assert applied["report"]["failures"] == [
        {
            "entity": "workflow",
            "name": "Welcome to {{client}}",
            "error": "The variable 'contactEmail' has no value.",
            "code": "missing_variable",
        }
    ]
    assert applied["report"]["counts"]["workflows"] == 0
    assert applied["report"]["appliedCount"] == 6
    assert outcome(apply())["report"]["missingVariables"] == ["client", "contactEmail"]
    assert outcome(apply(variableValues={**VALUES, "client": None}))["report"]["missingVariables"] == ["client"]


def test_a_failing_part_does_not_affect_the_others(apply, stub):
    """Each failure has the part, the reason and a code."""
    applied = outcome(apply(list(stub.project.templates)[1], variableValues={"greeting": "x" * 201}))

    assert applied["status"] == "partial"
    assert [(failure["entity"], failure["name"], failure["code"]) for failure in applied["report"]["failures"]] == [
        ("objectRelation", "order-invoice", "unknown_object_type"),
        ("role", "clerk", "unknown_permission"),
        ("workflow", "{{greeting}}", "invalid_workflow"),
        ("perRoleHide", "clerk: orders", "unknown_role"),
    ]
    assert all(failure["error"] for failure in applied["report"]["failures"])
    assert applied["report"]["appliedCount"] == 1


def test_a_service_account_gets_no_workflow_from_a_template(apply, sign_in, stub):
    """Creating a workflow requires a real user; the other parts are applied."""
    response = apply(client=sign_in("service_account"), variableValues=VALUES)

    report = outcome(response)["report"]
    assert [(failure["entity"], failure["code"]) for failure in report["failures"]] == [
        ("workflow", "real_user_required")
    ]
    assert report["appliedCount"] == 6
    assert stub.world.projects[response.json()["data"]["project"]["id"]].workflows == {}


@pytest.mark.parametrize(("length", "landed"), [(0, 0), (1, 1), (200, 1), (201, 0)])
def test_the_limit_of_a_name_holds_after_substitution(apply, stub, length, landed):
    """A workflow of a template has the limits of workflows_create."""
    template = list(stub.project.templates)[1]

    counts = outcome(apply(template, variableValues={"greeting": "x" * length}))["report"]["counts"]

    assert counts["workflows"] == landed


def test_a_variable_is_replaced_once(apply, add_template, stub):
    """Braces in a value are literal text; values other than strings are inserted as JSON; keys and other braces are unchanged."""
    section = {"id": "s", "label": "{{ a }} {{a}} {{b}} {a} {{1}}", "items": []}
    template = add_template(Part("sidebarSection", section), variables=["a", "b"])

    response = apply(template, variableValues={"a": "{{b}}", "b": 1.50}).json()["data"]

    project = stub.world.projects[response["project"]["id"]]
    assert project.sidebar[0]["label"] == "{{b}} {{b}} 1.5 {a} {{1}}"


def test_an_undeclared_variable_fails_its_part(apply, add_template):
    """Even if the request has a value for it."""
    template = add_template(Part("objectType", {"slug": "x", "name": "{{undeclared}}"}))

    applied = outcome(apply(template, variableValues={"undeclared": "X"}))

    assert applied["report"]["failures"][0]["code"] == "missing_variable"
    assert applied["report"]["missingVariables"] == []


RELATION = Part("objectRelation", {"name": "works-at", "from": "person", "to": "company"})
SECTION = Part("sidebarSection", {"id": "s", "label": "S", "items": []})


@pytest.mark.parametrize(
    ("parts", "applied", "skipped"),
    [
        ([Part("objectType", {"slug": "company", "name": "Firm"})], 0, [("objectType", "Firm")]),
        ([Part("role", {"name": "viewer", "permissions": []})], 0, [("role", "viewer")]),
        ([RELATION, RELATION, SECTION, SECTION], 2, [("objectRelation", "works-at"), ("sidebarSection", "S")]),
    ],
)
def test_what_is_built_in_or_repeated_is_skipped(apply, add_template, parts, applied, skipped):
    report = outcome(apply(add_template(*parts)))["report"]

    assert report["appliedCount"] == applied
    assert report["skipped"] == [{"entity": entity, "name": name} for entity, name in skipped]


def test_slugs_of_projects_are_unique(apply):
    """A repeated name gets a number; a name without letters gets a default."""
    slugs = [
        apply(name=name).json()["data"]["project"]["slug"] for name in ("Café Süd!", "Cafe sud", "cafe-sud", "日本")
    ]

    assert slugs == ["cafe-sud", "cafe-sud-2", "cafe-sud-3", "project"]
