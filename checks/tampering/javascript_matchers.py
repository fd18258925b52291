"""The assertions of JavaScript's frameworks in the canonical words of `matchers`.

From their own documentation: https://jestjs.io/docs/expect, https://vitest.dev/api/expect,
https://jasmine.github.io/api/edge/matchers.html, https://playwright.dev/docs/test-assertions,
https://www.chaijs.com/api/bdd/ and /assert/, https://nodejs.org/api/assert.html, https://docs.deno.com/runtime/fundamentals/testing/,
https://github.com/avajs/ava/blob/main/docs/03-assertions.md, https://node-tap.org/api/asserts/,
https://api.qunitjs.com/assert/, https://docs.cypress.io/app/references/assertions, https://github.com/chaijs/chai-as-promised
"""

from __future__ import annotations

from collections.abc import Mapping

from checks.tampering.matchers import Form
from checks.tampering.statements import each, names

# What follows `expect(x)`; argument 0 is the matcher's own first one.
EXPECT: Mapping[str, Form] = {
    **each("toBe toEqual toStrictEqual toBeOneOf toHaveReturnedWith toHaveResolvedWith", Form("equal", None, 0)),
    **each("toBeCloseTo", Form("close", None, 0, tolerance=1, places="2")),
    **each(
        "toContain toContainEqual toMatchObject toHaveProperty toContainText toHaveBeenCalledOnceWith toInclude",
        Form("contains", None, 0),
    ),
    **each("toMatch", Form("matches", None, 0)),
    **each("toBeInstanceOf toBeTypeOf toBeInstanceof toExtend toEqualTypeOf toMatchTypeOf", Form("type", None, 0)),
    **each("toHaveLength toHaveSize toHaveCount", Form("length", None, 0)),
    **each("toBeEmpty toBeEmptyDOMElement", Form("length", None, fixed="0")),
    "toBeGreaterThan": Form("compare", None, 0, sign=">"),
    "toBeGreaterThanOrEqual": Form("compare", None, 0, sign=">="),
    "toBeLessThan": Form("compare", None, 0, sign="<"),
    "toBeLessThanOrEqual": Form("compare", None, 0, sign="<="),
    **each("toBeTruthy", Form("truthy", None)),
    **each("toBeFalsy", Form("truthy", None, negated=True)),
    **each("toBeNull toBeUndefined toBeNil", Form("none", None)),
    **each("toBeDefined", Form("none", None, negated=True)),
    "toBeTrue": Form("equal", None, fixed="true"),
    "toBeFalse": Form("equal", None, fixed="false"),
    "toBeNaN": Form("equal", None, fixed="NaN"),
    **each("toThrow toThrowError toThrowErrorMatchingSnapshot", Form("raises", None, 0)),
    **each(
        "toHaveBeenCalled toBeCalled toHaveBeenCalledWith toBeCalledWith lastCalledWith"
        " toHaveBeenLastCalledWith toHaveBeenNthCalledWith nthCalledWith toHaveBeenCalledTimes toBeCalledTimes"
        " toHaveReturned toHaveReturnedTimes toHaveBeenCalledBefore toHaveBeenCalledAfter",
        Form("called", None, 0),
    ),
    **each("toMatchInlineSnapshot toThrowErrorMatchingInlineSnapshot", Form("snapshot", None, 0)),
    "toHaveBeenCalledOnce": Form("called", None, fixed="1"),
    **each(
        "toMatchSnapshot toMatchFileSnapshot toHaveScreenshot toMatchImageSnapshot toMatchAriaSnapshot matchSnapshot",
        Form("snapshot", None),
    ),
}

# The last word of a chain of `expect(x)`, `x.should` or Cypress' `should("…")`, called or not.
CHAI: Mapping[str, Form] = {
    **each("equal equals eq eql eqls exactly become", Form("equal", None, 0)),
    **each("members keys key oneOf", Form("equal", None, 0)),
    **each("closeTo approximately", Form("close", None, 0, tolerance=1)),
    **each("include includes contain contains property ownProperty string contain.text", Form("contains", None, 0)),
    **each("match matches", Form("matches", None, 0)),
    **each("instanceof instanceOf a an", Form("type", None, 0)),
    **each("length lengthOf", Form("length", None, 0)),
    "empty": Form("length", None, fixed="0"),
    **each("above gt greaterThan", Form("compare", None, 0, sign=">")),
    **each("least gte", Form("compare", None, 0, sign=">=")),
    **each("below lt lessThan", Form("compare", None, 0, sign="<")),
    **each("most lte", Form("compare", None, 0, sign="<=")),
    "within": Form("compare", None, 0, sign="within"),
    "ok": Form("truthy", None),
    "exist": Form("none", None, negated=True),
    **each("null undefined", Form("none", None)),
    "true": Form("equal", None, fixed="true"),
    "false": Form("equal", None, fixed="false"),
    "NaN": Form("equal", None, fixed="NaN"),
    **each("throw throws Throw rejected rejectedWith", Form("raises", None, 0)),
    **each("fulfilled", Form("raises", None, negated=True)),
    **each("called calledWith callCount calledOnceWith calledWithExactly", Form("called", None, 0)),
    "calledOnce": Form("called", None, fixed="1"),
    "calledTwice": Form("called", None, fixed="2"),
}

# Words between, which say nothing by themselves: https://www.chaijs.com/api/bdd/#method_language-chains
WORDS = names(
    "to be been is that which and has have with at of same but does still also deep nested own ordered any all"
    " itself resolves rejects soft eventually should"
)

# Functions of `assert`, of a test's context (`t`, `assert`), or global ones.
ASSERT: Mapping[str, Form] = {
    **each("ok assert truthy isOk isTruthy assertExists exists exist", Form("truthy")),
    **each("notOk falsy isNotOk assertFalse notExists", Form("truthy", negated=True)),
    **each("true isTrue assertTrue", Form("equal", fixed="true")),
    **each("false isFalse", Form("equal", fixed="false")),
    **each(
        "equal equals strictEqual deepEqual deepStrictEqual is same strictSame propEqual assertEquals"
        " assertStrictEquals deepEquals sameMembers sameDeepMembers sameOrderedMembers",
        Form("equal", 0, 1),
    ),
    **each(
        "notEqual notStrictEqual notDeepEqual notDeepStrictEqual not notSame notPropEqual assertNotEquals"
        " assertNotStrictEquals isNot",
        Form("equal", 0, 1, negated=True),
    ),
    **each("closeTo approximately assertAlmostEquals", Form("close", 0, 1, tolerance=2)),
    **each(
        "include includes deepInclude property propertyVal like has partialDeepStrictEqual assertStringIncludes"
        " assertArrayIncludes assertObjectMatch propContains includeMembers",
        Form("contains", 0, 1),
    ),
    **each("notInclude notProperty doesNotInclude", Form("contains", 0, 1, negated=True)),
    **each("match matches regex assertMatch", Form("matches", 0, 1)),
    **each("notMatch doesNotMatch notRegex assertNotMatch", Form("matches", 0, 1, negated=True)),
    **each("typeOf instanceOf type assertInstanceOf", Form("type", 0, 1)),
    "lengthOf": Form("length", 0, 1),
    "isEmpty": Form("length", fixed="0"),
    **each("isAbove assertGreater", Form("compare", 0, 1, sign=">")),
    **each("isAtLeast assertGreaterOrEqual", Form("compare", 0, 1, sign=">=")),
    **each("isBelow assertLess", Form("compare", 0, 1, sign="<")),
    **each("isAtMost assertLessOrEqual", Form("compare", 0, 1, sign="<=")),
    **each("isNull isUndefined error ifError", Form("none")),
    **each("isNotNull isDefined", Form("none", negated=True)),
    **each("throws rejects throwsAsync assertThrows assertRejects", Form("raises", 0, 1)),
    **each("doesNotThrow doesNotReject notThrows notThrowsAsync", Form("raises", negated=True)),
    **each("snapshot matchSnapshot", Form("snapshot")),
    **each("called calledOnce calledWith calledOnceWithExactly callCount", Form("called", 0, 1)),
}
# Calls that always fail, and those that say how many assertions must run.
FAIL = frozenset({"fail", "expect.fail", "assert.fail", "t.fail", "expect.unreachable", "unreachable", "should.fail"})
PLANS = frozenset({"expect.assertions", "expect.hasAssertions", "t.plan", "assert.expect"})
