#include "contract/testing/sample_actions.h"

#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"

namespace instantstart::contract::testing {

Type describe(BookId*) {
  return text_type<BookId>("BookId", "Id of a book.", {.max = 40, .pattern = Pattern("^[a-z][a-z0-9-]*$")},
                           {"dune"});
}

Type describe(Genre*) {
  return enum_type<Genre>("Genre", "What a book is.",
                          {{Genre::novel, {"novel", "A long story."}},
                           {Genre::poetry, {"poetry", "Verse."}},
                           {Genre::reference, {"reference", "Something to look things up in."}}});
}

Type describe(Chapter*) {
  return object_type<Chapter>("Chapter", "A chapter and its parts.",
                              {field<&Chapter::title>("title", "Its heading."),
                               field<&Chapter::parts>("parts", "Chapters within it.", {.defaulted = true})});
}

Type describe(Book*) {
  return object_type<Book>("Book", "A book on a shelf.",
                           {field<&Book::id>("id", "Its id."), field<&Book::title>("title", "Its title."),
                            field<&Book::genre>("genre", "What it is."),
                            field<&Book::pages>("pages", "Number of pages.", {.rule = {.min = 1}}),
                            field<&Book::chapters>("chapters", "Its chapters.", {.defaulted = true}),
                            field<&Book::labels>("labels", "Words for finding it.", {.defaulted = true})});
}

Type describe(OperationGet*) {
  return object_type<OperationGet>("OperationGet", "Which operation.",
                                   {field<&OperationGet::operation_id>("operation_id", "Id of the operation.",
                                                                       {.rule = {.min = 1, .max = 64}})});
}

Type describe(OperationView*) {
  return object_type<OperationView>("OperationView", "An operation.",
                                    {field<&OperationView::operation_id>("operation_id", "Its id."),
                                     field<&OperationView::state>("state", "How far it is.")});
}

Type describe(BookGet*) {
  return object_type<BookGet>("BookGet", "Which book.", {field<&BookGet::book>("book", "Id of the book.")});
}

Type describe(BookList*) {
  return object_type<BookList>(
      "BookList", "Which books.",
      {field<&BookList::genre>("genre", "Only books of this kind."),
       field<&BookList::words>("words", "Only books whose title has all these words.",
                               {.defaulted = true, .rule = {.max = 8}})});
}

Type describe(BookPage*) {
  return object_type<BookPage>(
      "BookPage", "Some of the books.",
      {field<&BookPage::items>("items", "The books, by id."),
       field<&BookPage::next_cursor>("next_cursor", "Cursor for what follows; absent at the end.")});
}

Type describe(BookRename*) {
  return object_type<BookRename>(
      "BookRename", "A new title for a book.",
      {field<&BookRename::book>("book", "Id of the book."),
       field<&BookRename::title>("title", "The new title.",
                                 {.rule = {.min = 1, .max = 80}, .examples = {"Dune"}})});
}

Type describe(Manuscript*) {
  return object_type<Manuscript>(
      "Manuscript", "A text at hand.",
      {field<&Manuscript::file>("file", "Name of the file."),
       field<&Manuscript::chapters>("chapters", "Its chapters.", {.defaulted = true})});
}

Type describe(Download*) {
  return object_type<Download>("Download", "A text elsewhere.",
                               {field<&Download::url>("url", "Where it is.", {.rule = {.format = "uri"}}),
                                field<&Download::password>("password", "What opens it.", {.secret = true})});
}

Type describe(Source*) {
  return variant_type<Source>("Source", "Where the text comes from.", "from", {"manuscript", "download"});
}

Type describe(BookPrint*) {
  return object_type<BookPrint>(
      "BookPrint", "How to print a book.",
      {field<&BookPrint::book>("book", "Id of the book."),
       field<&BookPrint::source>("source", "The text to print."),
       field<&BookPrint::copies>("copies", "How many to print.",
                                 {.defaulted = true, .rule = {.min = 1, .max = 500}, .examples = {"20"}}),
       field<&BookPrint::price>("price", "Price of one, in euros.", {.rule = {.min = 0}}),
       field<&BookPrint::labels>("labels", "Words for finding it.",
                                 {.defaulted = true, .rule = {.max = 10}})});
}

Type describe(ShelfClear*) {
  return object_type<ShelfClear>(
      "ShelfClear", "Which shelf to clear.",
      {field<&ShelfClear::shelf>("shelf", "Name of the shelf.", {.rule = {.max = 40}}),
       field<&ShelfClear::keep_rare>("keep_rare", "Leave rare books where they are.")});
}

namespace {

Book numbered_book(int number) {
  return {
      .id = {fmt::format("book-{}", number)}, .title = fmt::format("Book {}", number), .pages = number + 1};
}

Result<Book> book_of(const BookId& id) {
  if (id.value == "dune") {
    return Book{.id = id,
                .title = "Dune",
                .pages = 412,
                .chapters = {{.title = "Book One", .parts = {{.title = "Arrakis"}}}},
                .labels = {{"planet", "arrakis"}}};
  }
  for (int i = 0; i < k_numbered_books; ++i) {
    if (numbered_book(i).id == id) return numbered_book(i);
  }
  Error error{.code = std::string(codes::not_found),
              .message = fmt::format("No book has the id '{}'.", id.value)};
  error.next.push_back({.action = "book_list", .arguments = {}, .why = "See which books there are."});
  return fail(std::move(error));
}

Task<OperationView> get_operation(Caller, OperationGet request) {
  co_return OperationView{.operation_id = request.operation_id, .state = "running"};
}

Task<Book> get_book(Caller, BookGet request) { co_return book_of(request.book); }

/// The cursor is the number of the first book of the page.
Task<BookPage> list_books(Caller, BookList request, PageOptions page) {
  const auto first = parse_json(page.cursor.value_or("0"));
  if (!first || !first->is_int64() || first->get_int64() < 0) {
    co_return fail(codes::invalid_request, "The cursor is not one that an answer had.");
  }
  BookPage answer;
  std::int64_t next = first->get_int64();
  if (request.genre.value_or(Genre::novel) != Genre::novel) next = k_numbered_books;
  while (next < k_numbered_books && std::ssize(answer.items) < page.limit) {
    answer.items.push_back(numbered_book(static_cast<int>(next++)));
  }
  if (next < k_numbered_books) answer.next_cursor = std::to_string(next);
  co_return answer;
}

Task<Book> rename_book(Caller, BookRename request) {
  auto book = book_of(request.book);
  if (book) book->title = request.title;
  co_return book;
}

/// Nothing in it is dangerous: it starts without a confirmation.
Task<Plan> plan_print(Caller, BookPrint request) {
  const std::string& book = request.book.value;
  Plan plan{.kind = "book_print",
            .subject = "book/" + book,
            .summary = fmt::format("Print {} copies of {}: 2 steps.", request.copies, book)};
  plan.steps.push_back({.id = "plates", .kind = "plates_make", .title = "Make the plates"});
  plan.steps.push_back({.id = "copies",
                        .kind = "copies_print",
                        .title = fmt::format("Print {} copies", request.copies),
                        .effect = StepEffect::create,
                        .after = {"plates"},
                        .calls = {{.call = "press:Print", .subject = "books/" + book}},
                        .input = {{"copies", request.copies}}});
  co_return plan;
}

/// Needs a confirmation.
Task<Plan> plan_clear(Caller, ShelfClear request) {
  Plan plan{.kind = "shelf_clear",
            .subject = "shelf/" + request.shelf,
            .summary = fmt::format("Clear shelf {}: 1 step.", request.shelf)};
  plan.steps.push_back({.id = "books",
                        .kind = "books_remove",
                        .title = fmt::format("Remove all books from shelf {}", request.shelf),
                        .effect = StepEffect::remove,
                        .calls = {{.call = "library:RemoveBooks", .subject = "shelves/" + request.shelf}}});
  if (!request.keep_rare.value_or(false)) plan.warnings.emplace_back("Rare books are removed as well.");
  co_return plan;
}

}  // namespace

std::vector<Action> sample_actions() {
  std::vector<Action> actions;
  actions.push_back(read_action<OperationGet, OperationView>(
      {.name = "operation_get",
       .path = "/operations/{operation_id}",
       .summary = "One operation.",
       .doc = "Tells how far an operation is. Call it until the state is final.",
       .example = {{"operation_id", "op_1"}}},
      get_operation));
  actions.push_back(read_action<BookGet, Book>({.name = "book_get",
                                                .path = "/books/{book}",
                                                .summary = "One book with its chapters.",
                                                .doc = "Everything about one book. book_list finds its id.",
                                                .example = {{"book", "dune"}}},
                                               get_book));
  actions.push_back(read_action<BookList, BookPage>(
      {.name = "book_list",
       .path = "/books",
       .summary = "Books by kind and title.",
       .doc = "Finds books. It doesn't look into their chapters; book_get does.",
       .paged = true,
       .example = {{"genre", "novel"}, {"words", {"sea", "wind"}}, {"limit", 20}}},
      list_books));
  actions.push_back(local_action<BookRename, Book>({.name = "book_rename",
                                                    .path = "/books/{book}",
                                                    .summary = "Give a book another title.",
                                                    .doc = "Changes the title in the catalogue at once.",
                                                    .method = "PATCH",
                                                    .example = {{"book", "dune"}, {"title", "Dune, again"}}},
                                                   rename_book));
  actions.push_back(change_action<BookPrint>(
      {.name = "book_print",
       .path = "/books/{book}/prints",
       .summary = "Print copies of a book.",
       .doc = "Prints copies from a manuscript or a download. It doesn't sell them.",
       .status_action = "operation_get",
       .operation_kind = "book_print",
       .errors = {"name_taken"},
       .example = {{"book", "dune"},
                   {"source",
                    {{"from", "manuscript"}, {"file", "dune.txt"}, {"chapters", {{{"title", "Book One"}}}}}},
                   {"copies", 20},
                   {"labels", {{"planet", "arrakis"}}}}},
      plan_print));
  actions.push_back(change_action<ShelfClear>({.name = "shelf_clear",
                                               .path = "/shelves/{shelf}",
                                               .summary = "Remove all books from a shelf.",
                                               .doc = "Removes the books for good. The shelf itself stays.",
                                               .effect = Effect::destroy,
                                               .method = "DELETE",
                                               .status_action = "operation_get",
                                               .operation_kind = "shelf_clear",
                                               .example = {{"shelf", "west"}, {"keep_rare", true}}},
                                              plan_clear));
  return actions;
}

}  // namespace instantstart::contract::testing
