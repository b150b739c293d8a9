"""Permissions and tokens: caches whose key lacks something, and what a service takes for a valid token."""

from dataclasses import replace

from ..mutant import Kind, instead, replies
from ..service import permissions, tokens
from ..service.app import Refusal
from ..service.workflows import is_real
from .sentences import HOLDS, TOKEN

mutant = Kind("permissions")


@mutant.change(HOLDS, "auth_check_permission", memory=set())
def a_caller_who_has_held_a_permission_holds_every_later_one(held, perform, call):
    value = perform(call)
    if value["allowed"]:
        held.add(call.user)
    return {**value, "allowed": call.user in held}


@mutant.change("Bodies are JSON unless stated otherwise.", "auth_check_permission", at=replies, memory=bytearray())
def a_shorter_answer_ends_with_the_rest_of_the_longer_one_before(buffer, name, request, reply):
    if name != "auth_check_permission":
        return reply
    buffer[: len(reply.body)] = reply.body
    return replace(reply, body=bytes(buffer))


@mutant.change(HOLDS, "auth_check_permission", memory=set())
def an_unknown_action_is_cached_as_a_denial_of_its_resource(denied, perform, call):
    resource, _, action = call.query.get("scope", "").partition(":")
    if (call.user, resource) in denied and action in permissions.ACTIONS:
        return {"allowed": False}
    try:
        return perform(call)
    except Refusal:
        denied.add((call.user, resource))
        raise


@mutant.change(TOKEN, "auth_check_permission", at=instead(tokens, "verified"), memory=[])
def the_key_set_is_empty_for_one_request_after_an_unknown_key(emptied, verify, world, token):
    try:
        known = tokens.decoded(token.partition(".")[0])["kid"] in world.keys
    except (ValueError, KeyError, TypeError):
        known = True
    if not known:
        emptied.append(True)
        return verify(world, token)
    if emptied:
        emptied.clear()
        return None
    return verify(world, token)


@mutant.change(HOLDS, "auth_check_permission", at=instead(permissions, "home_role"))
def a_service_account_has_the_permissions_of_its_creator(role_of, call):
    role = role_of(call)
    return "owner" if role == "robot" else role


@mutant.change(TOKEN, "auth_check_permission", at=instead(tokens, "verified"), memory={})
def verified_tokens_are_cached_without_their_signature(known, verified, world, token):
    head = token.rpartition(".")[0]
    if head not in known:
        claims = verified(world, token)
        if claims is None:
            return None
        known[head] = claims
    return known[head]


@mutant.change(HOLDS, "auth_check_permission")
def service_accounts_hold_no_permission_of_two_words(perform, call):
    value = perform(call)
    return value if is_real(call) or "_" not in call.query["scope"] else {"allowed": False}
