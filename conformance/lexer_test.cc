#include "conformance/lexer.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace conformance {
namespace {

using Kind = Token::Kind;

std::vector<Token> AllTokens(Lexer& lexer) {
  std::vector<Token> tokens;
  do {
    tokens.push_back(lexer.Next());
  } while (tokens.back().kind != Kind::kEnd &&
           tokens.back().kind != Kind::kBad);
  return tokens;
}

// "text text": a letter for the kind, the text, "~" where a token is glued.
std::string Tokens(Lexer& lexer) {
  std::string all;
  for (const Token& token : AllTokens(lexer)) {
    if (!all.empty()) all += token.glued ? "~" : " ";
    all += "eidbwsxc.pB"[static_cast<int>(token.kind)];
    all += token.text;
  }
  return all;
}

std::string Tokens(std::string_view text) {
  Lexer lexer(text, "linux");
  return Tokens(lexer);
}

TEST(Lexer, EveryKindOfToken) {
  struct {
    const char* text;
    const char* tokens;
  } const kCases[] = {
      {"", "e"},
      {"12 0x1f 0x", "i12 i0x1f b0x~e"},
      {"-1", "p-~i1~e"},
      {"1.5 .5", "d1.5 d.5~e"},
      {"3021b9d8 1e5", "b3021b9d8 b1e5~e"},
      {"AF_INET _x9", "wAF_INET w_x9~e"},
      {"\"a b\" \"\"", "sa b s~e"},
      {"\"a\\\"b\\\\\"", "sa\\\"b\\\\~e"},
      {"`sysctl -w\n a=1`", "xsysctl -w\n a=1~e"},
      {"%{ assert 1 }%", "c assert 1 ~e"},
      {"...", "....~e"},
      {"@\xff", "p@~p\xff~e"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Tokens(c.text), c.tokens) << c.text;
}

TEST(Lexer, PointsAreReadAsScriptsMeanThem) {
  struct {
    const char* text;
    const char* tokens;
  } const kCases[] = {
      {"P.5", "wP~d.5~e"},
      {". 5", "p. i5~e"},
      {"S. 0:0(0)", "wS~p. i0~p:~i0~p(~i0~p)~e"},
      {"1:1461(1460)", "i1~p:~i1461~p(~i1460~p)~e"},
      {"0~+1", "i0~p~~p+~i1~e"},
      {"+.1...0.2", "p+~d.1~....~d0.2~e"},
      {"0.1....2", "d0.1~....~d.2~e"},
      {"1...2", "i1~....~i2~e"},
      {"+.002 ... 0.052", "p+~d.002 .... d0.052~e"},
      {"+0.0> P.", "p+~d0.0~p> wP~p.~e"},
      {"5.", "i5~p.~e"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Tokens(c.text), c.tokens) << c.text;
}

TEST(Lexer, CommentsAreGaps) {
  EXPECT_EQ(Tokens("a//b\nc/*d\n*/e // f"), "wa wc we e");
  EXPECT_EQ(Tokens("/**/"), "e");
}

TEST(Lexer, TokensKnowTheLineTheyBeginOn) {
  Lexer lexer("a\n`b\nc` /*\n*/ %{\n}%\n\nd", "linux");
  std::vector<int> lines;
  for (const Token& token : AllTokens(lexer)) lines.push_back(token.line);
  EXPECT_EQ(lines, (std::vector<int>{1, 2, 4, 7, 7}));
}

TEST(Lexer, WhatDoesNotEndSaysSo) {
  struct {
    const char* text;
    const char* complaint;
    int line;
  } const kCases[] = {
      {"\na `b\n", "expected the ` that ends a command, found the end", 2},
      {"%{ a", "expected the }% that ends code, found the end", 1},
      {"\"a\n\"",
       "expected the \" that ends a string, found the end of the line", 1},
      {"\"a\\", "expected the \" that ends a string, found the end of the line",
       1},
      {"\n/* a", "expected */, found the end", 2},
      {"/*/", "expected */, found the end", 1},
  };
  for (const auto& c : kCases) {
    Lexer lexer(c.text, "linux");
    const Token last = AllTokens(lexer).back();
    EXPECT_EQ(last.kind, Kind::kBad) << c.text;
    EXPECT_EQ(last.text, c.complaint) << c.text;
    EXPECT_EQ(last.line, c.line) << c.text;
    EXPECT_EQ(lexer.Next().kind, Kind::kBad) << "it stays bad";
  }
}

// --- #ifdef.

TEST(Lexer, IfdefKeepsWhatIsDefinedOrThePlatform) {
  struct {
    const char* name;
    const char* tokens;
  } const kCases[] = {{"Linux", "wa wb wc e"},
                      {"FreeBSD", "wa wc e"},
                      {"MINE", "wa wb wc e"},
                      {"EMPTY", "wa wb wc e"}};
  for (const auto& c : kCases) {
    const std::string text =
        std::string("a\n#ifdef ") + c.name + " // why\nb\n  #endif\nc\n";
    Lexer lexer(text, "linux");
    EXPECT_TRUE(lexer.Define("MINE", "1"));
    EXPECT_TRUE(lexer.Define("EMPTY", ""));
    EXPECT_EQ(Tokens(lexer), c.tokens) << c.name;
  }
}

TEST(Lexer, WhatIsLeftOutNeedNotBeReadable) {
  EXPECT_EQ(Tokens("#ifdef X\n`it's \" /*\n#endif\nb"), "wb~e");
}

TEST(Lexer, BadDirectivesAreRefused) {
  for (const char* text :
       {"#endif", "#ifdef", "#define X 1", "#", "#ifdef linux\n#ifdef linux\n",
        "#ifdef linux\na", "#ifdef X\na", "#ifdef X"}) {
    Lexer lexer(text, "linux");
    EXPECT_EQ(AllTokens(lexer).back().kind, Kind::kBad) << text;
  }
}

// --- Options and defines.

TEST(Lexer, OptionsComeFirst) {
  Lexer lexer(
      "// a script\n--dry_run // just parse\n--mss=1460 -D A=1\n"
      "-DB=`x y`\n--quoted=\"a b\"c\nword",
      "linux");
  struct {
    int line;
    const char* name;
    const char* value;
  } const kOptions[] = {{2, "dry_run", ""},
                        {3, "mss", "1460"},
                        {3, "define", "A=1"},
                        {4, "define", "B=`x y`"},
                        {5, "quoted", "\"a b\"c"}};
  for (const auto& expected : kOptions) {
    const auto option = lexer.NextOption();
    ASSERT_TRUE(option.has_value()) << expected.name;
    EXPECT_EQ(option->line, expected.line) << expected.name;
    EXPECT_EQ(option->name, expected.name);
    EXPECT_EQ(option->value, expected.value) << expected.name;
  }
  EXPECT_FALSE(lexer.NextOption().has_value());
  EXPECT_EQ(Tokens(lexer), "wword~e");
}

TEST(Lexer, DefinesReplaceWholeWords) {
  Lexer lexer("A AA \"A\" `A` // A\nC D", "linux");
  EXPECT_TRUE(lexer.Define("A", "3021b9d889017eeb"));
  EXPECT_TRUE(lexer.Define("C", "D"));
  EXPECT_TRUE(lexer.Define("D", " \"two words\" "));
  EXPECT_EQ(Tokens(lexer), "b3021b9d889017eeb wAA sA xA wD stwo words~e")
      << "and a replacement is not replaced again";
}

TEST(Lexer, TheLastDefineOfAWordHolds) {
  Lexer lexer("A", "linux");
  EXPECT_TRUE(lexer.Define("A", "1"));
  EXPECT_TRUE(lexer.Define("A", "2"));
  EXPECT_EQ(Tokens(lexer), "i2~e");
}

TEST(Lexer, ADefineIsOneToken) {
  Lexer lexer("A", "linux");
  for (const char* bad : {"1 2", "-1", "[", "\"open", "...", "1.5", "%{x}%"}) {
    EXPECT_FALSE(lexer.Define("A", bad)) << bad;
  }
  EXPECT_FALSE(lexer.Define("A", std::string(257, 'x')));
  for (const char* bad : {"", "1", "a b", "a-b"}) {
    EXPECT_FALSE(lexer.Define(bad, "1")) << bad;
  }
  EXPECT_EQ(Tokens(lexer), "wA~e");
}

// --- Free text.

TEST(Lexer, TextToParenthesisIsAnyBalancedText) {
  Lexer lexer("(can't (do) `it`\nnow) b", "linux");
  EXPECT_EQ(lexer.Next().text, "(");
  EXPECT_EQ(lexer.TextToParenthesis().text, "can't (do) `it`\nnow");
  const Token next = lexer.Next();
  EXPECT_EQ(next.text, "b");
  EXPECT_EQ(next.line, 2);
}

TEST(Lexer, TextToParenthesisWantsItsEnd) {
  Lexer lexer("(a (b)", "linux");
  lexer.Next();
  EXPECT_EQ(lexer.TextToParenthesis().kind, Kind::kBad);
}

TEST(Lexer, DescribesATokenInOneShortLine) {
  EXPECT_EQ(Describe({Kind::kWord, "ack"}), "'ack'");
  EXPECT_EQ(Describe({Kind::kPunctuation, "\xff"}), "'\\xff'");
  EXPECT_EQ(Describe({Kind::kEnd, ""}), "the end");
  EXPECT_EQ(Describe({Kind::kWord, std::string(1000, 'x')}).size(), 42u);
}

TEST(Lexer, SplitsAtTheFirstEquals) {
  using Pair = std::pair<std::string_view, std::string_view>;
  EXPECT_EQ(SplitAtEquals("a=b=c"), Pair("a", "b=c"));
  EXPECT_EQ(SplitAtEquals("a"), Pair("a", ""));
  EXPECT_EQ(SplitAtEquals("=b"), Pair("", "b"));
}

}  // namespace
}  // namespace conformance
