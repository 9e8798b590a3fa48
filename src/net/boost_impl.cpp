// The one place where the bodies of Asio and Beast are compiled (BOOST_ASIO_SEPARATE_COMPILATION and
// BOOST_BEAST_SEPARATE_COMPILATION are set for the whole build).
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
