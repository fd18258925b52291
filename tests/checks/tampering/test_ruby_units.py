"""Tests of Ruby as units; sources after the frameworks' own documentation."""

from __future__ import annotations

import pytest

from checks.tampering.units import SkipScope, Unit
from tests.checks.tampering.units_told import all_told, only_unit, told, units_of

ALWAYS, CONDITION, PLATFORM = SkipScope.ALWAYS, SkipScope.CONDITION, SkipScope.PLATFORM
PATH = "spec/cart_spec.rb"


def _unit(body: str) -> Unit:
    return only_unit(PATH, f'it "x" do\n{body}\nend\n')


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        # https://rspec.info/features/3-13/rspec-expectations/built-in-matchers/
        ("expect(x).to eq(3)", ["equal | x | 3"]),
        ("expect(x).to eq 3", ["equal | x | 3"]),
        ("expect(x).not_to eq(3)", ["not equal | x | 3"]),
        ("expect(x).to_not be_nil", ["not none | x"]),
        ("expect(x).to be(true)", ["equal | x | true"]),
        ("expect(a == b).to be true", ["equal | a | b"]),
        ("expect(x).to be > 3", ["compare | x | > 3"]),
        ("expect(x).to be == 3", ["equal | x | 3"]),
        ("expect(x).to be_within(0.1).of(3.5)", ["close | x | 3.5 ± 0.1"]),
        ("expect(x).to include(1, 2)", ["contains | x | 1,2"]),
        ("expect(x).to match(/a/)", ["matches | x | /a/"]),
        ("expect(x).to be_a(Cart)", ["type | x | Cart"]),
        ("expect(x).to be_empty", ["length | x | 0"]),
        ("expect(x.size).to eq(3)", ["length | x | 3"]),
        ("expect(x).to be_truthy", ["truthy | x"]),
        ("expect(x).to be_falsey", ["not truthy | x"]),
        ("expect(x).to be_happy", ["custom:be_happy | x"]),
        ("expect(x).to eq(1).and include(2)", ["equal | x | 1", "contains | x | 2"]),
        ("expect(x).to eq(1).or be_nil", ["any | x | eq(1).or be_nil"]),
        ("expect(x).to eq(1).and -> { }", ["equal | x | 1"]),
        ("assert_silent()", []),
        ("expect { f }.to raise_error(Foo)", ["raises | f | Foo"]),
        ("expect { f }.not_to raise_error", ["not raises | f"]),
        ("expect { f }.to change { g }.by(1)", ["custom:change | f | change{g}.by(1)"]),
        ("expect(repo).to receive(:save).with(1).once", ["called | repo.save | 1;once"]),
        ("expect(repo).to have_received(:save)", ["called | repo.save"]),
        ("allow(repo).to receive(:save)", []),
        ("is_expected.to be_valid", ["custom:be_valid | subject"]),
        ("expect(x).to wanted", ["custom:wanted | x"]),
        ("expect(x).to -> { }", ["custom:->{} | x"]),
        ("x.should eq(3)", ["equal | x | 3"]),
        ("x.total.should_not be_nil", ["not none | x.total"]),
        ("x&.should eq(3)", ["equal | x | 3 swallowed"]),
        ("x.should", []),
        ("should be_valid", ["custom:be_valid | subject"]),
        ("should_not eq 3", ["not equal | subject | 3"]),
        # https://docs.seattlerb.org/minitest/Minitest/Assertions.html
        ("assert x", ["truthy | x"]),
        ("assert x == 3, 'message'", ["equal | x | 3"]),
        ("assert !x", ["not truthy | x"]),
        ("assert(x && y)", ["truthy | x", "truthy | y"]),
        ("assert x.include?(3)", ["contains | x | 3"]),
        ("assert x.nil?", ["none | x"]),
        ("assert x.empty?", ["length | x | 0"]),
        ("assert x =~ /a/", ["matches | x | /a/"]),
        ("assert x.valid?", ["truthy | x.valid?"]),
        ("assert x <=> 3", ["truthy | x<=>3"]),
        ("refute x", ["not truthy | x"]),
        ("assert_equal 3, x", ["equal | x | 3"]),
        ("assert_equal 3, x, 'message'", ["equal | x | 3"]),
        ("refute_equal 3, x", ["not equal | x | 3"]),
        ("assert_nil x", ["none | x"]),
        ("assert_empty x", ["length | x | 0"]),
        ("assert_includes x, 3", ["contains | x | 3"]),
        ("assert_match(/a/, x)", ["matches | x | /a/"]),
        ("assert_in_delta 1.5, x, 0.1", ["close | x | 1.5 ± 0.1"]),
        ("assert_in_delta 1.5, x", ["close | x | 1.5 ± 0.001"]),
        ("assert_kind_of Cart, x", ["type | x | Cart"]),
        ("assert_raises(Foo) { f }", ["raises | f | Foo"]),
        ("assert_raises { f }", ["raises | f"]),
        ("assert_raises(Foo)", ["raises |  | Foo"]),
        ("assert_nothing_raised { f }", ["not raises | f"]),
        ("assert_difference('Cart.count', 1) { f }", ['custom:assert_difference | "Cart.count" | 1']),
        ("assert_silent do f end", ["custom:assert_silent | f"]),
        ("assert_equal 3", []),
        ("flunk 'no'", ["custom:fail | "]),
        ("assert_total cart, 3", ["custom:assert_total | cart | 3"]),
        ("_(x).must_equal 3", ["equal | x | 3"]),
        ("x.wont_be_nil", ["not none | x"]),
        ("_(x).must_be_close_to 1.5, 0.1", ["close | x | 1.5 ± 0.1"]),
        ("_(x).must_shine", ["custom:shine | x"]),
        ("wanted = 3\nassert_equal wanted, x", ["equal | x | 3"]),
        ("a, b = 1, 2\nassert_equal a, x", ["equal | x | a"]),
        ("puts x", []),
        ("foo.bar(1).baz { }", []),
    ],
)
def test_assertions(body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body)) == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("expect(x).to eq(1) if a", ["equal | x | 1 swallowed"]),
        ("if a\n expect(x).to eq(1)\nelse\n expect(x).to eq(2)\nend", ["equal | x | 1", "equal | x | 2"]),
        ("if a\n expect(x).to eq(1)\nelse\n f\nend", ["equal | x | 1 swallowed"]),
        ("if a\n assert_nil x\nelse\n refute_nil x\nend", ["none | x", "not none | x"]),
        ("unless a\n expect(x).to eq(1)\nend", ["equal | x | 1 swallowed"]),
        ("flunk 'no' if x != 3", ["equal | x | 3"]),
        ("raise 'no' unless x == 3", ["equal | x | 3"]),
        ("if x != 3\n f\n raise 'no'\nend", ["equal | x | 3"]),
        ("case a\nwhen 1 then expect(x).to eq(1)\nend", ["equal | x | 1 swallowed"]),
        ("a && expect(x).to(eq(1))", ["equal | x | 1 swallowed"]),
        ("a + expect(x).to(eq(1))", ["equal | x | 1"]),
        ("a ? expect(x).to(eq(1)) : 2", ["equal | x | 1 swallowed"]),
        ("begin\n expect(x).to eq(1)\nrescue => e\n puts e\nend", ["equal | x | 1 swallowed"]),
        ("begin\n expect(x).to eq(1)\nrescue StandardError\n raise\nend", ["equal | x | 1"]),
        ("begin\n expect(x).to eq(1)\nrescue Foo\n f\nend", ["equal | x | 1"]),
        ("begin\n f\nrescue Foo\n expect(x).to eq(1)\nend", ["equal | x | 1 swallowed"]),
        ("begin\n expect(x).to eq(1)\nensure\n f\nend", ["equal | x | 1"]),
        ("expect(x).to eq(1) rescue nil", ["equal | x | 1 swallowed"]),
        ("expect(x).to eq(1)\nrescue\n f", ["equal | x | 1 swallowed"]),
        ("return\nexpect(x).to eq(1)", ["equal | x | 1 swallowed"]),
        ("return if a\nexpect(x).to eq(1)", ["equal | x | 1 swallowed"]),
        ("next unless a\nexpect(x).to eq(1)", ["equal | x | 1 swallowed"]),
        ("if a\n f\n return\nend\nexpect(x).to eq(1)", ["equal | x | 1 swallowed"]),
        ("if a\nend\nexpect(x).to eq(1)", ["equal | x | 1"]),
        ("f if a\nexpect(x).to eq(1)", ["equal | x | 1"]),
        ("[1].each { |n| expect(n).to eq(x) }", ["equal | n | x"]),
    ],
)
def test_what_cannot_fail_the_test(body: str, wanted: list[str]) -> None:
    assert all_told(_unit(body)) == wanted


@pytest.mark.parametrize(
    ("source", "field", "value", "scope"),
    [
        ("xit('x') { f }", "skipped", "xit", ALWAYS),
        ("skip('x') { f }", "skipped", "skip", ALWAYS),
        ("xdescribe('a') { it('x') { f } }", "skipped", "xdescribe", ALWAYS),
        ("it 'x'", "skipped", "no block", ALWAYS),
        ("it('x', :skip) { f }", "skipped", ":skip", ALWAYS),
        ("it('x', skip: 'why') { f }", "skipped", 'skip:"why"', ALWAYS),
        ("it('x', skip: false) { f }", "skipped", None, ALWAYS),
        ("it('x', skip: ENV['FAST']) { f }", "skipped", 'skip:ENV["FAST"]', CONDITION),
        ("it('x', if: RUBY_PLATFORM =~ /linux/) { f }", "skipped", "if:RUBY_PLATFORM=~/linux/", PLATFORM),
        ("it('x', :unless => windows?) { f }", "skipped", ":unless=>windows?", PLATFORM),
        ("it('x') { skip }", "skipped", "skip", ALWAYS),
        ("it('x') { skip 'why' }", "skipped", 'skip"why"', ALWAYS),
        ("it('x') { skip 'why' if ENV['CI'] }", "skipped", 'skip"why"', CONDITION),
        ("it('x') { skip if windows? }", "skipped", "skip if windows?", PLATFORM),
        ("it('x') { skip unless linux? }", "skipped", "skip unless linux?", PLATFORM),
        ("it('x') do\nif a\n skip\nelse\n f\nend\nend", "skipped", "skip if a", CONDITION),
        ("it('x') { pending 'why' }", "may_fail", 'pending"why"', ALWAYS),
        ("it('x') { pending }", "may_fail", "pending", ALWAYS),
        ("pending('x') { f }", "may_fail", "pending", ALWAYS),
        ("it('x', :pending) { f }", "may_fail", ":pending", ALWAYS),
        ("fit('x') { f }", "focused", "fit", ALWAYS),
        ("focus('x') { f }", "focused", "focus", ALWAYS),
        ("fcontext('a') { it('x') { f } }", "focused", "fcontext", ALWAYS),
        ("it('x', :focus) { f }", "focused", ":focus", ALWAYS),
        ("it('x', focus: true) { f }", "focused", "focus:true", ALWAYS),
        ("it('x', retry: 3) { f }", "retries", "retry:3", ALWAYS),
        ("it('x', timeout: 3) { f }", "timeout", "timeout:3", ALWAYS),
        ("it('x', type: :model) { f }", "skipped", None, ALWAYS),
        ("before { skip 'why' }\nit('x') { f }", "skipped", 'skip"why"', ALWAYS),
        ("it('x') { f } if ENV['RUN']", "skipped", 'if ENV["RUN"]', CONDITION),
        ("unless windows?\nit('x') { f }\nend", "skipped", "if !(windows?)", PLATFORM),
        ("if false\nit('x') { f }\nend", "skipped", "if false", ALWAYS),
        ("return unless ENV['RUN']\nit('x') { f }", "skipped", "return", CONDITION),
        ("return unless ENV['RUN']\nit('x', :skip) { f }", "skipped", ":skip", ALWAYS),
        (
            "def needs_server\nskip if a\nend\nit('x') { needs_server() }",
            "skipped",
            "needs_server: skip if a",
            CONDITION,
        ),
    ],
)
def test_marks(source: str, field: str, value: str | None, scope: SkipScope) -> None:
    unit = only_unit(PATH, source)
    assert (getattr(unit, field), unit.skip_scope) == (value, scope)


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("[1, 2].each { |n| it('x') { f } }", ("1", "2")),
        ("%w[a b].each do |n| it('x') { f } end", ("a", "b")),
        ("{ a: 1 }.each { |k, v| it('x') { f } }", ("a:1",)),
        ("rows = [1, 2]\nrows.each { |n| it('x') { f } }", ("1", "2")),
        ("Cart.all.each { |n| it('x') { f } }", ()),
    ],
)
def test_rows(source: str, rows: tuple[str, ...]) -> None:
    assert only_unit(PATH, source).rows == rows


def test_names_and_kinds() -> None:
    source = """
    RSpec.describe Cart, type: :model do
      before { expect(cart).to be_valid }
      let(:cart) { Cart.new }
      describe "#add" do
        it "adds" do f end
        it { is_expected.to eq 1 }
        specify("b") { it("inner") { f } }
      end
      context
      context()
      it
      it()
      foo.it("x") { f }
      it_behaves_like "a cart", 1
      include_examples
      shared_examples("s") { example("c") { f } }
      def check_it(c) = expect(c).to(eq 1)
    end
    class CartTest < Minitest::Test
      def test_adds; f; end
      def self.test_not; assert x; end
      def test_setting=(x); assert x; end
      def helper; assert x; end
      def nothing; end
      test "by name" do f end
    end
    module Deep; class T; def test_deep; f; end; end; end
    """
    found = units_of(PATH, source)
    assert [unit.name for unit in found.units] == [
        *("Cart > #add > adds", "Cart > #add", "Cart > #add > b"),
        'Cart > it_behaves_like "a cart"',
        "Cart > s > c",
        *("CartTest > test_adds", "CartTest > by name", "Deep > T > test_deep"),
    ]
    assert [(helper.name, list(map(told, helper.assertions))) for helper in found.helpers] == [
        ("Cart > before", ["custom:be_valid | cart"]),
        ("Cart > check_it", ["equal | c | 1"]),
        ("CartTest > test_not", ["truthy | x"]),
        ("CartTest > test_setting=", ["truthy | x"]),
        ("CartTest > helper", ["truthy | x"]),
    ]


def test_a_rescue_in_a_method_swallows() -> None:
    source = "class T\ndef test_x\n assert_nil x\nrescue => e\n puts e\nend\nend"
    assert all_told(only_unit("test/t_test.rb", source)) == ["none | x swallowed"]


def test_mocks_and_calls() -> None:
    unit = _unit("allow(Mailer).to receive(:send)\nallow(x).to be(1)\ncart.items.add(1)\nexpect(f(2)).to eq 1")
    assert (set(unit.mocks), set(unit.calls)) == (
        {"Mailer", "Mailer.send("},
        {"allow", "allow.to", "cart.items", "cart.items.add", "f"},
    )


def test_messages_are_no_part_of_the_body() -> None:
    assert _unit("flunk 'got it' if x != 3").body == "if x!=3"


@pytest.mark.parametrize(
    ("path", "collected"),
    [
        ("spec/cart_spec.rb", True),
        ("test/cart_test.rb", True),
        ("test/test_cart.rb", True),
        ("spec/cart_specs.rb", False),
    ],
)
def test_which_files_runners_look_for(path: str, collected: bool) -> None:
    assert only_unit(path, "it('x') { f }").collected is collected


def test_product_code_is_not_parsed() -> None:
    source = """class Cart
      MOST = 3
      attr_reader :total
      def add(x); end
      def self.all; end
      def empty?; end
    end
    """
    found = units_of("app/models/cart.rb", source)
    assert (found.units, set(found.defines)) == ((), {"Cart", "MOST", "total", "add", "all", "empty?"})


@pytest.mark.parametrize("source", [b"it 'x' do", b"describe(", b"\xff\x00", b"it('x') { expect("])
def test_hostile_bytes_do_not_raise(source: bytes) -> None:
    assert units_of(PATH, source).path == PATH
