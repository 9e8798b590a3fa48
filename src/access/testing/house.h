// A whole back end in virtual time for tests of what stands above it: store, engine, access and a table of
// made-up actions whose steps end at once.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

#include "access/confirmation_store.h"
#include "access/credential_store.h"
#include "access/dispatcher.h"
#include "access/selection_store.h"
#include "base/random.h"
#include "contract/testing/sample_actions.h"
#include "net/testing/virtual_time.h"
#include "operations/engine.h"
#include "store/testing/inline_database.h"

namespace instantstart::access::testing {

/// Step kinds and operation kinds that the sample actions plan.
operations::KindRegistry sample_kinds();

struct House {
  House();
  ~House();

  /// Runs a task to its end in virtual time.
  template <class T>
  T wait(asio::awaitable<T> task) {
    std::optional<T> outcome;
    asio::co_spawn(time.context(), std::move(task), [&outcome](std::exception_ptr broken, T value) {
      if (broken) std::rethrow_exception(broken);
      outcome.emplace(std::move(value));
    });
    EXPECT_TRUE(time.run_until([&] { return outcome.has_value(); })) << "the task never ended";
    return std::move(*outcome);
  }

  contract::Caller caller(contract::Role role = contract::Role::admin, std::string principal = "ann") const;

  net::VirtualTime time;
  SeededRandom random{1};
  store::MemoryStore file;
  store::MemoryDatabase database{file};
  CredentialStore credentials{database, time, random};
  ConfirmationStore confirmations{database, time, random};
  AnswerStore answers{database, time};
  SelectionStore selections{database, time};
  operations::KindRegistry kinds = sample_kinds();
  operations::Engine engine{time.context().get_executor(), time, random, Log(), database, kinds, {}};
  contract::ActionTable actions{contract::testing::sample_actions()};
  Dispatcher dispatcher{actions, engine, confirmations, answers, selections, Log()};
};

}  // namespace instantstart::access::testing
