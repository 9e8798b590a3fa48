// What containers do. Nothing is really run: a program is recognised by image, command and environment, and
// says step by step what happens: lines printed, time passed, an exit code, answers to HTTP requests.
//
// A program is made again from the same container after a restart of the sandbox, and goes on from its step;
// so what it says must follow from the container, the step and what it is shown.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/json.h"
#include "base/time.h"
#include "net/http.h"
#include "sandbox/kubernetes/api/object_store.h"

namespace instantstart::sandbox::kubernetes {

/// A container as its program sees it.
struct ContainerView {
  std::string cluster;
  std::string namespace_name;
  std::string pod;
  std::string pod_uid;
  std::string node;
  std::string pod_ip;
  std::string name;
  std::string image;
  std::vector<std::string> argv;  ///< command and args with $(VAR) replaced; empty: the image's own.
  std::map<std::string, std::string, std::less<>> env;
  std::int64_t attempt = 0;  ///< 0 the first time, as restartCount.
};

/// Files that a program reads and writes, at the paths its container sees: those of mounted buckets, and of
/// ConfigMaps and Secrets to read. Nothing else is there or can be written, as nothing else lasts. A write of
/// a step that is only planned changes nothing.
class ProgramFiles {
 public:
  virtual ~ProgramFiles() = default;
  virtual std::optional<std::string> read(std::string_view path) = 0;
  /// False when there is no such folder, it may only be read, or the file is there and is not to be replaced.
  virtual bool write(std::string_view path, std::string bytes) = 0;
  /// Paths of the files below a folder.
  virtual std::vector<std::string> list(std::string_view folder) = 0;
  /// False below a mount of another kind (another file system, a folder of the machine): what is there isn't
  /// known.
  virtual bool knows(std::string_view) const { return true; }
};

/// What a program may look at: the other objects of its cluster, as a client inside would.
struct ProgramSite {
  ObjectStore& store;
  const ContainerView& container;
  WallTime now;
  ProgramFiles* files = nullptr;  ///< Set while a program runs in a pod.
  bool due = false;               ///< The step's time is over: what it says happens now.
};

struct ProgramStep {
  milliseconds after{0};           ///< Simulated time until it happens.
  std::vector<std::string> lines;  ///< Printed then; without newlines.
  std::optional<int> exit_code;    ///< And then it ends.
  bool stay = false;               ///< The same step comes again: it waits for something.
  bool idle = false;               ///< Nothing happens any more by itself.
};

struct ProgramEnd {
  milliseconds after{1000};
  std::vector<std::string> lines;
  int exit_code = 143;
};

/// What a probe asks.
struct ProbeTarget {
  std::int64_t port = 0;  ///< 0: no request but a command.
  std::string path;       ///< "/health"; empty: only a connection.
};

class Program {
 public:
  virtual ~Program() = default;
  /// Asked when the step begins (for `after`) and again when its time is over (for the rest); also when the
  /// program is made again in the middle, so that it knows how far it is.
  virtual ProgramStep step(const ProgramSite&, std::int64_t) { return {.idle = true}; }
  /// What SIGTERM does. What takes longer than the grace period is killed with 137.
  virtual ProgramEnd terminate(const ProgramSite&) { return {}; }
  virtual bool is_ready(const ProgramSite&) { return true; }
  /// What its probes say: of a program that isn't known to serve, that it is ready.
  virtual bool passes(const ProgramSite& site, const ProbeTarget&) { return is_ready(site); }
  virtual bool listens(std::int64_t) const { return false; }
  /// Before a request is answered.
  virtual void is_asked(WallTime) {}
  /// What requests have made it print since it was asked last.
  virtual std::vector<std::string> take_lines() { return {}; }
  /// Called only for ports that it listens on. Streams are passed on.
  virtual boost::asio::awaitable<net::Response> answer(net::Request request);
};

/// nullptr when it isn't one that it knows.
using ProgramRecogniser = std::function<std::unique_ptr<Program>(const ContainerView&)>;

/// Asks the recognisers in the order they were added; then the small programs; else it runs for ever.
class ProgramCatalog {
 public:
  void add(ProgramRecogniser recogniser) { recognisers_.push_back(std::move(recogniser)); }
  std::unique_ptr<Program> make(const ContainerView& container) const;

 private:
  std::vector<ProgramRecogniser> recognisers_;
};

/// echo, sleep, exit, true, false, and cat, ls, cp and redirections of mounted files, alone or in a simple
/// `sh -c`; shells of bare images, which end at once; nginx with its welcome page.
std::unique_ptr<Program> recognise_small_program(const ContainerView& container);

/// How pulling an image goes.
struct ImagePull {
  milliseconds takes{0};
  std::string error;  ///< The runtime's words; empty: it is there.
};
/// By its name alone: hosts that can't exist (RFC 2606) and names with "does-not-exist" fail.
ImagePull pull_of(std::string_view image);

}  // namespace instantstart::sandbox::kubernetes
