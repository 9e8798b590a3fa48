#include "access/testing/house.h"

#include <vector>

namespace instantstart::access::testing {
namespace {

/// Holds as soon as it is looked at.
class HoldsAlready final : public operations::StepKind {
 public:
  explicit HoldsAlready(std::string name) : name_(std::move(name)) {}

  std::string_view name() const override { return name_; }
  Task<json::value> observe(const operations::StepContext&, const json::object&) const override {
    co_return json::value(true);
  }
  operations::Decision decide(const operations::StepContext&, const json::object&, const json::value&,
                              const operations::History&) const override {
    return operations::Done{.output = json::object(), .owned = {}};
  }
  Task<json::value> act(const operations::StepContext&, const json::object&,
                        const json::value&) const override {
    co_return json::value();
  }

 private:
  std::string name_;
};

std::vector<store::Migration> migrations() {
  std::vector<store::Migration> all;
  for (const auto part :
       {operations::Engine::migrations(), CredentialStore::migrations(), ConfirmationStore::migrations(),
        AnswerStore::migrations(), SelectionStore::migrations()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

operations::KindRegistry sample_kinds() {
  operations::KindRegistry kinds;
  kinds.add(operations::OperationKind{.name = "book_print"});
  kinds.add(operations::OperationKind{.name = "shelf_clear", .removes = true});
  for (const char* step : {"plates_make", "copies_print", "books_remove"}) {
    kinds.add(std::make_unique<HoldsAlready>(step));
  }
  return kinds;
}

House::House() {
  const auto all = migrations();
  const auto migrated = wait(database.migrate(all));
  EXPECT_TRUE(migrated) << migrated.error().message;
  const auto running = wait(engine.run());
  EXPECT_TRUE(running) << running.error().message;
}

House::~House() {
  bool stopped = false;
  asio::co_spawn(time.context(), engine.stop(), [&stopped](std::exception_ptr) { stopped = true; });
  time.run_until([&] { return stopped; });
}

contract::Caller House::caller(contract::Role role, std::string principal) const {
  return {.principal = std::move(principal),
          .role = role,
          .face = contract::Face::rest,
          .request_id = "request-1",
          .deadline = net::Deadline::never()};
}

}  // namespace instantstart::access::testing
