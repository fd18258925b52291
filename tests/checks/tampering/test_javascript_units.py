"""Tests of JavaScript and TypeScript as units; sources after the frameworks' own documentation."""

from __future__ import annotations

from typing import Any

import pytest

from checks.tampering.units import SkipScope, Unit
from tests.checks.tampering.units_told import all_told, only_unit, told, units_of

ALWAYS, CONDITION, PLATFORM = SkipScope.ALWAYS, SkipScope.CONDITION, SkipScope.PLATFORM
PATH = "src/cart.test.ts"


def _unit(body: str) -> Unit:
    return only_unit(PATH, f'it("x", async () => {{ {body} }});')


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        # https://jestjs.io/docs/expect, https://vitest.dev/api/expect
        ("expect(x).toBe(3)", ["equal | x | 3"]),
        ("expect(x).toEqual({ a: 1 })", ["equal | x | {a:1}"]),
        ("expect(x).not.toBe(3)", ["not equal | x | 3"]),
        ("expect(3).toBe(x)", ["equal | x | 3"]),
        ("expect(x).toBeNull()", ["none | x"]),
        ("expect(x).toBe(null)", ["none | x"]),
        ("expect(x).toBeUndefined()", ["none | x"]),
        ("expect(x).toBeDefined()", ["not none | x"]),
        ("expect(x).toBeTruthy()", ["truthy | x"]),
        ("expect(x).toBeFalsy()", ["not truthy | x"]),
        ("expect(x).toBeNaN()", ["equal | x | NaN"]),
        ("expect(x).toBeTrue()", ["equal | x | true"]),
        ("expect(x).toHaveLength(2)", ["length | x | 2"]),
        ("expect(x.length).toBe(2)", ["length | x | 2"]),
        ("expect(x).toContain('a')", ['contains | x | "a"']),
        ("expect(x).toMatch(/a/)", ["matches | x | /a/"]),
        ("expect(x).toBeInstanceOf(Cart)", ["type | x | Cart"]),
        ("expect(x).toBeGreaterThan(3)", ["compare | x | > 3"]),
        ("expect(x).toBeLessThanOrEqual(3)", ["compare | x | <= 3"]),
        ("expect(x).toBeCloseTo(0.3)", ["close | x | 0.3 ± 0.005"]),
        ("expect(x).toBeCloseTo(0.3, 5)", ["close | x | 0.3 ± 5e-06"]),
        ("expect(x).toBeCloseTo(0.3, digits)", ["close | x | 0.3"]),
        ("expect(() => f()).toThrow(RangeError)", ["raises | f() | RangeError"]),
        ("expect(f).toThrow()", ["raises | f"]),
        ("expect(f).not.toThrow()", ["not raises | f"]),
        ("expect(spy).toHaveBeenCalled()", ["called | spy"]),
        ("expect(spy).toHaveBeenCalledWith(1, 'a')", ['called | spy | 1,"a"']),
        ("expect(spy).toHaveBeenCalledTimes(2)", ["called | spy | 2"]),
        ("expect(spy).toHaveBeenCalledOnce()", ["called | spy | 1"]),
        ("expect(x).toMatchSnapshot()", ["snapshot | x"]),
        ("expect(x).toMatchInlineSnapshot(`1`)", ['snapshot | x | "1"']),
        ("await expect(p).resolves.toBe(1)", ["equal | p | 1"]),
        ("await expect(p).rejects.toThrow('no')", ['raises | p rejects | "no"']),
        ("expect.soft(x).toBe(1)", ["equal | x | 1"]),
        ("expect(x).toEqual(expect.anything())", ["truthy | x"]),
        ("expect(x).toEqual(expect.any(Number))", ["type | x | expect.any(Number)"]),
        ("expect(x).toEqual(expect.objectContaining({ a: 1 }))", ["contains | x | expect.objectContaining({a:1})"]),
        ("expect(x)", ["constant | x"]),
        ("expect(true).toBe(true)", ["constant | true | true"]),
        ("expect(x).toBe(x)", ["constant | x | x"]),
        ("expect.assertions(2)", ["custom:plan |  | 2"]),
        ("expect.hasAssertions()", ["custom:plan | "]),
        ("expect.fail('no')", ["custom:fail | "]),
        # https://playwright.dev/docs/test-assertions
        ("await expect(page.getByText('a')).toBeVisible()", ['custom:toBeVisible | page.getByText("a")']),
        ("await expect(row).toHaveText('a')", ['custom:toHaveText | row | "a"']),
        ("await expect(rows).toHaveCount(3)", ["length | rows | 3"]),
        # https://www.chaijs.com/api/bdd/
        ("expect(x).to.equal(3)", ["equal | x | 3"]),
        ("expect(x).to.deep.equal([1])", ["equal | x | [1]"]),
        ("expect(x).to.not.equal(3)", ["not equal | x | 3"]),
        ("expect(x).to.be.true", ["equal | x | true"]),
        ("expect(x).to.be.null", ["none | x"]),
        ("expect(x).to.exist", ["not none | x"]),
        ("expect(x).to.be.ok", ["truthy | x"]),
        ("expect(x).to.be.empty", ["length | x | 0"]),
        ("expect(x).to.be.a('string').and.have.lengthOf(3)", ['type | x | "string"', "length | x | 3"]),
        ("expect(x).to.be.an.instanceof(Cart)", ["type | x | Cart"]),
        ("expect(x).to.include.members([1])", ["equal | x | [1]"]),
        ("expect(x).to.be.closeTo(1.5, 0.5)", ["close | x | 1.5 ± 0.5"]),
        ("expect(x).to.be.within(1, 3)", ["compare | x | within 1,3"]),
        ("expect(f).to.throw", ["constant | f"]),
        ("x.should.equal(3)", ["equal | x | 3"]),
        ("x.total().should.be.above(3)", ["compare | x.total() | > 3"]),
        ("should.exist(x)", ["truthy | x"]),
        ("chai.expect(x).to.equal(3)", ["equal | x | 3"]),
        ("expect(spy).to.have.been.calledOnce", ["called | spy | 1"]),
        # https://nodejs.org/api/assert.html
        ("assert(x)", ["truthy | x"]),
        ("assert.ok(x, 'message')", ["truthy | x"]),
        ("assert.strictEqual(x, 3, 'message')", ["equal | x | 3"]),
        ("assert.notStrictEqual(x, 3)", ["not equal | x | 3"]),
        ("assert.throws(() => f(), TypeError)", ["raises | f() | TypeError"]),
        ("await assert.rejects(p, /no/)", ["raises | p | /no/"]),
        ("assert.ifError(x)", ["none | x"]),
        ("assert.closeTo(x, 1, 0.1)", ["close | x | 1 ± 0.1"]),
        ("assert.shipped(x, 3)", ["custom:shipped | x | 3"]),
        ("assert.fail('no')", ["custom:fail | "]),
        # https://github.com/avajs/ava/blob/main/docs/03-assertions.md, https://node-tap.org/api/asserts/
        ("t.is(x, 3)", ["equal | x | 3"]),
        ("t.truthy(x)", ["truthy | x"]),
        ("t.true(x)", ["equal | x | true"]),
        ("t.plan(2)", ["custom:plan |  | 2"]),
        # https://docs.deno.com/runtime/fundamentals/testing/
        ("assertEquals(x, 3)", ["equal | x | 3"]),
        ("assertRejects(() => f(), Error)", ["raises | f() | Error"]),
        # https://docs.cypress.io/app/references/assertions
        ("cy.get('a').should('be.visible')", ['custom:visible | cy.get("a")']),
        (
            "cy.get('a').should('not.have.text', 'x').and('have.length', 2)",
            ['not custom:text | cy.get("a") | "x"', 'length | cy.get("a") | 2'],
        ),
        ("cy.get('a').should((found) => { expect(found).to.equal(3) })", ["equal | found | 3"]),
        # https://github.com/ladjs/supertest
        (
            "await request(app).get('/').expect(200).expect('Content-Type', /json/)",
            ['equal | request(app).get("/") | 200', 'equal | request(app).get("/") | "Content-Type",/json/'],
        ),
        ("sinon.assert.calledWith(spy, 1)", ["called | spy | 1"]),
        ("expectTotal(cart, 3)", ["custom:expectTotal | cart | 3"]),
        ("verifyOrder(order)", ["custom:verifyOrder | order"]),
        # conditions say what they compare
        ("expect(a === b).toBe(true)", ["equal | a | b"]),
        ("expect(a === b).toBe(false)", ["not equal | a | b"]),
        ("expect(ready).toBe(true)", ["equal | ready | true"]),
        ("assert(a && b.includes(c))", ["truthy | a", "contains | b | c"]),
        ("assert(!(a || b))", ["not truthy | a", "not truthy | b"]),
        ("assert(a === 1 || a === 2)", ["any | a | a===1||a===2"]),
        ("assert(a || true)", ["constant | true"]),
        ("assert(a instanceof Cart)", ["type | a | Cart"]),
        ("assert('a' in x)", ['contains | "a" | x']),
        ("assert(_.isEqual(a, b))", ["equal | a | b"]),
        ("assert(!(a < 3))", ["compare | a | >= 3"]),
        ("assert(Math.abs(a - b) < 0.1)", ["close | a | b ± 0.1"]),
        ("assert(_.isEqual(a))", ["truthy | _.isEqual(a)"]),
        ("assert(ready())", ["truthy | ready()"]),
        ("const wanted = 3; expect(x).toBe(wanted)", ["equal | x | 3"]),
        ("let wanted = f(); expect(x).toBe(wanted)", ["equal | x | wanted"]),
        ("expect(this.total).toBe(3)", ["equal | total | 3"]),
        ("should()", []),
        ("assert()", []),
        ("total(cart)", []),
        ("const text = `${total}`; f`x`", []),
    ],
)
def test_assertions(body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body)) == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("if (a) expect(x).toBe(1)", ["equal | x | 1 swallowed"]),
        ("if (a) { expect(x).toBe(1) } else { expect(x).toBe(2) }", ["equal | x | 1", "equal | x | 2"]),
        ("if (a) { expect(x).toBe(1) } else { f() }", ["equal | x | 1 swallowed"]),
        ("a && expect(x).toBe(1)", ["equal | x | 1 swallowed"]),
        ("a + expect(x).toBe(1)", ["equal | x | 1"]),
        ("a ? expect(x).toBe(1) : 0", ["equal | x | 1 swallowed"]),
        ("switch (a) { case 1: expect(x).toBe(1) }", ["equal | x | 1 swallowed"]),
        ("try { expect(x).toBe(1) } catch { f() }", ["equal | x | 1 swallowed"]),
        ("try { expect(x).toBe(1) } catch (e) { throw e }", ["equal | x | 1"]),
        ("try { expect(x).toBe(1) } finally { f() }", ["equal | x | 1"]),
        ("try { f() } catch (e) { expect(e.code).toBe(1) }", ["equal | e.code | 1 swallowed"]),
        (
            "try { await f(); expect.fail('no') } catch (e) { expect(e.code).toBe(1) }",
            ["raises | f()", "equal | e.code | 1"],
        ),
        ("try { f(); expect.fail() } catch {}", ["raises | f() swallowed"]),
        ("try { throw new Error() } catch (e) { expect(e.code).toBe(1) }", ["equal | e.code | 1"]),
        ("return; expect(x).toBe(1)", ["equal | x | 1 swallowed"]),
        ("if (a) return; expect(x).toBe(1)", ["equal | x | 1 swallowed"]),
        ("if (a) { f(); return } expect(x).toBe(1)", ["equal | x | 1 swallowed"]),
        ("if (a) { f() } expect(x).toBe(1)", ["equal | x | 1"]),
        ("if (a) {} expect(x).toBe(1)", ["equal | x | 1"]),
        ("function g() { expect(x).toBe(1) }", ["equal | x | 1 swallowed"]),
        ("function g() { expect(x).toBe(1) } g()", ["equal | x | 1"]),
        ("shop.use({ save() { expect(x).toBe(1) } })", ["equal | x | 1"]),
        ("const g = () => { expect(x).toBe(1) }", ["equal | x | 1 swallowed"]),
        ("const g = () => { expect(x).toBe(1) }; run(g)", ["equal | x | 1"]),
        ("[].forEach((n) => { expect(n).toBe(x) })", ["equal | n | x swallowed"]),
        ("for (const n of []) expect(n).toBe(x)", ["equal | n | x swallowed"]),
        ("expect(p).resolves.toBe(1)", ["equal | p | 1 swallowed"]),
        ("f(); expect(p).to.eventually.equal(1)", ["equal | p | 1 swallowed"]),
        ("return expect(p).resolves.toBe(1)", ["equal | p | 1"]),
        (
            "await Promise.all([expect(p).resolves.toBe(1), expect(q).rejects.toThrow()])",
            ["equal | p | 1", "raises | q rejects"],
        ),
        ("const done = expect(p).resolves.toBe(1); await done", ["equal | p | 1"]),
        ("expect(p).resolves.toBe(1).catch(() => {})", ["equal | p | 1 swallowed"]),
        ("p.catch((e) => { expect(e).toBe(1) })", ["equal | e | 1 swallowed"]),
        ("if (x !== 3) throw new Error('no')", ["equal | x | 3"]),
        ("if (x !== 3) { f(); fail('no') }", ["equal | x | 3"]),
        ("if (!x.includes(3)) { throw e /* why */ } /* after */", ["contains | x | 3"]),
        ("[1, 2].forEach((n) => { expect(n).toBe(x) })", ["equal | n | x"]),
        ("for (const n of [1, 2]) expect(n).toBe(x)", ["equal | n | x"]),
    ],
)
def test_what_cannot_fail_the_test(body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body)) == wanted


@pytest.mark.parametrize(
    ("source", "field", "value", "scope"),
    [
        ("it.skip('x', () => {})", "skipped", "it.skip", ALWAYS),
        ("xit('x', () => {})", "skipped", "xit", ALWAYS),
        ("xtest('x', () => {})", "skipped", "xtest", ALWAYS),
        ("describe.skip('a', () => { it('x', () => {}) })", "skipped", "describe.skip", ALWAYS),
        ("xdescribe('a', () => { it('x', () => {}) })", "skipped", "xdescribe", ALWAYS),
        ("it.todo('x')", "skipped", "it.todo", ALWAYS),
        ("it('x')", "skipped", "no body", ALWAYS),
        ("it.skipIf(process.env.FAST)('x', () => {})", "skipped", "skipIf(process.env.FAST)", CONDITION),
        ("it.runIf(process.platform === 'linux')('x', f)", "skipped", 'runIf(process.platform==="linux")', PLATFORM),
        ("it.runIf(process.platform === 'win32')('x', f)", "skipped", 'runIf(process.platform==="win32")', CONDITION),
        ("it.skipIf(process.platform !== 'linux')('x', f)", "skipped", 'skipIf(process.platform!=="linux")', PLATFORM),
        ("test('x', { skip: true }, () => {})", "skipped", "skip:true", ALWAYS),
        ("test('x', { skip: isSlow }, () => {})", "skipped", "skip:isSlow", CONDITION),
        ("test('x', { skip: false }, () => {})", "skipped", None, ALWAYS),
        (
            "test('x', { skip: process.platform === 'win32' }, f)",
            "skipped",
            'skip:process.platform==="win32"',
            PLATFORM,
        ),
        ("it('x', function () { this.skip() })", "skipped", "this.skip()", ALWAYS),
        ("it('x', function () { if (process.env.CI) this.skip() })", "skipped", "this.skip()", CONDITION),
        ("it('x', function () { if (isWindows) this.skip() })", "skipped", "this.skip()", PLATFORM),
        ("it('x', function () { if (isWindows) f(); else this.skip() })", "skipped", "this.skip()", CONDITION),
        ("it('x', () => { pending('later') })", "skipped", 'pending("later")', ALWAYS),
        ("test('x', (t) => { t.skip() })", "skipped", "t.skip()", ALWAYS),
        (
            "test('x', () => { test.skip(browserName === 'webkit', 'no') })",
            "skipped",
            'test.skip(browserName==="webkit","no")',
            PLATFORM,
        ),
        ("test('x', () => { test.fixme() })", "skipped", "test.fixme()", ALWAYS),
        ("test.fixme('x', async () => {})", "skipped", "test.fixme", ALWAYS),
        ("Deno.test({ name: 'x', ignore: true, fn() {} })", "skipped", "ignore:true", ALWAYS),
        ("QUnit.skip; QUnit.test.skip('x', () => {})", "skipped", "QUnit.test.skip", ALWAYS),
        ("it.only('x', () => {})", "focused", "it.only", ALWAYS),
        ("fit('x', () => {})", "focused", "fit", ALWAYS),
        ("fdescribe('a', () => { it('x', () => {}) })", "focused", "fdescribe", ALWAYS),
        ("test.describe.only('a', () => { test('x', () => {}) })", "focused", "test.describe.only", ALWAYS),
        ("test('x', { only: true }, () => {})", "focused", "only:true", ALWAYS),
        ("it.failing('x', () => {})", "may_fail", "it.failing", ALWAYS),
        ("test.fails('x', () => {})", "may_fail", "test.fails", ALWAYS),
        ("test('x', { todo: true }, () => {})", "may_fail", "todo:true", ALWAYS),
        ("test('x', () => { test.fail() })", "may_fail", "test.fail()", ALWAYS),
        ("test.fail('x', async () => {})", "may_fail", "test.fail", ALWAYS),
        ("test('x', { retry: 3 }, () => {})", "retries", "retry:3", ALWAYS),
        ("test('x', { retry: 0 }, () => {})", "retries", None, ALWAYS),
        ("describe('a', function () { this.retries(3); it('x', () => {}) })", "retries", "this.retries(3)", ALWAYS),
        ("jest.retryTimes(3); it('x', () => {})", "retries", "jest.retryTimes(3)", ALWAYS),
        ("test.describe.configure({ retries: 2 }); test('x', f)", "retries", "retries:2", ALWAYS),
        ("test.describe.configure({ mode: 'parallel' }); test('x', f)", "retries", None, ALWAYS),
        ("it('x', () => {}, 30000)", "timeout", "30000", ALWAYS),
        ("it('x', function () { this.timeout(5) })", "timeout", "this.timeout(5)", ALWAYS),
    ],
)
def test_marks(source: str, field: str, value: str | None, scope: SkipScope) -> None:
    unit = only_unit("test/cart.test.js", source)
    assert (getattr(unit, field), unit.skip_scope) == (value, scope)


@pytest.mark.parametrize(
    ("source", "cases", "rows"),
    [
        ("it.each([[1, 2], [3, 4]])('x', (a, b) => {})", 2, ("[1,2]", "[3,4]")),
        ("it.each([])('x', (a) => {})", 0, ()),
        ("it.each(rows())('x', (a) => {})", 1, ()),
        ("const rows = [1, 2, 3]; it.each(rows)('x', (a) => {})", 3, ("1", "2", "3")),
        ("const rows = [1, 2] as const; it.each(rows)('x', (a) => {})", 2, ("1", "2")),
        ("const rows = [1, 2] satisfies N; test.for(rows)('x', (a) => {})", 2, ("1", "2")),
        ("it.each`\n a | b\n ${1} | ${2}\n ${3} | ${4}\n`('x', ({ a, b }) => {})", 2, ("${1},${2}", "${3},${4}")),
        ("it.each()('x', (a) => {})", 1, ()),
        ("[1, 2].forEach((n) => { it('x', () => {}) })", 2, ("1", "2")),
        ("for (const n of [1, 2]) { it('x', () => {}) }", 2, ("1", "2")),
        ("const all = [1, 2]; all.map((n) => it('x', () => {}))", 2, ("1", "2")),
        ("describe.each([1, 2])('a', () => { it.each([3, 4])('x', () => {}) })", 4, ("1", "2", "3", "4")),
        ("names.filter(f).forEach((n) => { it('x', () => {}) })", 1, ()),
    ],
)
def test_rows(source: str, cases: int, rows: tuple[str, ...]) -> None:
    unit = only_unit(PATH, source)
    assert (unit.cases, unit.rows) == (cases, rows)
    assert unit.body.endswith(",".join(rows))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (
            "describe('cart', () => { describe('add', () => { it('adds', () => {}); }); test('b', f); });",
            ["cart > add > adds", "cart > b"],
        ),
        ("describe(Cart, () => { it(`adds ${n}`, () => {}) })", ["Cart > adds ${n}"]),
        ("it('a', () => {}); it('a', () => {})", ["a", "a (2)"]),
        (
            "suite('s', () => { specify('a', () => {}); context('c', () => { it('b', () => {}) }) })",
            ["s > a", "s > c > b"],
        ),
        ("Deno.test(function adds() {}); Deno.test(() => {})", ["adds", ""]),
        ("QUnit.module('m', () => { QUnit.test('a', (assert) => {}) })", ["m > a"]),
        ("module('m', () => { it('a', () => {}) })", ["a"]),
        ("test('a', fakeAsync(() => { f() }))", ["a"]),
        ("it('a', () => { it('inner', () => {}) })", ["a"]),
        ("function shared() { it('a', () => {}) }", ["a"]),
        ("test.extend({}); test.step('s', () => {}); test.use({}); it(); cart.it('x', f); (0, it)('x', f)", []),
        ("test.serial('a', (t) => {}); test.concurrent.skip('b', f)", ["a", "b"]),
        ("it.each([1]);", []),
        ("tap.test('a', f); t.test('b', f); tape('c', f)", ["a", "b", "c"]),
        ("const Cart = suite('Cart'); Cart('adds', () => {}); Cart.run()", ["adds"]),
        ("const made = suite('Cart', () => {}); made('adds', () => {}); const no = suite()", ["adds"][1:]),
        ("new RuleTester().run('a', rule, {}); ruleTester.run('b', rule); tester.run('c', rule, {})", []),
    ],
)
def test_names(source: str, names: list[str]) -> None:
    assert [unit.name for unit in units_of(PATH, source).units] == names


def test_eslints_tests_of_a_rule() -> None:
    source = "ruleTester.run('no-x', rule, { valid: ['a', 'b'], invalid: [{ code: 'x' }] })"
    unit = only_unit("tests/no-x.js", source)
    assert (unit.name, unit.cases, unit.rows, unit.collected) == ("no-x", 3, ('"a"', '"b"', '{code:"x"}'), True)
    assert unit.body == 'rule"a","b",{code:"x"}'
    assert only_unit(PATH, "ruleTester.run('no-x', rule, cases)").cases == 1


def test_bodies_lines_and_calls() -> None:
    unit = only_unit(PATH, 'it("x", () => {\n  // why\n  cart.items().add(1);\n  (await load(2)).total;\n});\n')
    assert (unit.line, unit.end_line) == (1, 5)
    assert unit.body == "{cart.items().add(1)(await load(2)).total}"
    assert unit.calls == {"cart.items", "cart.items.add", "load"}


def test_a_test_by_its_functions_name_has_that_name_for_a_body() -> None:
    assert only_unit(PATH, "it('x', checkTotal)").body == "checkTotal"


@pytest.mark.parametrize(
    ("source", "mocks"),
    [
        ("jest.mock('./cart'); it('x', () => {})", {"./cart"}),
        (
            "jest.mock('../shop/cart.js', () => ({ total: () => 3, tax() {} })); it('x', f)",
            {"../shop/cart.js", "cart.total", "cart.tax"},
        ),
        ("vi.mock('./cart', () => { return {} }); it('x', () => {})", {"./cart"}),
        ("vi.mock('./cart', factory); it('x', () => {})", {"./cart"}),
        ("it('x', () => { vi.spyOn(cart, 'total').mockReturnValue(3) })", {"cart.total"}),
        ("it('x', () => { sinon.stub(cart) })", set()),
        ("it('x', () => { jest.mock() })", set()),
    ],
)
def test_mocks(source: str, mocks: set[str]) -> None:
    assert only_unit(PATH, source).mocks == mocks


def test_property_tests_have_a_bound() -> None:
    assert _unit("fc.assert(fc.property(fc.integer(), (n) => n === n), { numRuns: 50 })").examples == 50
    assert _unit("fc.assert(fc.property(fc.integer(), (n) => n === n))").examples is None
    assert _unit("fc.assert(p, { numRuns: many })").examples is None


@pytest.mark.parametrize(
    ("statement", "swallowed"),
    [
        ("expect(page).toHaveTitle('a')", True),
        ("expect(page).not.toHaveURL('a')", True),
        ("expect.soft(row).toHaveText('a')", True),
        ("await expect(page).toHaveTitle('a')", False),
        ("expect(count).toBe(3)", False),
    ],
)
def test_playwrights_assertions_are_to_be_awaited(statement: str, swallowed: bool) -> None:
    source = f"test('x', async ({{ page }}) => {{ f(); {statement}; }});"
    (assertion,) = only_unit(PATH, f"import {{ test }} from '@playwright/test';\n{source}").assertions
    assert assertion.swallowed is swallowed
    assert only_unit(PATH, source).assertions[0].swallowed is False


@pytest.mark.parametrize(
    ("source", "skipped", "scope"),
    [
        ("if (process.env.SLOW) { it('x', f) }", "if (process.env.SLOW)", CONDITION),
        ("if (process.platform === 'linux') it('x', f)", 'if (process.platform==="linux")', PLATFORM),
        ("if (false) { describe('a', () => { it('x', f) }) }", "if (false)", ALWAYS),
        ("if (false) { g() } else { it('x', f) }", "if (false)", CONDITION),
        ("ready && it('x', f)", "if ready", CONDITION),
        ("isWindows || it('x', f)", "if !(isWindows)", PLATFORM),
        ("describe('a', () => { before(function () { this.skip() }); it('x', f) })", "this.skip()", ALWAYS),
        ("describe('a', () => { before(function () { if (a) this.skip() }); it('x', f) })", "this.skip()", CONDITION),
        (
            "function needsServer(t) { if (!url) t.skip() } it('x', (t) => { needsServer(t) })",
            "needsServer: t.skip()",
            CONDITION,
        ),
        ("function needsServer(t) { t.skip() } it('x', (t) => { needsServer(t) })", "needsServer: t.skip()", ALWAYS),
        ("function needsServer(t) { t.skip() } it('x', (t) => { other(t) })", None, ALWAYS),
        ("function needsServer(t) { t.skip() } it.skip('x', (t) => { needsServer(t) })", "it.skip", ALWAYS),
        ("const maybe = ready ? it : it.skip; maybe('x', f)", "ready?it:it.skip", CONDITION),
        ("const maybe = isWindows ? it.skip : it; maybe('x', f)", "isWindows?it.skip:it", PLATFORM),
        ("const maybe = isLinux ? it : it.skip; maybe.each([1])('x', f)", "isLinux?it:it.skip", PLATFORM),
        ("const spec = test; spec('x', f)", None, ALWAYS),
        ("const off = test.skip; off('x', f)", None, ALWAYS),
        ("const mine = test.extend({ a: 1 }); mine('x', f); mine.use({})", None, ALWAYS),
        ("const maybe = ready ? it : it.skip; const again = maybe; again('x', f)", "ready?it:it.skip", CONDITION),
    ],
)
def test_tests_that_may_not_be_declared(source: str, skipped: str | None, scope: SkipScope) -> None:
    unit = only_unit(PATH, source)
    assert (unit.skipped, unit.skip_scope) == (skipped, scope)


@pytest.mark.parametrize(
    "source",
    [
        "const maybe = a ? it : describe; maybe('x', f)",
        "const maybe = a ? it : g; maybe('x', f)",
        "const maybe = a ? g() : it; maybe('x', f)",
        "const maybe = (a ? it : it)(); maybe('x', f)",
        "const rows = it.each([1]); rows('x', f)",
        "const spec = g; spec('x', f)",
        "const spec = it; spec.step('x', f)",
    ],
)
def test_names_that_do_not_stand_for_tests(source: str) -> None:
    assert units_of(PATH, source).units == ()


def test_helpers() -> None:
    source = """
    function expectTotal(cart, total) { expect(cart.total()).toBe(total); }
    const check = async (x) => { assert.ok(x); };
    class Page { open() { assert(this.ok); } close() { f(); } }
    function assertNothing() {}
    function plain() { return 1; }
    declare function typed(): void;
    beforeEach(() => { expect(cart).toBeDefined(); });
    let later;
    it("x", () => { function inner() { expect(1).toBe(x); } });
    """
    found = units_of(PATH, source)
    assert [(helper.name, list(map(told, helper.assertions))) for helper in found.helpers] == [
        ("expectTotal", ["equal | cart.total() | total"]),
        ("check", ["truthy | x"]),
        ("open", ["truthy | ok"]),
        ("assertNothing", []),
        ("beforeEach", ["not none | cart"]),
    ]
    assert list(map(told, found.units[0].assertions)) == ["equal | x | 1 swallowed"]


@pytest.mark.parametrize(
    ("path", "collected", "is_test_file"),
    [
        ("src/cart.test.js", True, True),
        ("src/cart.spec.tsx", True, True),
        ("src/__tests__/cart.js", True, True),
        ("test/cart.js", True, True),
        ("cypress/e2e/cart.cy.ts", True, True),
        ("src/cart.checks.js", False, False),
        ("src/cart.js", False, False),
    ],
)
def test_which_files_runners_look_for(path: str, collected: bool, is_test_file: bool) -> None:
    found = units_of(path, 'it("x", () => { expect(a).toBe(1) })')
    assert found.is_test_file is is_test_file
    assert [unit.collected for unit in found.units] == [collected]


def test_product_code_is_not_parsed() -> None:
    source = """
    import { a } from "b";
    export class Cart {
      constructor() {}
      total(a) { return 1; }
      get size() { return 2; }
    }
    export const add = (x) => x;
    function* walk() { if (a) { } while (b) { } }
    exports.tax = f;
    """
    found = units_of("src/cart.js", source)
    assert found.units == found.helpers == ()
    assert found.defines == {"Cart", "constructor", "total", "size", "add", "walk", "tax"}
    assert (found.parsed, found.is_test_file) == (True, False)


def test_tests_beside_product_code_leave_its_names() -> None:
    found = units_of("src/cart.js", 'function total() {}\nif (import.meta.vitest) { it("x", () => {}) }')
    assert (set(found.defines), len(found.units)) == ({"total"}, 1)


@pytest.mark.parametrize(
    ("source", "parsed"),
    [
        ("it('x', () => { expect(a).toBe(1); }); let = = 3;", True),
        ("it('x', () => { expect(a).toBe(1; });", True),
        ("}}}} it.skip((( { expect", False),
        ("(" * 301, False),
        ("a" * (256 * 1024 + 1), False),
    ],
)
def test_what_cannot_be_read_is_not_parsed(source: str, parsed: bool) -> None:
    assert units_of(PATH, source).parsed is parsed


def test_parsing_is_called_off() -> None:
    """The parser would try for long what each of these belongs to."""
    assert units_of("src/cart.test.js", "case a:" * 1_000).parsed is False


@pytest.mark.parametrize("source", [b"\xff\xfe\x00", b"", b"it(", b"expect(", b"it('x', () => { expect(" + b"\xff" * 9])
def test_hostile_bytes_do_not_raise(source: bytes) -> None:
    assert units_of(PATH, source).path == PATH


def test_jsx_and_typescript() -> None:
    tsx = 'it("x", () => { render(<A<B> b={1 as any} />); expect(x!).toBe(1); expect((y as any).z).toBe(2); });'
    assert all_told(only_unit("src/a.test.tsx", tsx)) == ["equal | x! | 1", "equal | (y as any).z | 2"]
    jsx = 'it("x", () => { render(<A b="c">text</A>); expect(x).toBe(1); });'
    assert all_told(only_unit("src/a.test.jsx", jsx)) == ["equal | x | 1"]


def test_what_a_formatter_changes_makes_no_difference() -> None:
    one = "it('x', async () => { list.map(a => a.b, [1, 2]); expect('a').toBe(x) })"
    other = 'it("x", async () => {\n  list.map(\n    (a) => a.b,\n    [1, 2,],\n  );\n  expect("a").toBe(x);\n});\n'
    assert _plain(one) == _plain(other)


def _plain(source: str) -> Any:
    unit = only_unit(PATH, source)
    return unit.body, unit.calls, all_told(unit)
