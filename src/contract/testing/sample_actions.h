// A made-up library as a table of actions, for tests of whatever walks over such a table: one action of each
// effect, a list with pages, and types of every kind (nested, recursive, enumeration, variant, map, secret).
// Handlers keep no state: equal calls have equal answers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "contract/action.h"

namespace instantstart::contract::testing {

struct BookId : Text<BookId> {};

enum class Genre { novel, poetry, reference };

/// Chapters hold chapters.
struct Chapter {
  std::string title;
  std::vector<Chapter> parts;
};

struct Book {
  BookId id;
  std::string title;
  Genre genre = Genre::novel;
  std::int32_t pages = 1;
  std::vector<Chapter> chapters;
  std::map<std::string, std::string> labels;
};

struct OperationGet {
  std::string operation_id;
};

struct OperationView {
  std::string operation_id;
  std::string state;
};

struct BookGet {
  BookId book;
};

struct BookList {
  std::optional<Genre> genre;
  std::vector<std::string> words;
};

struct BookPage {
  std::vector<Book> items;
  std::optional<std::string> next_cursor;
};

struct BookRename {
  BookId book;
  std::string title;
};

struct Manuscript {
  std::string file;
  std::vector<Chapter> chapters;
};

struct Download {
  std::string url;
  std::optional<std::string> password;
};

using Source = std::variant<Manuscript, Download>;

struct BookPrint {
  BookId book;
  Source source;
  std::int32_t copies = 1;
  std::optional<double> price;
  std::map<std::string, std::string> labels;
};

struct ShelfClear {
  std::string shelf;
  std::optional<bool> keep_rare;
};

Type describe(BookId*);
Type describe(Genre*);
Type describe(Chapter*);
Type describe(Book*);
Type describe(OperationGet*);
Type describe(OperationView*);
Type describe(BookGet*);
Type describe(BookList*);
Type describe(BookPage*);
Type describe(BookRename*);
Type describe(Manuscript*);
Type describe(Download*);
Type describe(Source*);
Type describe(BookPrint*);
Type describe(ShelfClear*);

/// The library has the books "book-0" to "book-249" (all of them novels), and "dune", which is in no list.
inline constexpr int k_numbered_books = 250;

/// operation_get and book_get are reads, book_list has pages, book_rename is local, book_print is a change
/// that needs no confirmation, shelf_clear is a DELETE that needs one.
std::vector<Action> sample_actions();

inline ActionTable sample_table() { return ActionTable(sample_actions()); }

}  // namespace instantstart::contract::testing
