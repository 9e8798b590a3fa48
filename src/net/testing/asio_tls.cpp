// The bodies of Asio's TLS part, which only tests use: the product's own client is libcurl.
#include <boost/asio/ssl/impl/src.hpp>
